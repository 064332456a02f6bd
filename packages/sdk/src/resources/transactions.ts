import type { paths } from '@service/contract';
import { type Field, parseJson, parseObject, wholeNumber } from '@service/internal';
import type { AmountSource } from '../money.ts';
import type { ClientContext } from '../transport/response.ts';
import type { Mode, Transaction, TransactionPage, TransactionStatus, TransactionType } from '../models.ts';
import type { OperationRequest } from '../transport/call.ts';
import { createValidationError, NotFoundError } from '../errors.ts';
import { type CallOptions, omitUndefined } from '../options.ts';
import { type LoadedPage, type PageQuery, type Pages, type ReadPage, walkPages } from './pages.ts';
import { type PageReading, readPagination } from './pagination.ts';
import type { UnreadablePage } from './row-array.ts';
import {
  type AskedPage,
  findFormat,
  type TransactionFormat,
  type TransactionReader,
} from './transaction-format.ts';
import { readTransactions, type TransactionReading } from './transaction-reader.ts';
import { type Call, callOperation, startCall } from '../transport/call.ts';
import { type CallResult, createUnreadableError, type ServiceResponse } from '../transport/response.ts';

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
  readonly status?: TransactionStatus | undefined;
  /**
   * The type of the rows.
   *
   * @default all
   * @example 'refund'
   */
  readonly type?: TransactionType | undefined;
}

/** A promise of the first page that is also an async iterable of the rows of all pages. */
export type TransactionList<M extends Mode = Mode> = Call<TransactionPage, M> &
  Pages<TransactionPage, Transaction>;

/** The transaction operation: `GET /transactions`. */
export interface Transactions<M extends Mode = Mode> {
  /**
   * Returns the transactions, newest first. Requests the first page immediately and each further page when it
   * is needed.
   *
   * Reads the page formats of common frameworks. The iteration ends where the service states the end, or where no
   * further rows come and nothing says that there are more. It never ends early without an error. A row that
   * cannot be read is omitted with the warning `unreadable_row`. A row without an id has `id: null` and can
   * appear twice.
   *
   * With `status`, a row that loses this status during the iteration moves later rows to a page that was
   * already read. Iterate without `status` to miss none.
   *
   * @throws {UnreadableResponseError} when no array of a page, or more than one, can contain the rows; with the
   * `code` `list_cannot_continue` when there are more rows, but no way to them.
   * @throws {ValidationError} when the query is invalid; `not_sent` if the client found the error.
   * @throws {ServiceError} when the request fails for another reason.
   */
  readonly list: (query?: TransactionQuery, options?: CallOptions) => TransactionList<M>;
}

/** Creates the transaction operation of a client. */
export function createTransactions<M extends Mode>(context: ClientContext): Transactions<M> {
  return {
    list: (query, options) => {
      const { first, walk } = startWalk<M>(context, query, options);
      async function* pages(): AsyncGenerator<TransactionPage> {
        for await (const { page } of walk()) yield page;
      }
      async function* rows(): AsyncGenerator<Transaction> {
        for await (const { page } of walk()) yield* page.transactions;
      }
      return Object.assign(first, { pages, [Symbol.asyncIterator]: rows });
    },
  };
}

const listTransactions = {
  operation: 'listTransactions',
  method: 'GET',
  path: '/transactions',
} as const satisfies OperationRequest;

/** An iteration over pages of transactions. Its first page is already requested. */
export interface TransactionWalk<M extends Mode> {
  readonly first: Call<TransactionPage, M>;
  /** Yields each page with new rows, its reading and the headers of its response. */
  readonly walk: () => AsyncGenerator<ReadPage>;
}

/** Requests the first page of transactions. `walk` requests each further one when it is needed. */
export function startWalk<M extends Mode>(
  context: ClientContext,
  query?: TransactionQuery,
  options?: CallOptions,
): TransactionWalk<M> {
  const { transactionFormat: format } = context.settings;
  const toFirstQuery = format?.page?.toFirstQuery ?? omitFirstPage;
  const loaded = new WeakMap<TransactionPage, LoadedPage>();
  let isZeroBased = false;
  const request = (next?: PageQuery): Call<TransactionPage, M> =>
    startCall(context, options, async (call) => {
      const requestPage = (pageQuery: PageQuery): Promise<CallResult<TransactionPage, M>> =>
        callOperation(call, { ...listTransactions, query: pageQuery }, (_, response) => {
          const loadedPage = readPage(response, pageQuery, { format, isZeroBased });
          loaded.set(loadedPage.page, loadedPage);
          return loadedPage.page;
        });
      // Undocumented filter values are sent: the service may know them.
      const pageQuery: PageQuery = { ...toFirstQuery(parseQuery(query)), ...next };
      const result = await requestPage(pageQuery);
      if (next !== undefined) return result;
      isZeroBased = loaded.get(result.data)?.isZeroBased === true;
      const isLaterPage = isZeroBased && pageQuery.page !== undefined;
      return isLaterPage ? requestPage({ ...pageQuery, page: Number(pageQuery.page) - 1 }) : result;
    });
  const load = async (call: Promise<TransactionPage>): Promise<LoadedPage> =>
    loaded.get(await call) as LoadedPage;
  const first = request();
  const walk = (): AsyncGenerator<ReadPage> =>
    walkPages({
      first: () => load(first),
      next: (nextQuery) => load(request(nextQuery)),
      isPastEnd: (error) => error instanceof NotFoundError,
      query,
    });
  return { first, walk };
}

/** Omits the number of the first page, because services count from 0 or from 1. */
function omitFirstPage(query: PageQuery): PageQuery {
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => name !== 'page' || value !== 1));
}

/** The reader of the pages of a service, and how the service counts. */
interface PageKnowledge {
  readonly format: TransactionFormat | undefined;
  /** Whether the first page had the number 0. */
  readonly isZeroBased?: boolean;
}

/**
 * Reads a page and warns of omitted rows.
 *
 * @throws {UnreadableResponseError} when the array with the rows cannot be determined.
 */
function readPage(received: ServiceResponse, query: PageQuery, known: PageKnowledge): LoadedPage {
  const { source, asked, response } = received;
  const reading = readTransactions(source, asked, known.format);
  if ('problem' in reading) throw createUnreadableError(received, reading.problem);
  warnOfUnreadable(reading, source);
  const { rows } = reading;
  const { headers } = response;
  const { pagination, ...position } = readPosition({ ...source, headers, query }, reading, known);
  const transactions = rows.map(({ transaction }) => transaction);
  return { page: { transactions, pagination }, reading, headers, received, ...position };
}

function readPosition(
  { query, ...response }: Omit<AskedPage, 'count'>,
  { arrayPath, rows, unreadable }: TransactionReading,
  { format, isZeroBased = false }: PageKnowledge,
): PageReading {
  const count = rows.length + unreadable.length;
  if (format?.page) return format.page.readPage({ ...response, query, count });
  const page = query.page === undefined ? undefined : Number(query.page);
  return readPagination({ ...response, page, isZeroBased, arrayPath, count });
}

/** A response to `GET /transactions` for `readTransactionPage`. */
export interface TransactionPageSource {
  /** The response body. As text it keeps all digits of its numbers. */
  readonly text: string;
  /** The response headers. `Link` can name the next page. */
  readonly headers: Headers;
  /** The mode of the API key of the request. */
  readonly mode: Mode;
  /**
   * The `page` parameter of the request.
   *
   * @default none, for the first page
   */
  readonly page?: number | undefined;
  /**
   * The reader of the profile of the service.
   *
   * @default none
   */
  readonly reader?: TransactionReader | undefined;
}

/** The rows of a page and the query of the next page, which is undefined on the last one. */
export type TransactionPageReading = TransactionReading & Pick<PageReading, 'pagination' | 'next'>;

/**
 * Reads a page of transactions from a response that was requested without a client, in the same way as
 * `transactions.list`. Returns the reason if the array with the rows cannot be determined. Never throws.
 */
export function readTransactionPage(page: TransactionPageSource): TransactionPageReading | UnreadablePage {
  const { text, headers, mode } = page;
  const body = parseJson(text);
  const format = findFormat(page.reader);
  const reading = readTransactions({ text, body, warn: () => {} }, mode, format);
  if ('problem' in reading) return reading;
  const asked: PageQuery = omitUndefined({ page: page.page });
  const query = format?.page?.toFirstQuery(asked) ?? asked;
  const { pagination, next } = readPosition({ body, headers, query }, reading, { format });
  return { ...reading, pagination, next };
}

/** Maximum number of rows in a warning. */
const MAX_WARNED_ROWS = 3;

function warnOfUnreadable({ unreadable, rows }: TransactionReading, { warn }: AmountSource): void {
  if (unreadable.length === 0) return;
  const named = unreadable.slice(0, MAX_WARNED_ROWS).map(({ path, reason }) => `${path} ${reason}`);
  const rest = unreadable.length > named.length ? `; and ${unreadable.length - named.length} more` : '';
  const share = `${unreadable.length} of ${rows.length + unreadable.length}`;
  warn('unreadable_row', `Left out ${share} transactions of a page: ${named.join('; ')}${rest}.`);
}

const word: Field<string> = {
  expected: 'a string that is not empty',
  parse: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
};
type DocumentedQuery = NonNullable<paths['/transactions']['get']['parameters']['query']>;

const fields = {
  page: wholeNumber(Number.MAX_SAFE_INTEGER, 1),
  per_page: wholeNumber(100, 1),
  status: word,
  type: word,
} as const satisfies Record<keyof TransactionQuery | keyof DocumentedQuery, Field>;

/**
 * Checks a query and omits undefined parameters.
 *
 * @throws {ValidationError} (`not_sent`) when a parameter is unknown or invalid.
 */
function parseQuery(value: unknown = {}): PageQuery {
  return omitUndefined(parseObject(value, { name: 'The query', fields, createError: createValidationError }));
}
