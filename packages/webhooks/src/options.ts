import { WebhookError } from './errors.ts';

const MAX_DURATION = 2_147_483_647;

/** Refuses options that are no object or hold an unknown key, naming the known ones. Throws `invalid_options`. */
export function assertKnownOptions(options: unknown, known: readonly string[], caller: string): void {
  const isObject = typeof options === 'object' && options !== null;
  const unknown = isObject ? Object.keys(options).filter((name) => !known.includes(name)) : [typeof options];
  if (unknown.length > 0) {
    throw invalidOptions(`${caller} takes the options { ${known.join(', ')} }, not ${unknown.join(', ')}.`);
  }
}

/** Refuses a number that is not a whole one from `minimum` up. Throws `invalid_options`. */
export function assertWholeNumber(value: unknown, name: string, minimum: number): void {
  if (!Number.isSafeInteger(value) || Number(value) < minimum) {
    throw invalidOptions(`${name} must be a whole number of at least ${minimum}.`);
  }
}

/** Refuses a duration that no timer can wait for: past 2^31 - 1 ms it would fire at once. Throws `invalid_options`. */
export function assertDuration(value: unknown, name: string, minimum: number): void {
  assertWholeNumber(value, name, minimum);
  if (Number(value) > MAX_DURATION) throw invalidOptions(`${name} must be at most ${MAX_DURATION} ms.`);
}

/** Refuses what is no function. Throws `invalid_options`. */
export function assertFunction(value: unknown, name: string): void {
  if (typeof value !== 'function') throw invalidOptions(`${name} must be a function.`);
}

/** Creates the error of a mistake in the options. */
export function invalidOptions(message: string): WebhookError {
  return new WebhookError('invalid_options', { message });
}
