// The forms of times.
import { addColon, namedTimestamps } from '@service/internal';

/** The digits after the seconds and the offset of a time. */
export interface TimeForm {
  readonly digits: number;
  readonly zone: string;
}

/**
 * Reads the form of a time. Its digits are those of milliseconds, microseconds or nanoseconds: many services leave out zeros
 * at the end, so that the number of digits differs by chance.
 */
export function readTimestampForm(value: unknown): TimeForm | undefined {
  const [, fraction = '', zone] =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/.exec(
      typeof value === 'string' ? value : '',
    ) ?? [];
  return zone === undefined ? undefined : { digits: 3 * Math.ceil(fraction.length / 3), zone };
}

/** Returns the value of the setting `timestamps`: a name if the form has one. */
export function toTimestamps(form: TimeForm): string | TimeForm {
  const named = Object.entries(namedTimestamps).find(
    ([, one]) => one.digits === form.digits && one.zone === form.zone,
  );
  return named?.[0] ?? form;
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

/** Returns the roundest number within limits. */
function roundWithin(from: number, to: number): number {
  for (const step of [60_000, 10_000, 5_000, 1_000, 500, 100, 50, 10, 1]) {
    const rounded = Math.ceil(from / step) * step;
    if (rounded <= to && (rounded > 0 || from <= 0)) return Math.max(0, rounded);
  }
  return Math.round((from + to) / 2);
}

/** The shortest and the longest time that agrees with some reads, in milliseconds. */
export type Interval = readonly [least: number, most: number];

/** Returns the times that all intervals have. Undefined if there are none. */
export function intersect(intervals: readonly Interval[]): Interval | undefined {
  const least = Math.max(...intervals.map(([from]) => from));
  const most = Math.min(...intervals.map(([, to]) => to));
  return intervals.length > 0 && least <= most ? [least, most] : undefined;
}

/** The precision that a time needs: a wide interval agrees with every other one by chance. */
const [PRECISION, SHARE] = [300, 0.3];

/** Returns whether an interval is narrow enough to be evidence. */
function isPrecise([least, most]: Interval): boolean {
  return most - least <= Math.max(PRECISION, SHARE * most);
}

/** A time, as the first half of some intervals shows it, and the other half. */
export interface Agreement {
  /** The times that the first half has. Undefined if there are none. */
  readonly common: Interval | undefined;
  /** The roundest time that all intervals have, or that the first half has. */
  readonly time: number | undefined;
  readonly agree: readonly Interval[];
  readonly against: readonly Interval[];
}

/** Compares every other interval with the times that the rest have in common. */
export function agreeOn(intervals: readonly Interval[]): Agreement {
  const precise = intervals.filter(isPrecise);
  const common = intersect(precise.filter((_, index) => index % 2 === 0));
  const others = precise.filter((_, index) => index % 2 === 1);
  const isSame = (one: Interval): boolean => common !== undefined && intersect([one, common]) !== undefined;
  const all = intersect(precise) ?? common;
  const against = [
    ...others.filter((one) => !isSame(one)),
    ...intervals.filter((one) => !isPrecise(one) && !isSame(one)),
  ];
  return {
    common,
    time: all && (all[0] <= 0 ? 0 : roundWithin(all[0], all[1])),
    agree: others.filter(isSame),
    against,
  };
}
