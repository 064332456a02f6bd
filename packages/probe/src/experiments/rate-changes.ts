import type { Duration } from '@service/internal';
import { intersect, type Interval, roundWithin, toDuration } from './durations.ts';

/** A rate, and the start and the end of the request of its quote. */
export interface RateReading {
  readonly since: number;
  readonly at: number;
  readonly rate: bigint;
}

/** Returns the time within which each change of a rate happened. */
export function listRateChanges(readings: readonly RateReading[]): Interval[] {
  return readings.flatMap(({ at, rate }, index): Interval[] => {
    const last = readings[index - 1];
    return last === undefined || last.rate === rate ? [] : [[last.since, at]];
  });
}

/** A rate can change more than once in a longer time between two quotes, in milliseconds. */
const MAX_WIDTH = 1_500;

/** The number of changes without a longer time between two quotes that show a regular interval. */
const MIN_CHANGES = 3;

/** Returns the interval of regular changes. Undefined if it does not follow from them. */
export function measureInterval(changes: readonly Interval[]): Duration | undefined {
  const series = listSeries(changes).filter((each) => each.length >= MIN_CHANGES);
  if (series.length === 0) return undefined;
  const [least, most] = intersect(series.flatMap(listDistances));
  const widest = Math.max(...series.flat().map(([from, to]) => to - from));
  const isDetermined = least <= most && most - least <= least / 4 && least > widest;
  return isDetermined ? toDuration(roundWithin(least, most)) : undefined;
}

/** Returns the changes of several series of readings in their order. Those at the same time are one. */
export function mergeChanges(changes: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const [from, to] of changes.toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1);
    if (last === undefined || from >= last[1]) merged.push([from, to]);
    else merged.splice(-1, 1, [Math.max(last[0], from), Math.min(last[1], to)]);
  }
  return merged;
}

/**
 * Returns the limits of a regular interval: at least the longest time without a change, and at most the shortest one from a
 * change to the next. They are the other way round if the changes are not regular.
 */
export function limitInterval(changes: readonly Interval[], [start, end]: Interval): Interval {
  const bounds = [[start, start] as const, ...changes, [end, end] as const];
  const still = bounds.slice(1).map(([from], index) => from - (bounds[index]?.[1] ?? from));
  const distances = changes.slice(1).map(([, to], index) => to - (changes[index]?.[0] ?? to));
  return [Math.max(...still), Math.min(end - start, ...distances)];
}

/** Splits changes where one can be several. */
function listSeries(changes: readonly Interval[]): Interval[][] {
  const series: Interval[][] = [[]];
  for (const change of changes) {
    if (change[1] - change[0] > MAX_WIDTH) series.push([]);
    else series.at(-1)?.push(change);
  }
  return series;
}

/** Returns the intervals that each two changes of a series allow. */
function listDistances(series: readonly Interval[]): Interval[] {
  return series.flatMap(([from, to], index) =>
    series.slice(index + 1).map(([nextFrom, nextTo], place): Interval => {
      const count = place + 1;
      return [(nextFrom - to) / count, (nextTo - from) / count];
    }),
  );
}
