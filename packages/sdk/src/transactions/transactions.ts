import { type Field, nonEmptyText, parseJson, parseObject, wholeNumber } from '@service/internal';
import type { Transaction, TransactionPage } from '../models.ts';
import { createValidationError, NotFoundError } from '../errors.ts';
import { redactJson } from '../redact.ts';
import { type CallOptions, omitUndefined } from '../options.ts';
import { type Call, callOperation, startCall } from '../transport/call.ts';
import { type ClientContext, createUnreadableError, type ServiceResponse } from '../transport/response.ts';
import {
  describeEnvelope,
  findRowArray,
  listSome,
  type PagePlace,
  type PageProblem,
  type PageQuery,
  readPlace,
  type RowArray,
  saysMore,
} from './page.ts';
import { readRows, type Rows, type TransactionRow } from './rows.ts';

/** The filters and the page of a transaction list. */
export interface TransactionQuery {
  /**
   * The page at which the list starts, counted from 1.
   *
   * @default 1, set by the service
   * @example 2
   */
  readonly page?: number | undefined;
  /**
   * The number of rows of a page, from 1 to 100.
   *
   * @default 20, set by the service
   * @example 100
   */
  readonly per_page?: number | undefined;
  /**
   * The status of the rows.
   *
   * @default all
   * @example 'failed'
   */
  readonly status?: Transaction['status'] | undefined;
  /**
   * The type of the rows.
   *
   * @default all
   * @example 'refund'
   */
  readonly type?: Transaction['type'] | undefined;
}

/** A promise of the first page that is also an async iterable of the rows of all pages. */
export type TransactionList = Call<TransactionPage> &
  AsyncIterable<Transaction> & {
    /** Iterates over the pages. Omits rows of earlier pages, and pages without other rows. */
    readonly pages: () => AsyncIterableIterator<TransactionPage>;
  };

/** Lists the transactions of the account. See `transactions.list`. */
export function listTransactions(
  context: ClientContext,
  query: TransactionQuery | undefined,
  options: CallOptions | undefined,
): TransactionList {
  const { first, walk } = startWalk(context, query, options);
  async function* pages(): AsyncGenerator<TransactionPage> {
    for await (const page of walk()) yield toTransactionPage(page);
  }
  async function* rows(): AsyncGenerator<Transaction> {
    for await (const page of pages()) yield* page.transactions;
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: rows });
}

/** A page of transactions as read from its response. */
export interface ReadPage extends Rows, RowArray, PagePlace {
  readonly received: ServiceResponse;
}

function toTransactionPage({ rows, pagination }: Pick<ReadPage, 'rows' | 'pagination'>): TransactionPage {
  return { transactions: rows.map(({ transaction }) => transaction), pagination };
}

const LIST = { operation: 'listTransactions', method: 'GET', path: '/transactions' } as const;

/** Requests the first page of transactions. `walk` requests each further one when it is needed. */
export function startWalk(
  context: ClientContext,
  query?: TransactionQuery,
  options?: CallOptions,
): { readonly first: Call<TransactionPage>; readonly walk: () => AsyncGenerator<ReadPage> } {
  const request = (next?: PageQuery): { call: Call<TransactionPage>; load: () => Promise<ReadPage> } => {
    let loaded: ReadPage;
    const call = startCall<TransactionPage>(context, options, async (started) => {
      // Undocumented filter values are sent: the service may know them.
      const { page, ...filters } = parseQuery(query);
      // The first page is requested without a number, because services count from 0 or from 1.
      const pageQuery = { ...(page !== undefined && page !== 1 && { page }), ...filters, ...next };
      return callOperation(started, { ...LIST, query: pageQuery }, (_, received) => {
        loaded = readPage(received, pageQuery.page);
        return toTransactionPage(loaded);
      });
    });
    return { call, load: async () => call.then(() => loaded) };
  };
  const first = request();
  return {
    first: first.call,
    walk: () => walkPages(first.load, async (next) => request(next).load(), query),
  };
}

/** The documented number of rows of a page (docs/contract.md#transactions). */
const DEFAULT_SIZE = 20;

/**
 * Yields pages from the first one until the service states the end, or sends no further rows and nothing says that
 * there are more. Throws if the walk cannot go on otherwise. A row that moves to a later page because of new
 * rows is yielded once. Rows without an id are compared as whole pages.
 */
async function* walkPages(
  loadFirst: () => Promise<ReadPage>,
  loadNext: (query: PageQuery) => Promise<ReadPage>,
  query: TransactionQuery | undefined,
): AsyncGenerator<ReadPage> {
  let page = await loadFirst();
  // The query was checked with the first request.
  const { page: start = 1, per_page = DEFAULT_SIZE } = query ?? {};
  const filterNew = createRowFilter();
  let [newPages, repeatedPages] = [0, 0];
  let received = (start - 1) * per_page;
  let total = Infinity;
  for (let previous: ReadPage | undefined; ;) {
    const { next, isNextStated, isEndAssumed, items, pagination } = page;
    const newRows = filterNew(page);
    [newPages, repeatedPages] = newRows ? [newPages + 1, 0] : [newPages, repeatedPages + 1];
    // After a first page without a number, page 1 can be the first page again.
    if (!previous && next?.page === 1) repeatedPages -= 1;
    if (newRows) received += items.length;
    // Rows that are added meanwhile raise the total, and need not be read.
    total = Math.min(total, pagination.total ?? Infinity);
    if (newRows || !previous) yield { ...page, rows: newRows ?? [] };
    if (next === undefined) {
      // A service that ignores the number in the request repeats its rows.
      if (isEndAssumed && !newRows && items.length > 0) throw createEndError(page.received);
      return;
    }
    // A service that stated a next page before, and now states nothing, has reached the end.
    const isSilent = !isNextStated && previous?.isNextStated;
    const isSameQuery = !newRows && JSON.stringify(next) === JSON.stringify(previous?.next);
    // New rows can push old ones to the next page, so one page of repeated rows is not the end.
    const isRepeated = !isSilent && (isSameQuery || repeatedPages > newPages);
    const isStopped = items.length === 0 || isSilent || isRepeated;
    const following = isStopped
      ? undefined
      : await loadNext(next).catch((error: unknown) => {
          // A page that is only supposed to exist.
          if (isNextStated || !(error instanceof NotFoundError)) throw error;
          return undefined;
        });
    if (following === undefined) {
      const size = Math.min(per_page, pagination.per_page ?? Infinity);
      // A service that ignores `page` can ignore `per_page` too.
      const isFull = isRepeated && (items.length >= size || items.length === DEFAULT_SIZE);
      const hasUnread = total < Infinity ? received < total : isFull;
      const { source, response } = page.received;
      if (isNextStated || saysMore(source.body, response.headers) || hasUnread)
        throw createEndError(page.received);
      return;
    }
    previous = page;
    page = following;
  }
}

function createEndError(received: ServiceResponse): Error {
  const problem = `more rows exist, but no page has them. ${describeEnvelope(received.source.body)}`;
  return createUnreadableError(received, problem, 'list_cannot_continue');
}

/** Creates a function that returns the rows of a page that are on no earlier page, or undefined if there are none. */
function createRowFilter(): (page: ReadPage) => readonly TransactionRow[] | undefined {
  const ids = new Set<string>();
  const seenPages = new Set<string>();
  return ({ rows, unreadable, items }) => {
    const hasIds = unreadable.length === 0 && rows.every(({ transaction }) => transaction.id !== null);
    // Rows without an id can be equal, so only a page that equals an earlier one in full is a repetition.
    const isRepeated = !hasIds && !addNew(seenPages, JSON.stringify(redactJson(items)));
    const newRows = rows.filter(({ transaction: { id } }) => (id === null ? !isRepeated : addNew(ids, id)));
    return newRows.length > 0 || (unreadable.length > 0 && !isRepeated) ? newRows : undefined;
  };
}

/** Adds a value to a set. Returns whether it is new. */
function addNew(set: Set<string>, value: string): boolean {
  return !set.has(value) && set.add(value) === set;
}

/**
 * Reads a page, and warns of omitted rows.
 *
 * @throws {UnreadableResponseError} when the array with the rows cannot be determined.
 */
function readPage(received: ServiceResponse, page: string | number | undefined): ReadPage {
  const { source, asked, response } = received;
  const { body } = source;
  const array = findRowArray(body);
  if ('problem' in array) throw createUnreadableError(received, array.problem);
  const { rows, unreadable } = readRows(array, source, asked);
  if (unreadable.length > 0) {
    const problems = listSome(
      unreadable.map(({ problem }) => problem),
      3,
    );
    const count = `${unreadable.length} of ${array.items.length}`;
    source.warn('unreadable_row', `Left out ${count} transactions of a page: ${problems}.`);
  }
  const place = readPlace(body, array, response.headers, page === undefined ? undefined : Number(page));
  return { ...array, ...place, rows, unreadable, received };
}

/**
 * Reads a page of transactions from a response that was requested without a client, in the same way as
 * `transactions.list`. Returns the `problem` if the array with the rows cannot be determined. Never throws.
 */
export function readTransactionPage(response: {
  /** The response body. */
  readonly text: string;
  /** The response headers. `Link` can name the next page. */
  readonly headers: Headers;
  /** The `page` parameter of the request; absent for the first page. */
  readonly page?: number | undefined;
}): (RowArray & PagePlace) | PageProblem {
  const { text, headers, page } = response;
  const body = parseJson(text);
  const array = findRowArray(body);
  return 'problem' in array ? array : { ...array, ...readPlace(body, array, headers, page) };
}

const fields = {
  page: wholeNumber(Number.MAX_SAFE_INTEGER, 1),
  per_page: wholeNumber(100, 1),
  status: nonEmptyText,
  type: nonEmptyText,
} as const satisfies Record<keyof TransactionQuery, Field>;

/**
 * Checks a query and omits undefined parameters.
 *
 * @throws {ValidationError} (`not_sent`) when a parameter is unknown or invalid.
 */
function parseQuery(value: unknown = {}): PageQuery {
  const query = parseObject(value, { name: 'The query', fields, createError: createValidationError });
  return omitUndefined(query) as PageQuery;
}
