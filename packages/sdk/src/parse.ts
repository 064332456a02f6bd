import { ConfigurationError } from './errors/local-errors.ts';
import { copyOwn, isRecord } from './json.ts';
import { describeUnknown } from './nearest.ts';

/** Copies an object of options. @throws ConfigurationError for a name that is not among the known ones. */
export function pickKnown(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (value === undefined) return copyOwn({});
  if (!isRecord(value)) throw new ConfigurationError('The options must be an object.');
  const stranger = Object.keys(value).find((name) => !names.includes(name));
  if (stranger !== undefined) throw new ConfigurationError(`Option ${describeUnknown(stranger, names)}`);
  return copyOwn(value);
}

/** Checks a span in milliseconds. @throws ConfigurationError when no timer can measure it. */
export function parseTimeout(name: string, value: unknown): number {
  // A timer set for longer than a signed 32-bit number of milliseconds goes off at once.
  if (typeof value === 'number' && value > 0 && value <= 2_147_483_647) return value;
  throw new ConfigurationError(
    `${name} must be a number of milliseconds, more than 0 and at most 2147483647.`,
  );
}

/** Checks a small number of things. @throws ConfigurationError */
export function parseCount(name: string, value: unknown, most = 15): number {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most) return Number(value);
  throw new ConfigurationError(`${name} must be a whole number from 0 to ${most}.`);
}

/** Checks a choice of words. @throws ConfigurationError */
export function parseChoice<T extends string>(name: string, value: unknown, words: readonly T[]): T {
  const word = words.find((one) => one === value);
  if (word !== undefined) return word;
  throw new ConfigurationError(`${name} must be ${words.map((one) => `'${one}'`).join(' or ')}.`);
}
