// The rows that payments leave in the transaction list, and the times at which they came.
import type { JsonObject } from '@service/internal';
import { type PageCall, readPages } from './call.ts';
import { formatValue } from './response.ts';
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
  const ids = seen.payments.map(({ id }) => id);
  const toKeys = ({ page }: PageCall): string[] =>
    page.rows.map((row) => ids.find((id) => JSON.stringify(row).includes(id)) ?? formatValue(row.id));
  const readings = listReadings(seen);
  return readings.flatMap((reading, index): ('newest' | 'oldest')[] => {
    const before = readings[index - 1];
    const length = before?.page.rows.length ?? 0;
    if (before === undefined || length === 0 || length >= reading.page.rows.length) return [];
    const [old, all] = [toKeys(before).join(), toKeys(reading)];
    const [isSuffix, isPrefix] = [all.slice(-length).join() === old, all.slice(0, length).join() === old];
    return isSuffix === isPrefix ? [] : [isSuffix ? 'newest' : 'oldest'];
  });
});

/** Returns the rows of the last list of all rows, the oldest first. */
export function listAllRows(seen: Seen): readonly JsonObject[] {
  const rows = listReadings(seen).at(-1)?.page.rows ?? [];
  return listOrders(seen)[0] === 'oldest' ? rows : rows.toReversed();
}

/** Returns the rows of a payment, the oldest first. */
export function listArrivals(seen: Seen, { id, create }: Pick<Payment, 'id' | 'create'>): Arrival[] {
  const isOldest = listOrders(seen)[0] === 'oldest';
  const readings = listReadings(seen);
  const ownOf = ({ page }: PageCall): { row: JsonObject; place: number }[] => {
    const all = isOldest ? page.rows : page.rows.toReversed();
    return all.flatMap((row, place) => (JSON.stringify(row).includes(id) ? [{ row, place }] : []));
  };
  const last = readings.at(-1);
  if (last === undefined) return [];
  const counts = readings.map((reading) => ownOf(reading).length);
  return ownOf(last).map(({ row, place }, index) => {
    const at = counts.findIndex((count) => count > index);
    const [before, shown] = [readings[at - 1], readings[at]];
    const isSeen = before !== undefined && shown !== undefined;
    return {
      row,
      place,
      shown: isSeen ? [Math.max(before.call.start, create.start), shown.call.end] : undefined,
    };
  });
}
