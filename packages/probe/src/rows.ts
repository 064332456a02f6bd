// The rows that payments leave in the transaction list, and the times at which they came.
import type { JsonObject } from '@service/internal';
import { readPages } from './call.ts';
import { type Payment, perSeen, type Seen } from './seen.ts';
import type { Interval } from './time.ts';

/** A row of a payment. */
export interface Arrival {
  /** The row as the last list shows it. */
  readonly row: JsonObject;
  /** The time within which the list began to show it. Undefined if the first list already had it. */
  readonly shown: Interval | undefined;
  /** Its place among all rows, from 0 for the oldest one. */
  readonly place: number;
}

/** The lists of all rows, in their order: pages of the largest size without other parameters. */
const listReadings = perSeen(({ lists }: Seen) =>
  readPages(lists.filter(({ query }) => query.get('per_page') === '100' && query.size === 1)),
);

/** Returns for each list with new rows whether these come first or last. */
export const listOrders: (seen: Seen) => ('newest' | 'oldest')[] = perSeen((seen) => {
  const readings = listReadings(seen).map(({ page }) => page.rows.map((row) => JSON.stringify(row)));
  return readings.slice(1).flatMap((rows, index): ('newest' | 'oldest')[] => {
    const before = readings[index] ?? [];
    const isKnown = rows.map((row) => before.includes(row));
    if (rows.length <= before.length || isKnown[0] === isKnown.at(-1)) return [];
    return [isKnown[0] ? 'oldest' : 'newest'];
  });
});

/** Returns the rows of the last list of all rows, the oldest first. */
export function listAllRows(seen: Seen): readonly JsonObject[] {
  const rows = listReadings(seen).at(-1)?.page.rows ?? [];
  return listOrders(seen)[0] === 'oldest' ? rows : rows.toReversed();
}

/** Returns the rows of a payment, the oldest first. */
export function listArrivals(seen: Seen, { id, create }: Pick<Payment, 'id' | 'create'>): Arrival[] {
  const isOwn = (row: JsonObject): boolean => JSON.stringify(row).includes(id);
  const readings = listReadings(seen);
  const counts = readings.map(({ page }) => page.rows.filter(isOwn).length);
  const own = listAllRows(seen).flatMap((row, place) => (isOwn(row) ? [{ row, place }] : []));
  return own.map(({ row, place }, index) => {
    const at = counts.findIndex((count) => count > index);
    const [before, shown] = [readings[at - 1], readings[at]];
    return {
      row,
      place,
      shown: before && shown && [Math.max(before.call.start, create.start), shown.call.end],
    };
  });
}
