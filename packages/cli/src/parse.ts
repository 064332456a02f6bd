import { InvalidArgumentError } from 'commander';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const longestTimer = 2_147_483_647;

/** Parses a span of time such as `500ms`, `60s` or `2m` into milliseconds. Throws InvalidArgumentError. */
export function parseDuration(text: string): number {
  const [, figure, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(figure) * units[unit as keyof typeof units]);
  if (milliseconds > 0 && milliseconds <= longestTimer) return milliseconds;
  throw new InvalidArgumentError(
    'Write a span above 0 with its unit (ms, s, m or h), such as 500ms, 60s or 2m; 596h at most.',
  );
}

/** Parses a whole number between two bounds. Throws InvalidArgumentError. */
export function parseWhole(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Write a whole number from ${from} to ${to}.`);
  };
}

/** Parses a number above 0. Throws InvalidArgumentError. */
export function parsePositive(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('Write a number above 0.');
}

const wholeTime = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/** Parses a moment in ISO 8601 with its offset, such as `2026-01-31T12:00:00Z`. Throws InvalidArgumentError. */
export function parseTime(text: string): Date {
  const [, day = '', dayOfMonth] = wholeTime.exec(text) ?? [];
  // `Date` takes the 30th of February for a day in March, and knows no offset without a colon everywhere.
  const isDay = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(dayOfMonth);
  const at = new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  if (isDay && !Number.isNaN(at.getTime())) return at;
  throw new InvalidArgumentError(
    'Write a whole time with its offset, such as 2026-01-31T12:00:00Z or 2026-01-31T13:00:00+01:00.',
  );
}

/** Parses an id; an empty one, as of a variable that is not set, or one of dots would lead elsewhere. Throws InvalidArgumentError. */
export function parseId(text: string): string {
  if (!/^\.{0,2}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be an id.');
}

/** Returns the status that the name of an event tells, one that no document names too; undefined for no such name (spec §6). */
export function statusOfEvent(name: string): string | undefined {
  return /^payment\.([a-z][a-z_]{0,40})$/.exec(name)?.[1];
}
