// The forms of times.
import { addColon, type TimestampForm } from '@service/internal';

/**
 * Reads the form of a time. Its digits are those of milliseconds, microseconds or nanoseconds: many services leave out zeros
 * at the end, so that the number of digits differs by chance.
 */
export function readTimestampForm(value: unknown): TimestampForm | undefined {
  const [, fraction = '', zone] =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/.exec(
      typeof value === 'string' ? value : '',
    ) ?? [];
  return zone === undefined ? undefined : { digits: 3 * Math.ceil(fraction.length / 3), zone };
}

/** Reads a time: ISO 8601, or seconds or milliseconds since 1970. */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'number') {
    const { length } = String(Math.trunc(value));
    return length === 10 ? value * 1_000 : length === 13 ? value : undefined;
  }
  const time = readTimestampForm(value) ? Date.parse(addColon(String(value))) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Formats a duration, such as `3s` or `250ms`. */
export function toDuration(milliseconds: number): `${number}${'s' | 'ms'}` {
  return milliseconds % 1_000 === 0 ? `${milliseconds / 1_000}s` : `${milliseconds}ms`;
}

/** The shortest and the longest time that agrees with some reads, in milliseconds. */
export type Interval = readonly [least: number, most: number];

/** Returns the roundest time of an interval. */
export function roundWithin([from, to]: Interval): number {
  for (const step of [60_000, 10_000, 5_000, 1_000, 500, 100, 50, 10, 1]) {
    const rounded = Math.ceil(from / step) * step;
    if (rounded <= to) return rounded;
  }
  return Math.round((from + to) / 2);
}

/** Returns the times that all intervals have. Undefined if there are none. */
export function intersect(intervals: readonly Interval[]): Interval | undefined {
  const least = Math.max(...intervals.map(([from]) => from));
  const most = Math.min(...intervals.map(([, to]) => to));
  return intervals.length > 0 && least <= most ? [least, most] : undefined;
}

/** Returns whether an interval is narrow enough to be evidence: a wide one agrees with every other one by chance. */
export function isPrecise([least, most]: Interval): boolean {
  return most - least <= Math.max(300, 0.3 * most);
}
