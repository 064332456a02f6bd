import { createMock, type Mock, type RequestFaultOptions } from '@service/mock';
import { type Client, type ClientOptions, createClient, PaymentOutcomeUnknownError } from '@service/sdk';
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
];
