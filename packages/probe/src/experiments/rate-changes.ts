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

/**
 * Returns the limits of a regular interval that several series of readings of one rate allow: at least the longest time
 * without a change, and at most the shortest one from a change to another. They are the other way round if the changes are
 * not regular.
 */
export function limitInterval(series: readonly (readonly RateReading[])[]): Interval {
  const all = series.flat();
  const duration = Math.max(...all.map(({ at }) => at)) - Math.min(...all.map(({ since }) => since));
  const still = joinTimes(series.flatMap(listStillTimes)).map(([from, to]) => to - from);
  return [Math.max(0, ...still), Math.min(duration, ...listLongestDistances(series.map(listRateChanges)))];
}

/** Returns the times during which each reading has the same rate. */
function listStillTimes(readings: readonly RateReading[]): Interval[] {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return [];
  const changes = listRateChanges(readings);
  const starts = [first.at, ...changes.map(([, to]) => to)];
  const ends = [...changes.map(([from]) => from), last.since];
  return starts
    .map((start, index): Interval => [start, ends[index] ?? start])
    .filter(([from, to]) => from < to);
}

/** Joins times that overlap. */
function joinTimes(times: readonly Interval[]): Interval[] {
  const joined: Interval[] = [];
  for (const [from, to] of times.toSorted(([one], [other]) => one - other)) {
    const last = joined.at(-1);
    if (last === undefined || from > last[1]) joined.push([from, to]);
    else joined.splice(-1, 1, [last[0], Math.max(last[1], to)]);
  }
  return joined;
}

/** Returns the longest time between each two changes that are certainly not the same one. */
function listLongestDistances(series: readonly (readonly Interval[])[]): number[] {
  const next = series.flatMap((changes) =>
    changes.slice(1).map(([, to], index) => to - (changes[index]?.[0] ?? to)),
  );
  const changes = series.flat();
  const apart = changes.flatMap(([from, to]) =>
    changes.flatMap(([nextFrom, nextTo]) => (nextFrom >= to ? [nextTo - from] : [])),
  );
  return [...next, ...apart];
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
