import { checkAll, count, type Rule } from '../options/check.ts';
import { refuse } from '../errors/refuse.ts';
import { isRecord, type JsonObject, orNull, readRows } from '../values/json.ts';
import type {
  Mode,
  Pagination,
  Transaction,
  TransactionPage,
  TransactionStatus,
  TransactionType,
} from '../values/models.ts';
import { readMoney, type Source } from '../values/money.ts';
import { findRows, readPagination } from './page-shape.ts';
import { type LoadedPage, type PageQuery, type Pages, toPages } from './pages.ts';
import { type Call, type Reading, startCall } from '../transport/call.ts';
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
   * Reads every usual shape of pages, and ends where the service says so, at an empty page or where pages repeat.
   *
   * @throws ValidationError for a query that is wrong, `not_sent` where it is seen before sending.
   * @throws ServiceError of another class for anything else that fails.
   */
  readonly list: (query?: TransactionQuery, options?: CallOptions) => TransactionList<M>;
};

/** Makes the transactions of a client. */
export function createTransactions<M extends Mode>(transport: Transport): Transactions<M> {
  return {
    list: (query, options) => {
      const shapes = new WeakMap<TransactionPage, Omit<LoadedPage, 'page'>>();
      const ask = (more?: PageQuery): Call<TransactionPage, M> =>
        startCall(transport, options, async ({ ask: askFor }) => {
          // Values that the contract does not name go out too: the service may know them.
          const asked: PageQuery = { page: 1, ...parseQuery(query), ...more };
          const question = { operation: 'listTransactions', path: '/transactions', query: asked } as const;
          return askFor(question, (data, reading) => {
            const { pagination, ...shape } = readPagination({ ...reading, page: Number(asked.page) });
            const page = toPage(data, reading, pagination);
            if (page !== undefined) shapes.set(page, shape);
            return page;
          });
        });
      const load = async (call: Promise<TransactionPage>): Promise<LoadedPage> => {
        const page = await call;
        return { page, ...(shapes.get(page) as Omit<LoadedPage, 'page'>) };
      };
      const first = ask();
      const pages = toPages({
        first: () => load(first),
        next: (more) => load(ask(more)),
        cutShort: () => transport.settings.warn({ code: 'list_cut_short', message: cutShort }),
      });
      return Object.assign(first, pages);
    },
  };
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

function toPage(data: JsonObject, { source }: Reading, pagination: Pagination): TransactionPage | undefined {
  const rows = findRows(data);
  // Where no row names a payment or a reference, the service shows no such fields, which is not the same as none.
  const named = Array.isArray(rows) && rows.some((row) => isRecord(row) && names.some((name) => name in row));
  const transactions = readRows(rows, (raw) => toTransaction(raw, source, named ? details : []));
  return transactions && { transactions, pagination };
}

function toTransaction(
  raw: JsonObject,
  source: Source,
  shown: readonly (keyof Transaction)[],
): Transaction | undefined {
  if (typeof raw.id !== 'string') return undefined;
  const record = { ...raw };
  for (const name of details) if (name in raw || shown.includes(name)) record[name] = orNull(raw[name]);
  return readMoney<Transaction>({ record, raw, source }, ['amount', 'fee', 'balance_after']);
}

const names = ['payment_id', 'reference'] as const;
const details = ['fee', 'balance_after', ...names] as const;
