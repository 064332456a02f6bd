import { WebhookError } from './errors.ts';

const MAX_DURATION = 2_147_483_647;

/**
 * Rejects options that are not an object or have an unknown name. The message contains the known names.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function assertKnownOptions(options: unknown, known: readonly string[], caller: string): void {
  const isObject = typeof options === 'object' && options !== null;
  const unknown = isObject ? Object.keys(options).filter((name) => !known.includes(name)) : [typeof options];
  if (unknown.length > 0) {
    throw invalidOptions(`${caller} accepts the options { ${known.join(', ')} }, not ${unknown.join(', ')}.`);
  }
}

/** @throws {WebhookError} `invalid_options` unless the value is a whole number of at least `minimum` */
export function assertWholeNumber(value: unknown, name: string, minimum: number): void {
  if (!Number.isSafeInteger(value) || Number(value) < minimum) {
    throw invalidOptions(`${name} must be a whole number of at least ${minimum}.`);
  }
}

/**
 * Rejects an invalid duration. A timer of more than 2^31 - 1 ms would fire immediately.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function assertDuration(value: unknown, name: string, minimum: number): void {
  assertWholeNumber(value, name, minimum);
  if (Number(value) > MAX_DURATION) throw invalidOptions(`${name} must be at most ${MAX_DURATION} ms.`);
}

/** @throws {WebhookError} `invalid_options` unless the value is a function */
export function assertFunction(value: unknown, name: string): void {
  if (typeof value !== 'function') throw invalidOptions(`${name} must be a function.`);
}

export function invalidOptions(message: string): WebhookError {
  return new WebhookError('invalid_options', { message });
}
