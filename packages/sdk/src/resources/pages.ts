import type { TransactionPage } from '../models.ts';
import { redactJson } from '../redact.ts';
import { describeEnvelope, type PageReading, saysMore } from './pagination.ts';
import { createUnreadableError, type ServiceResponse } from '../transport/response.ts';
import type { TransactionReading, TransactionRow } from './transaction-reader.ts';

/** An iterable of the rows of all pages. */
export type Pages<Page, Row> = AsyncIterable<Row> & {
  /** Iterates over the pages. Omits rows of earlier pages, and pages without other rows. */
  readonly pages: () => AsyncIterableIterator<Page>;
};

/** The query parameters of a page: its number, a cursor, or the parameters in the URL of the next page. */
export type PageQuery = Readonly<Record<string, string | number>>;

/** One page of transactions as read from a response. */
export interface ReadPage {
  readonly page: TransactionPage;
  readonly reading: TransactionReading;
  readonly headers: Headers;
}

/** A page with the query of the next one. */
export type LoadedPage = ReadPage &
  Omit<PageReading, 'pagination'> & {
    /** The response with the page. */
    readonly received: ServiceResponse;
  };

/** The documented number of rows of a page (docs/contract.md#transactions). */
const DEFAULT_SIZE = 20;

interface Walk {
  readonly first: () => Promise<LoadedPage>;
  readonly next: (query: PageQuery) => Promise<LoadedPage>;
  /** Returns whether an error is the response to the request of a page after the last one. */
  readonly isPastEnd: (error: unknown) => boolean;
  /** The first page and the number of rows of a page that the caller asked for. Checked with the first request. */
  readonly query: { readonly page?: number | undefined; readonly per_page?: number | undefined } | undefined;
}

/**
 * Yields pages from the first one until the service states the end, or sends no further rows and nothing says that
 * there are more. Throws if the walk cannot go on otherwise. A row that moves to a later page because of new
 * rows is yielded once. Rows without an id are compared as whole pages.
 *
 * New rows can push old ones to the next page, so a page of repeated rows is not the end. The pages repeat
 * when those without new rows, counted in sequence, outnumber the earlier pages with new rows.
 */
export async function* walkPages(walk: Walk): AsyncGenerator<ReadPage> {
  const filterNew = createRowFilter();
  let newPages = 0;
  let repeatedPages = 0;
  let isFirst = true;
  let didStateNext = false;
  let total = Infinity;
  let loaded = await walk.first();
  const { page = 1, per_page = DEFAULT_SIZE } = walk.query ?? {};
  let received = (page - 1) * per_page;
  for (;;) {
    const { next, hasStatedNext } = loaded;
    const { rows, unreadable } = loaded.reading;
    const newRows = filterNew(loaded.reading);
    if (newRows) [newPages, repeatedPages] = [newPages + 1, 0];
    else repeatedPages += 1;
    const count = rows.length + unreadable.length;
    if (newRows) received += count;
    // Rows that are added meanwhile raise the total, and need not be read.
    total = Math.min(total, loaded.page.pagination.total ?? Infinity);
    if (newRows || isFirst) yield withRows(loaded, newRows ?? []);
    if (next === undefined) return;
    const isRepeated = repeatedPages > newPages;
    // A service that stated a next page before, and now states nothing, has reached the end.
    const isLast = didStateNext && !hasStatedNext;
    didStateNext = hasStatedNext;
    const isEnd = count === 0 || isRepeated || isLast;
    const following = isEnd ? undefined : await loadNext(walk, next, hasStatedNext);
    if (following === undefined) {
      const size = Math.min(per_page, loaded.page.pagination.per_page ?? Infinity);
      // A service that ignores `page` can ignore `per_page` too.
      const isFull = count >= size || count === DEFAULT_SIZE;
      const isMissing = !isLast && (total === Infinity ? isRepeated && isFull : received < total);
      if (!hasStatedNext && !isMissing && !saysMore(loaded.received)) return;
      throw createUnreadableError(
        loaded.received,
        `more rows exist, but no page has them. It has the fields ${describeEnvelope(loaded.received)}`,
        'list_cannot_continue',
      );
    }
    // After a first page without a number, page 1 can be the first page again.
    if (isFirst && next.page === 1) repeatedPages -= 1;
    isFirst = false;
    loaded = following;
  }
}

/** Loads the next page. Returns undefined if it is only supposed to exist, and the service does not have it. */
async function loadNext(
  { next, isPastEnd }: Walk,
  query: PageQuery,
  isStated: boolean,
): Promise<LoadedPage | undefined> {
  try {
    return await next(query);
  } catch (error) {
    if (isStated || !isPastEnd(error)) throw error;
    return undefined;
  }
}

type RowFilter = (reading: TransactionReading) => readonly TransactionRow[] | undefined;

/**
 * Creates a function that returns the rows of a page that are on no earlier page, or undefined if there are
 * none.
 */
function createRowFilter(): RowFilter {
  const ids = new Set<string>();
  const seenPages = new Set<string>();
  return ({ rows, unreadable }) => {
    const hasIds = unreadable.length === 0 && rows.every(({ transaction }) => transaction.id !== null);
    // Rows without an id can be equal, so only a page that equals an earlier one in full is a repetition.
    const isRepeated =
      !hasIds &&
      !addNew(seenPages, JSON.stringify(redactJson([...rows, ...unreadable].map(({ raw }) => raw))));
    const newRows = rows.filter(({ transaction: { id } }) => (id === null ? !isRepeated : addNew(ids, id)));
    return newRows.length > 0 || (unreadable.length > 0 && !isRepeated) ? newRows : undefined;
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
