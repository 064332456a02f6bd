import { refuse } from '../errors/refuse.ts';
import { copyOwn, isRecord, type JsonObject, readRows } from '../json.ts';
import type { Mode, Transaction, TransactionPage, TransactionStatus, TransactionType } from '../models.ts';
import { readMoney } from '../money.ts';
import { describeUnknown } from '../nearest.ts';
import { type Pages, toPages } from '../pages.ts';
import { type Call, type CallOptions, startCall } from '../transport/call.ts';
import type { Transport } from '../transport/send.ts';
import type { Api } from './api.ts';

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
   * @throws UnreadableResponseError where the walk would have to end while the service promises more.
   * @throws ValidationError for a query that is wrong, `not_sent` where it is seen before sending.
   * @throws ServiceError of another class for anything else that fails.
   */
  readonly list: (query?: TransactionQuery, options?: CallOptions) => TransactionList<M>;
};

/** Makes the transactions of a client. */
export function createTransactions<M extends Mode>(api: Api, transport: Transport): Transactions<M> {
  return {
    list: (query, options) => {
      const load = (offset: number): Call<TransactionPage, M> =>
        startCall(transport, options, async ({ ask }) => {
          const { page = 1, ...filters } = parseQuery(query);
          // Filters that the contract does not name go out too: the service may know them.
          const params = { query: { page: page + offset, ...filters } as Record<string, unknown> };
          return ask((init) => api.GET('/transactions', { ...init, params }), toPage);
        });
      const first = load(0);
      return Object.assign(first, toPages(first, load));
    },
  };
}

const queryLimits = {
  page: Number.MAX_SAFE_INTEGER,
  per_page: 100,
  status: undefined,
  type: undefined,
} as const satisfies Record<keyof TransactionQuery, number | undefined>;

function parseQuery(value: unknown = {}): TransactionQuery {
  if (!isRecord(value)) throw refuse('The query must be an object such as { per_page: 100 }.');
  const query = copyOwn(Object.fromEntries(Object.entries(value).filter(([, given]) => given !== undefined)));
  for (const [name, given] of Object.entries(query)) {
    if (!Object.hasOwn(queryLimits, name)) throw refuse(describeUnknown(name, Object.keys(queryLimits)));
    checkQuery(name, given, queryLimits[name as keyof TransactionQuery]);
  }
  return query;
}

function checkQuery(name: string, given: unknown, most: number | undefined): void {
  if (most === undefined) {
    if (typeof given !== 'string' || given === '')
      throw refuse(`${name} must be a string that is not empty.`);
  } else if (!Number.isSafeInteger(given) || Number(given) < 1 || Number(given) > most) {
    throw refuse(`${name} must be a whole number from 1${name === 'per_page' ? ' to 100' : ''}.`);
  }
}

function toPage({ transactions, pagination }: JsonObject): TransactionPage | undefined {
  if (!isRecord(pagination) || typeof pagination.has_more !== 'boolean') return undefined;
  const rows = readRows(transactions, toTransaction);
  return rows && ({ transactions: rows, pagination } as unknown as TransactionPage);
}

function toTransaction(row: JsonObject): Transaction | undefined {
  if (typeof row.id !== 'string') return undefined;
  return readMoney<Transaction>(row, { amount: true, fee: true, balance_after: true });
}
