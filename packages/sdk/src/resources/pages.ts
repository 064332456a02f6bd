import { redactJson } from '../errors/redact.ts';
import type { TransactionPage } from '../values/models.ts';
import type { PageReading } from './pagination.ts';
import type { TransactionReading, TransactionRow } from './transaction-reader.ts';

/** Goes through pages, or through the rows of all of them. */
export type Pages<Page, Row> = AsyncIterable<Row> & {
  /** Goes through the pages; rows that an earlier page held are left out, and so are pages that hold no others. */
  readonly pages: () => AsyncIterableIterator<Page>;
};

/** Says how to ask for a page: by its number, by a cursor, by whatever the address of the next page said. */
export type PageQuery = Readonly<Record<string, string | number>>;

/** One page of transactions as read from a response. */
export interface ReadPage {
  readonly page: TransactionPage;
  readonly reading: TransactionReading;
  readonly headers: Headers;
}

/** A page with the way to the next one. */
export type LoadedPage = ReadPage & Omit<PageReading, 'pagination'>;

type Walk = {
  readonly first: () => Promise<LoadedPage>;
  readonly next: (query: PageQuery) => Promise<LoadedPage>;
  /** Called if the walk ends although the service promised more. */
  readonly cutShort: () => void;
};

/**
 * Walks pages from the first one on, until the service says that there are no more, or gives an empty page, or repeats itself.
 * Rows that move to a later page while new ones arrive are given once; rows without an id are told apart only by whole pages. A
 * page that only repeats earlier rows can be followed by a new one, as new rows push the old ones on: the walk goes on until
 * more pages in a row brought nothing than brought something before.
 */
export async function* walkPages(walk: Walk): AsyncGenerator<ReadPage> {
  const isNew = createNoveltyFilter();
  let fresh = 0;
  let stale = 0;
  let hasPromised = false;
  for (let loaded = await walk.first(); ;) {
    const { next, promised } = loaded;
    const { rows, unreadable } = loaded.reading;
    const left = isNew(loaded.reading);
    if (left) [fresh, stale] = [fresh + 1, 0];
    else stale += 1;
    if (left || fresh + stale === 1) yield withRows(loaded, left ?? []);
    // A service that stated before that there is more states by silence that there is not.
    if (next === undefined || (hasPromised && !promised)) return;
    hasPromised = promised;
    if (rows.length + unreadable.length === 0 || stale > fresh) {
      if (promised) walk.cutShort();
      return;
    }
    loaded = await walk.next(next);
  }
}

type NoveltyFilter = (reading: TransactionReading) => readonly TransactionRow[] | undefined;

/** Creates a function that returns the rows of a page that no earlier page held, or undefined for a page without news. */
function createNoveltyFilter(): NoveltyFilter {
  const ids = new Set<string>();
  const seenPages = new Set<string>();
  return ({ rows, unreadable }) => {
    const hasIds = unreadable.length === 0 && rows.every(({ transaction }) => transaction.id !== null);
    // A row without an id may equal another one, so only a page that equals an earlier one in full is a repetition.
    const isRepeated =
      !hasIds &&
      !addNew(seenPages, JSON.stringify(redactJson([...rows, ...unreadable].map(({ raw }) => raw))));
    const left = rows.filter(({ transaction: { id } }) => (id === null ? !isRepeated : addNew(ids, id)));
    return left.length > 0 || (unreadable.length > 0 && !isRepeated) ? left : undefined;
  };
}

/** Adds a value to a set. Returns whether it is new. */
function addNew(set: Set<string>, value: string): boolean {
  return !set.has(value) && set.add(value) === set;
}

function withRows(loaded: LoadedPage, rows: readonly TransactionRow[]): ReadPage {
  const { page, reading, headers } = loaded;
  const transactions = rows.map(({ transaction }) => transaction);
  return { page: { ...page, transactions }, reading: { ...reading, rows }, headers };
}
