import { SandboxError } from './sandbox-error.ts';

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof units;

/** A length of time: milliseconds as a number, or text such as `'500ms'`, `'3s'`, `'5m'`, `'2h'` or `'1d'`. */
export type Duration = number | `${number}${Unit}`;

/**
 * Returns the milliseconds of a duration.
 *
 * @throws {SandboxError} for an invalid duration
 */
export function parseDuration(duration: Duration): number {
  if (isDuration(duration)) return typeof duration === 'number' ? duration : parseText(duration);
  throw new SandboxError(
    'invalid_argument',
    `${JSON.stringify(duration)} is not a duration. Use milliseconds as a number, or text such as '500ms', '3s', '5m', '2h' or '1d'.`,
  );
}

/** Returns whether a value is a duration. */
export function isDuration(value: unknown): value is Duration {
  const milliseconds = typeof value === 'string' ? parseText(value) : value;
  return typeof milliseconds === 'number' && Number.isFinite(milliseconds) && milliseconds >= 0;
}

function parseText(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  return match === null ? Number.NaN : Math.round(Number(match[1]) * units[match[2] as Unit]);
}
