import { isRecord } from '@service/internal';
import { prepareBody, quoteFields } from './body.ts';
import { hide } from './errors.ts';
import { assertKeyAllowed } from './key.ts';
import type { Balance, Quote, QuoteInput, Unchecked, Wallet } from './models.ts';
import { readMoney } from './money.ts';
import { type CallOptions, type ClientOptions, parseOptions } from './options.ts';
import { CLIENT_ACCESS, createPayments, type Payments } from './payments.ts';
import {
  listTransactions,
  type TransactionList,
  type TransactionQuery,
} from './transactions/transactions.ts';
import { type Call, callOperation, startCall } from './transport/call.ts';
import { type Clock, systemClock } from './transport/deadline.ts';
import type { ClientContext, ServiceResponse } from './transport/response.ts';

/** A client of the payments API with one API key. */
export interface Client {
  /** Exchange quotes: `POST /quotes`. */
  readonly quotes: {
    /**
     * Quotes an exchange: the rate, the fee and the amount that the beneficiary would receive. A quote is
     * indicative and not stored.
     *
     * @throws {ValidationError} when the body is invalid; `not_sent` if the client found the error.
     * @throws {ServiceError} when the request fails for another reason.
     */
    readonly create: (body: QuoteInput, options?: CallOptions) => Call<Quote>;
  };
  /** Payments: create, retrieve, wait for a status, and reconcile an unknown outcome. */
  readonly payments: Payments;
  /** Wallet balances: `GET /balance`. */
  readonly balance: {
    /**
     * Retrieves all wallets with their available balances.
     *
     * @throws {ServiceError} when the request fails.
     */
    readonly retrieve: (options?: CallOptions) => Call<Balance>;
  };
  /** The transaction history of the wallets: `GET /transactions`. */
  readonly transactions: {
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
    readonly list: (query?: TransactionQuery, options?: CallOptions) => TransactionList;
  };
}

/**
 * Creates a client of the payments API. It opens no connection, and the API key cannot be read from it.
 *
 * @throws {ConfigurationError} when an option is invalid, or the API key must not be used in this
 * environment.
 * @example
 * const client = createClient({ apiKey: 'service_test_…', baseUrl: 'http://localhost:4010/api/v1' });
 * const { balances } = await client.balance.retrieve();
 */
export function createClient(options?: ClientOptions): Client {
  return assembleClient(options, systemClock);
}

/** Creates a client with a given clock, for the tests of this package. */
export function assembleClient(options: unknown, clock: Clock): Client {
  const settings = parseOptions(options);
  if (typeof settings.apiKey !== 'function') assertKeyAllowed(settings.apiKey, settings);
  const context: ClientContext = { settings, clock };
  const { payments, access } = createPayments(context);
  const client: Client = {
    quotes: {
      create: (input, callOptions) =>
        startCall(context, callOptions, async (call) => {
          const body = prepareBody(input, quoteFields).json;
          return callOperation(call, { ...QUOTE, body }, readQuote);
        }),
    },
    payments,
    balance: {
      retrieve: (callOptions) =>
        startCall(context, callOptions, (call) => callOperation(call, BALANCE, readBalance)),
    },
    transactions: { list: (query, callOptions) => listTransactions(context, query, callOptions) },
  };
  hide(client, CLIENT_ACCESS, access);
  return client;
}

const QUOTE = { operation: 'createQuote', method: 'POST', path: '/quotes' } as const;

function readQuote(data: Unchecked<Quote>, { source }: ServiceResponse): Quote | undefined {
  if (data.rate === undefined || data.receive_amount === undefined) return undefined;
  return readMoney<Quote>({ ...data }, ['send_amount', 'fee', 'rate', 'receive_amount'], { source });
}

const BALANCE = { operation: 'getBalance', method: 'GET', path: '/balance' } as const;

function readBalance(data: Unchecked<Balance>, { source }: ServiceResponse): Balance | undefined {
  if (!Array.isArray(data.balances)) return undefined;
  const balances = data.balances.map((record: unknown, index) =>
    isRecord(record)
      ? readMoney<Wallet>({ ...record }, ['balance'], { source, path: ['data', 'balances', index] })
      : undefined,
  );
  return balances.includes(undefined) ? undefined : { ...data, balances: balances as Wallet[] };
}
