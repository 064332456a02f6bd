import { checkAll, count, type Rule } from '../options/check.ts';
import { refuse } from '../errors/refuse.ts';
import { parseJson } from '../values/json.ts';
import type {
  Mode,
  Transaction,
  TransactionPage,
  TransactionStatus,
  TransactionType,
} from '../values/models.ts';
import type { Source } from '../values/money.ts';
import { type LoadedPage, type PageQuery, type Pages, type ReadPage, walkPages } from './pages.ts';
import { type PageReading, readPagination } from './pagination.ts';
import type { UnreadablePage } from './row-array.ts';
import { readTransactions, type TransactionReading } from './transaction-reader.ts';
import { type Answered, type Call, type Reading, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/attempt.ts';

/** Lists what transactions can be asked by (spec §4). */
export type TransactionQuery = {
  /** Names the page to begin at, counted from 1. Default: 1. Example: `2`. */
  readonly page?: number | undefined;
  /** Says how many rows a page holds, 1 to 100. Default: the service's, 20. Example: `100`. */
  readonly per_page?: number | undefined;
  /** Keeps rows of one status. Default: all. Example: `'failed'`. */
  readonly status?: TransactionStatus | undefined;
  /** Keeps rows of one type. Default: all. Example: `'refund'`. */
  readonly type?: TransactionType | undefined;
};

/** Promises the first page when awaited, and goes through the rows of all pages with `for await`. */
export type TransactionList<M extends Mode = Mode> = Call<TransactionPage, M> &
  Pages<TransactionPage, Transaction>;

/** Lists what moved the wallets: `GET /transactions` (spec §4). */
export type Transactions<M extends Mode = Mode> = {
  /**
   * Lists transactions, newest first. The first page is asked for at once, each further one when it is needed. With a
   * `status`, rows that lose it during the walk move others to a page that was passed: walk without one to miss none.
   *
   * Reads the pages of common frameworks, and ends where the service says so, at an empty page or where pages repeat. A row that
   * cannot be read is left out with the warning `unreadable_row`. A row without an id has `id: null` and may be given twice.
   *
   * @throws UnreadableResponseError for a page on which no array, or more than one, may hold the rows.
   * @throws ValidationError for a query that is wrong, `not_sent` where it is seen before sending.
   * @throws ServiceError of another class for anything else that fails.
   */
  readonly list: (query?: TransactionQuery, options?: CallOptions) => TransactionList<M>;
};

/** Makes the transactions of a client. */
export function createTransactions<M extends Mode>(transport: Transport): Transactions<M> {
  return {
    list: (query, options) => {
      const { first, walk } = startWalk<M>(transport, query, options);
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

/** A walk through the pages of the transactions, with the first page already requested. */
export interface TransactionWalk<M extends Mode> {
  readonly first: Call<TransactionPage, M>;
  /** Yields each page that holds something new, with its reading and the headers of its response. */
  readonly walk: () => AsyncGenerator<ReadPage>;
}

/** Requests the first page of the transactions; `walk` requests each further one when it is needed. */
export function startWalk<M extends Mode>(
  transport: Transport,
  query?: TransactionQuery,
  options?: CallOptions,
): TransactionWalk<M> {
  const loaded = new WeakMap<TransactionPage, LoadedPage>();
  const request = (more?: PageQuery): Call<TransactionPage, M> =>
    startCall(transport, options, async ({ ask }) => {
      const askFor = (asked: PageQuery): Promise<Answered<TransactionPage, M>> =>
        ask({ operation: 'listTransactions', path: '/transactions', query: asked }, (_, answer) => {
          const one = readPage(answer, Number(asked.page) || 0);
          loaded.set(one.page, one);
          return one.page;
        });
      // Values that the contract does not name go out too: the service may know them.
      const asked: PageQuery = { page: 1, ...parseQuery(query), ...more };
      const answered = await askFor(asked);
      const isPageAfter = more === undefined && loaded.get(answered.data)?.isZeroBased;
      return isPageAfter ? askFor({ ...asked, page: Number(asked.page) - 1 }) : answered;
    });
  const load = async (call: Promise<TransactionPage>): Promise<LoadedPage> =>
    loaded.get(await call) as LoadedPage;
  const first = request();
  const walk = (): AsyncGenerator<ReadPage> =>
    walkPages({
      first: () => load(first),
      next: (more) => load(request(more)),
      cutShort: () => transport.settings.warn({ code: 'list_cut_short', message: cutShort }),
    });
  return { first, walk };
}

/** Reads a page and warns of the rows left out. Throws UnreadableResponseError if no array of it holds the rows. */
function readPage({ source, body, headers, asked, toUnreadable }: Reading, page: number): LoadedPage {
  const reading = readTransactions(source, asked);
  if ('problem' in reading) throw toUnreadable(reading.problem);
  warnOfUnreadable(reading, source);
  const { arrayPath, rows } = reading;
  const { pagination, ...position } = readPagination({ body, headers, page, arrayPath });
  const transactions = rows.map(({ transaction }) => transaction);
  return { page: { transactions, pagination }, reading, headers, ...position };
}

/** The parts of a response that `readTransactionPage` needs. */
export interface TransactionPageSource {
  /** The response body, as text so that no digit of a number is lost. */
  readonly text: string;
  readonly headers: Headers;
  /** The mode of the key that asked. */
  readonly mode: Mode;
  /** The `page` parameter of the request. */
  readonly page: number;
}

/** The rows of a page and the query of the next page, which is undefined on the last one. */
export type TransactionPageReading = TransactionReading & Pick<PageReading, 'pagination' | 'next'>;

/**
 * Reads a page of transactions from a response that was requested without a client, as `transactions.list` reads it. Returns
 * the reason instead if no array of the page holds the rows. Never throws.
 */
export function readTransactionPage(page: TransactionPageSource): TransactionPageReading | UnreadablePage {
  const { text, mode } = page;
  const body = parseJson(text);
  const reading = readTransactions({ text, body, warn: () => {} }, mode);
  if ('problem' in reading) return reading;
  const { pagination, next } = readPagination({ ...page, body, arrayPath: reading.arrayPath });
  return { ...reading, pagination, next };
}

const mostRowsNamed = 3;

function warnOfUnreadable({ unreadable, rows }: TransactionReading, { warn }: Source): void {
  if (unreadable.length === 0) return;
  const named = unreadable.slice(0, mostRowsNamed).map(({ path, reason }) => `${path} ${reason}`);
  const rest = unreadable.length > named.length ? `; and ${unreadable.length - named.length} more` : '';
  const share = `${unreadable.length} of ${rows.length + unreadable.length}`;
  warn('unreadable_row', `Left out ${share} transactions of a page: ${named.join('; ')}${rest}.`);
}

const cutShort =
  'The service says that there are more transactions, and its pages bring nothing new. Rows may be missing.';

const word: Rule<string> = [
  'a string that is not empty',
  (value) => (typeof value === 'string' && value !== '' ? value : undefined),
];
const rules = {
  page: count(Number.MAX_SAFE_INTEGER, 1),
  per_page: count(100, 1),
  status: word,
  type: word,
} as const satisfies Record<keyof TransactionQuery, Rule>;

/** Checks a query, and leaves out what it does not ask. @throws ValidationError (`not_sent`) */
function parseQuery(value: unknown = {}): PageQuery {
  const given = Object.entries(checkAll(value, { what: 'The query', rules, refuse })).filter(
    ([, asked]) => asked !== undefined,
  );
  return Object.fromEntries(given) as PageQuery;
}
