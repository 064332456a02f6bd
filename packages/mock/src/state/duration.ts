import { SandboxError } from './sandbox-error.ts';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNITS;

/** Measures time: milliseconds as a number, or text such as `'500ms'`, `'3s'`, `'5m'`, `'2h'` or `'1d'`. */
export type Duration = number | `${number}${Unit}`;

/** Parses a duration into milliseconds; throws `SandboxError` when it is none. */
export function parseDuration(duration: Duration): number {
  const milliseconds = typeof duration === 'number' ? duration : parseText(duration);
  if (milliseconds === undefined || !Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new SandboxError(
      'invalid_argument',
      `${JSON.stringify(duration)} is no duration; write milliseconds as a number, or text such as '500ms', '3s', '5m', '2h' or '1d'.`,
    );
  }
  return milliseconds;
}

function parseText(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  return match === null ? undefined : Math.round(Number(match[1]) * UNITS[match[2] as Unit]);
}
