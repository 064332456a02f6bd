import { type DurationUnit, parseDurationText } from '@service/internal';
import { SandboxError } from './sandbox-error.ts';

/** A length of time: milliseconds as a number, or text such as `'500ms'`, `'3s'`, `'5m'`, `'2h'` or `'1d'`. */
export type Duration = number | `${number}${DurationUnit}`;

/**
 * Returns the milliseconds of a duration.
 *
 * @throws {SandboxError} for an invalid duration
 */
export function parseDuration(duration: Duration): number {
  if (isDuration(duration)) return typeof duration === 'number' ? duration : parseDurationText(duration);
  throw new SandboxError(
    'invalid_argument',
    `${JSON.stringify(duration)} is not a duration. Use milliseconds as a number, or text such as '500ms', '3s', '5m', '2h' or '1d'.`,
  );
}

/** Returns whether a value is a duration. */
export function isDuration(value: unknown): value is Duration {
  const milliseconds = typeof value === 'string' ? parseDurationText(value) : value;
  return typeof milliseconds === 'number' && Number.isFinite(milliseconds) && milliseconds >= 0;
}
