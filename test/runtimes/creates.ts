import { createMock, type Mock, type RequestFaultOptions } from '@service/mock';
import {
  type Client,
  type ClientOptions,
  createClient,
  PaymentOutcomeUnknownError,
  type PaymentTrace,
} from '@service/sdk';
import { faultCases } from '../scenarios/faults.ts';
import { assertMatch, type Case, errorOf } from './case.ts';

const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00' };

/** The body of a payment. */
export const order = {
  ...exchange,
  beneficiary_name: 'José 株式会社',
  beneficiary_account: 'DE89370400440532013000',
  purpose: 'INV-42',
};

/** A mock and a client of its account. */
export interface Service {
  readonly mock: Mock;
  readonly client: Client;
  readonly connect: (options?: ClientOptions) => Client;
  /** Returns the ids of the created payments. */
  readonly created: () => string[];
  /** Returns the number of creates that reached the mock. */
  readonly posts: () => number;
}

/** Creates a mock whose faults are injected for creates. */
export function createService(faults: readonly RequestFaultOptions[] = []): Service {
  const mock = createMock({ clock: 'manual' });
  for (const fault of faults) mock.sandbox.faults.inject({ operation: 'createPayment', ...fault });
  const connection = { apiKey: mock.account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch };
  const defaults = { ...connection, allowBrowser: true, readLag: 0, timeout: 20_000, onWarning: () => {} };
  const connect = (options?: ClientOptions): Client => createClient({ ...defaults, ...options });
  const list = (): ReturnType<Mock['sandbox']['requests']['list']> =>
    mock.sandbox.requests.list({ operation: 'createPayment' });
  return {
    mock,
    connect,
    client: connect(),
    posts: () => list().length,
    created: () => [
      ...new Set(list().flatMap(({ effects }) => (effects.payment_id === null ? [] : [effects.payment_id]))),
    ],
  };
}

const outcomes: readonly Case[] = faultCases.map(({ fault, ending, isCreated }) => ({
  name: `a create with the fault ${JSON.stringify(fault)}: sent once, ${ending}`,
  async run() {
    const { connect, created, posts } = createService([fault]);
    const client = connect({ maxRetries: 0, ...(fault.kind === 'stalled' && { timeout: 300 }) });
    const result: unknown = await client.payments.create(order).catch((error: unknown) => error);
    assertMatch([posts(), created().length], [1, isCreated ? 1 : 0], 'creates and payments');
    assertMatch(result, ending === 'resolves' ? { id: created()[0] } : { outcome: ending });
    assertMatch(result instanceof PaymentOutcomeUnknownError, ending === 'unknown');
  },
}));

/** After a create with retries the client knows of every payment, by the response or by a search. */
const searches: readonly Case[] = faultCases.map(({ fault }) => ({
  name: `a create with retries and the fault ${JSON.stringify(fault)}: one payment at most, which is found`,
  async run() {
    const { connect, client: reader, created } = createService([fault]);
    const client = connect({ maxRetries: 2, ...(fault.kind === 'stalled' && { timeout: 300 }) });
    const result: unknown = await client.payments.create(order).catch((error: unknown) => error);
    const ids = created();
    if (ids.length > 1) throw new Error(`The create made ${ids.length} payments.`);
    if (result instanceof PaymentOutcomeUnknownError) {
      const found = await reader.payments.reconcile(result);
      assertMatch(
        found,
        ids.length === 1 ? { result: 'found', payment: { id: ids[0] } } : { result: 'not_found_yet' },
      );
    } else assertMatch((result as { id?: string }).id, ids[0]);
  },
}));

const lost: RequestFaultOptions = { kind: 'reset_after_commit' };

/** Creates and reads of the client, over the `fetch` of a mock. */
export const creates: readonly Case[] = [
  ...outcomes,
  ...searches,
  {
    name: 'a create within keyRetention: sent again with its key, one payment',
    async run() {
      const { connect, created, posts } = createService([lost]);
      const client = connect({ keyRetention: 86_400_000, idempotencyKeys: 'send' });
      const { id } = await client.payments.create(order);
      assertMatch([created(), posts()], [[id], 2]);
    },
  },
  {
    name: 'a create whose response does not come: unknown, one payment',
    async run() {
      const { connect, mock, created } = createService();
      const fetch: typeof mock.fetch = async (input, init) => {
        await mock.fetch(input, init);
        return new Promise<never>(() => {});
      };
      const error = await errorOf(connect({ fetch, timeout: 200 }).payments.create(order));
      assertMatch(error, {
        name: 'PaymentOutcomeUnknownError',
        attempts: 1,
        cause: { name: 'TimeoutError' },
      });
      assertMatch(created().length, 1);
    },
  },
  {
    name: 'a create that is aborted in flight: unknown, sent once',
    async run() {
      const { connect, mock, posts } = createService();
      const controller = new AbortController();
      const fetch: typeof mock.fetch = async (input, init) => {
        await mock.fetch(input, init);
        controller.abort();
        return new Promise<never>(() => {});
      };
      const create = connect({ fetch }).payments.create(order, { signal: controller.signal });
      assertMatch(await errorOf(create), {
        name: 'PaymentOutcomeUnknownError',
        cause: { name: 'AbortError' },
      });
      assertMatch(posts(), 1);
    },
  },
  {
    name: 'a create that is already aborted: not sent',
    async run() {
      const { client, posts } = createService();
      const error = await errorOf(client.payments.create(order, { signal: AbortSignal.abort() }));
      assertMatch(error, { name: 'AbortError', outcome: 'not_sent', attempts: 0 });
      assertMatch(posts(), 0);
    },
  },
  {
    name: 'a create with an invalid amount: not sent',
    async run() {
      const { client, posts } = createService();
      for (const amount of [0.1 + 0.2, '0', '-1', '1e3', 'ten', Number.NaN, '1.001']) {
        const error = await errorOf(client.payments.create({ ...order, amount }));
        assertMatch(error, { name: 'ValidationError', outcome: 'not_sent', attempts: 0 });
      }
      assertMatch(posts(), 0);
    },
  },
  {
    name: 'a create beyond the balance: rejected',
    async run() {
      const { client, created } = createService();
      const error = await errorOf(client.payments.create({ ...order, amount: '99999999.00' }));
      assertMatch(error, { name: 'InsufficientFundsError', outcome: 'rejected', attempts: 1 });
      assertMatch(created(), []);
    },
  },
  {
    name: 'a create after a typed 429: sent again, one payment',
    async run() {
      const { client, created, posts } = createService([{ kind: 'rate_limit', retryAfter: 0 }]);
      const { id } = await client.payments.create(order);
      assertMatch([created(), posts()], [[id], 2]);
    },
  },
  {
    name: 'a read after a 500 and a reset: sent again',
    async run() {
      const { client, mock } = createService();
      mock.sandbox.faults.inject({ operation: 'getBalance', kind: 'status', status: 500 });
      mock.sandbox.faults.inject({ operation: 'getBalance', kind: 'reset_before_commit' });
      const { data, attempts } = await client.balance.retrieve().withResponse();
      assertMatch([attempts, data.balances.length], [3, 3]);
    },
  },
  {
    name: 'quotes, payments and transactions, read as they were made',
    async run() {
      const { client, mock } = createService();
      assertMatch(await client.quotes.create(exchange), { send_amount: 10, fee: 0.05, rate: 0.9213 });
      const { id } = await client.payments.create(order);
      await mock.sandbox.clock.advance('1h');
      assertMatch(await client.payments.retrieve(id), { status: 'completed', purpose: 'INV-42' });
      const { transactions } = await client.transactions.list();
      if (!transactions.some(({ amount }) => amount === -10)) throw new Error('The debit is not listed.');
      assertMatch(await errorOf(client.payments.retrieve(`pay_test_${'0'.repeat(24)}`)), {
        name: 'NotFoundError',
        status: 404,
      });
    },
  },
  {
    name: 'waitFor, until the payment is final',
    async run() {
      const { client, mock } = createService();
      const { id } = await client.payments.create(order);
      await mock.sandbox.clock.advance('1h');
      assertMatch(await client.payments.waitFor(id), { id, status: 'completed' });
    },
  },
  {
    name: 'reconcile of a create whose request was lost, before and after the read lag',
    async run() {
      const { connect, mock } = createService([{ kind: 'reset_before_commit' }]);
      const error = await errorOf(connect().payments.create(order));
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
      const patient = connect({ readLag: 60_000 });
      assertMatch(await patient.payments.reconcile(error), { result: 'cannot_tell', reason: 'read_lag' });
      assertMatch(await connect().payments.reconcile(error), { result: 'not_found_yet' });
      assertMatch(mock.sandbox.requests.list({ operation: 'createPayment' }).length, 1);
    },
  },
  {
    name: 'reconcile with the JSON of an error and the beneficiary',
    async run() {
      const { client, created } = createService([lost]);
      const error = await errorOf(client.payments.create(order));
      const json = JSON.parse(JSON.stringify(error)) as PaymentTrace;
      const { beneficiary_name, beneficiary_account } = order;
      const sent = { ...json.sent, beneficiary_name, beneficiary_account };
      assertMatch(await client.payments.reconcile({ ...json, sent }), {
        result: 'found',
        payment: { id: created()[0] },
      });
    },
  },
  {
    name: 'two equal creates of unknown outcome: ambiguous, never one for the other',
    async run() {
      const { client, created } = createService([{ ...lost, times: 2 }]);
      const first = await errorOf(client.payments.create(order));
      await errorOf(client.payments.create(order));
      if (!(first instanceof PaymentOutcomeUnknownError)) throw first;
      assertMatch(await client.payments.reconcile(first), { result: 'ambiguous' });
      assertMatch(created().length, 2);
    },
  },
  {
    name: 'a create of unknown outcome beside an equal one that succeeded: found, not taken for the other',
    async run() {
      const { client, created } = createService([lost]);
      const error = await errorOf(client.payments.create(order));
      const { id } = await client.payments.create(order);
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
      const [first] = created();
      assertMatch(first === id, false);
      assertMatch(await client.payments.reconcile(error, { exclude: [id] }), {
        result: 'found',
        payment: { id: first },
      });
    },
  },
];
