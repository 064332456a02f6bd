// The client, the command line and the receiver with services that are written only from the document of the service. Every
// result is compared with the responses of the service itself, not with other results of the client.
import { createServer } from 'node:http';
import {
  createClient,
  PaymentOutcomeUnknownError,
  type PaymentInput,
  type Reconciliation,
} from '@service/sdk';
import { createPayer, memoryStore, type Payer } from '@service/sdk/payer';
import { createReceiver, type PaymentEvent } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../packages/cli/test/support.ts';
import { type RunningTarget, startService } from '../support/judge/judge.ts';
import { listenAtFreePort } from '../support/listen.ts';
import { order } from '../support/order.ts';
import { referenceServices } from './services.ts';

const SPEED = 50;
const losses = ['before', 'after', '504', 'cut_body', 'hang'] as const;
type Loss = (typeof losses)[number];

/** A client, and a `fetch` that loses responses to creates. */
function connect({ target }: RunningTarget) {
  const { apiKey, baseUrl } = target;
  /** The ids of all created payments, oldest first. */
  const ids: string[] = [];
  let next: Loss | undefined;
  let giveUp: (() => void) | undefined;
  const losingFetch = async (request: Request): Promise<Response> => {
    if (request.method !== 'POST' || !request.url.endsWith('/payments')) return fetch(request);
    const loss = next;
    if (loss === 'before') {
      next = undefined;
      throw new TypeError('fetch failed');
    }
    const { signal } = request;
    const response = await fetch(request.clone());
    // A service can refuse a create because of its rate limit.
    if (!response.ok) return response;
    next = undefined;
    const text = await response.clone().text();
    ids.push((JSON.parse(text) as { data: { id: string } }).data.id);
    if (loss === 'after') throw new TypeError('fetch failed');
    if (loss === '504') return new Response('<h1>Gateway Timeout</h1>', { status: 504 });
    if (loss === 'cut_body') return new Response(text.slice(0, text.length / 3), response);
    if (loss !== 'hang') return response;
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    giveUp?.();
    return promise;
  };
  const options = {
    apiKey,
    baseUrl,
    fetch: (url: string, init: RequestInit) => losingFetch(new Request(url, init)),
    readLag: 1_000,
    onWarning: () => {},
  };
  const client = createClient(options);
  return {
    client,
    ids,
    cli: { env: { SERVICE_API_KEY: apiKey, SERVICE_BASE_URL: baseUrl }, fetch: losingFetch },
    loseNext: (loss: Loss) => void (next = loss),
    /** Pays a reference, and the response to the create is lost. */
    lose: async (payer: Payer, loss: Loss, body: PaymentInput): Promise<PaymentOutcomeUnknownError> => {
      next = loss;
      const caller = new AbortController();
      giveUp = () => caller.abort();
      const { signal } = caller;
      const error: unknown = await payer.pay(loss, body, { signal }).catch((thrown: unknown) => thrown);
      if (!(error instanceof PaymentOutcomeUnknownError))
        throw new Error('The outcome must be unknown.', { cause: error });
      return error;
    },
  };
}

/** Returns whether a result names another payment than the one of the lost create, or not that one. */
function isWrong(result: Reconciliation, own: string | undefined): boolean {
  if (result.result === 'found') return result.payment.id !== own;
  return own !== undefined && result.result === 'ambiguous' && !result.payments.some(({ id }) => id === own);
}

describe.each(referenceServices)('the client with the service $name', ({ name, accounts }) => {
  let running: RunningTarget;
  beforeAll(async () => {
    running = await startService(name, { speed: SPEED, webhookUrl: 'http://127.0.0.1:9/' });
  });
  afterAll(async () => running[Symbol.asyncDispose]());

  it('waits for payments to complete and to fail, and lists them', async () => {
    const { client } = connect(running);
    const created = await client.payments.create({ ...order, purpose: 'INV-1' });
    expect(created).toMatchObject({ status: 'pending', send_amount: 100, purpose: 'INV-1' });
    const final = await client.payments.waitFor(created.id, { pollInterval: 20 });
    expect(final).toMatchObject({ id: created.id, status: 'completed' });
    expect(await client.payments.retrieve(created.id)).toEqual(final);
    const { id } = await client.payments.create({ ...order, beneficiary_account: accounts.failing });
    expect(await client.payments.waitFor(id)).toMatchObject({ status: 'failed' });
    const read = async (): Promise<string[]> => {
      const rows: string[] = [];
      for await (const row of client.transactions.list({ per_page: 2 })) rows.push(row.payment_id ?? '');
      return rows;
    };
    const isListed = async (): Promise<boolean> => (await read()).includes(created.id);
    await expect.poll(isListed, { interval: 100 }).toBe(true);
  });

  it('reports refusals', async () => {
    const { client, ids } = connect(running);
    const { payments } = client;
    const rejected = { outcome: 'rejected', status: 422 };
    const wrongKey = createClient({
      apiKey: 'service_test_ffffffffffffffffffff',
      baseUrl: running.target.baseUrl,
    });
    await expect(payments.create({ ...order, to_currency: 'XXX' })).rejects.toMatchObject({
      ...rejected,
      name: 'ValidationError',
    });
    await expect(payments.create({ ...order, amount: '800000.00' })).rejects.toMatchObject({
      ...rejected,
      name: 'InsufficientFundsError',
    });
    const unknown = payments.retrieve('pay_test_0000000000000000');
    await expect(unknown).rejects.toMatchObject({ name: 'NotFoundError' });
    await expect(wrongKey.balance.retrieve()).rejects.toMatchObject({ name: 'AuthenticationError' });
    expect(ids).toEqual([]);
  });

  // Requests of all losses at once exceed the rate limit of this service.
  (name === 'hono-lagging' ? it : it.concurrent).for(losses)(
    'never takes another payment for a create that was lost: %s',
    async (loss, { expect: expectHere }) => {
      const { lose, ids, client } = connect(running);
      const rent = { ...order, amount: '85.00', purpose: `Rent ${loss}` };
      await client.payments.create({ ...rent, beneficiary_name: 'Alder Ltd' });
      const payer = createPayer(client, { store: memoryStore() });
      const lost = await lose(payer, loss, { ...rent, beneficiary_name: 'Birch Ltd' });
      const own = loss === 'before' ? undefined : ids.at(-1);
      await client.payments.create({ ...rent, beneficiary_name: 'Cedar Ltd' });
      const expected =
        own === undefined ? /^(?:not_found_yet|ambiguous|cannot_tell)/ : /^(?:found|ambiguous)/;
      for (const id of ids) await client.payments.waitFor(id);
      let result: Reconciliation | undefined;
      // With the reason, which a failure shows.
      const reconcile = async (): Promise<string> => {
        result = await client.payments.reconcile(lost);
        return [result.result, 'reason' in result && result.reason].join(' ');
      };
      await expectHere.poll(reconcile, { interval: 200 }).toMatch(expected);
      expect(isWrong(result!, own)).toBe(false);
      const paid = await payer.pay(loss, { ...rent, beneficiary_name: 'Birch Ltd' }).then(
        ({ id }) => id,
        ({ name: error }: Error) => error,
      );
      expect(paid).toBe(result?.result === 'found' ? own : 'PaymentOutcomeUnknownError');
      expect(ids).toHaveLength(own === undefined ? 2 : 3);
    },
  );

  it('passes service-cli smoke', async () => {
    const { cli, ids } = connect(running);
    const { code, stdout } = await runCli(['smoke', '--amount', '20.00'], cli);
    expect(stdout).toContain('steps, 0 failed');
    expect([code, ids.length]).toEqual([0, 1]);
  });

  it('lets service-cli pay, wait, and find a payment whose response was lost', async () => {
    const { cli, ids, loseNext, client } = connect(running);
    const pay = ['pay', 'USD', 'EUR', '71.00', '--name', 'Dogwood Ltd', '--purpose', 'INV-71', '--json'];
    loseNext('after');
    const lost = await runCli(pay, cli);
    expect(lost.code).toBe(3);
    await client.payments.waitFor(ids[0]!);
    const { sentAt } = lost.document.error as unknown as { readonly sentAt: string };
    const reconcile = ['payment', 'reconcile', 'USD', 'EUR', '71.00', '--since', sentAt, '--exclude', 'none'];
    const payee = ['--purpose', 'INV-71', '--name', 'Dogwood Ltd', '--json'];
    // The opening deposits of the services have no payment, and a type and a time of other names.
    await expect
      .poll(async () => (await runCli([...reconcile, ...payee], cli)).document, { timeout: 20_000 })
      .toMatchObject({ result: 'found', payment: { id: ids[0] } });
    const paid = await runCli([...pay, '--wait'], cli);
    expect(paid.code).toBe(0);
    expect(paid.documents.at(-1)).toMatchObject({ id: ids[1], status: 'completed' });
  });
});

describe('a receiver of webhooks', () => {
  const open = async (
    name: string,
    { secret, failures = 0 }: { secret?: string; failures?: number } = {},
  ) => {
    const handled: string[] = [];
    const statuses: number[] = [];
    let left = failures;
    const handle = ({ data }: PaymentEvent): void => {
      if ((left -= 1) >= 0) throw new Error('The database is unavailable.');
      handled.push(`${data.status} ${data.id}`);
    };
    const server = createServer((request, response) => {
      response.once('finish', () => statuses.push(response.statusCode));
      void toNode(receiver)(request, response);
    });
    const webhookUrl = `http://127.0.0.1:${await listenAtFreePort(server)}/`;
    const running = await startService(name, { speed: SPEED, webhookUrl });
    const secrets = secret ?? running.target.webhookSecret;
    const receiver = createReceiver({
      secrets,
      mode: 'test',
      on: {},
      fallback: (event) => handle(event as PaymentEvent),
      onError: () => {},
    });
    onTestFinished(async () => {
      await running[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    });
    return { ...connect(running), handled, statuses };
  };

  it('handles each status once if the service repeats and reorders its webhooks', async () => {
    const { client, handled, statuses } = await open('hono-lagging');
    const created = await Promise.all(Array.from({ length: 8 }, () => client.payments.create(order)));
    const expected = created.flatMap(({ id }) =>
      ['pending', 'processing', 'completed'].map((name) => `${name} ${id}`),
    );
    await expect.poll(() => handled.toSorted()).toEqual(expected.toSorted());
    // The seed of the service decides which webhooks it repeats.
    await expect.poll(() => statuses.length).toBeGreaterThan(expected.length);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(handled).toHaveLength(expected.length);
  });

  it('handles a webhook that the service sends again after its handler failed', async () => {
    const { client, handled, statuses } = await open('nest-tiers', { failures: 2 });
    const { id } = await client.payments.create(order);
    await expect.poll(() => handled.toSorted()).toEqual([`completed ${id}`, `processing ${id}`]);
    expect(statuses.filter((status) => status === 500)).toHaveLength(2);
  });

  it('responds with 401 and handles nothing if the secret differs', async () => {
    const { client, handled, statuses } = await open('nest-tiers', { secret: 'whsec_ffffffffffffffff' });
    await client.payments.create(order);
    await expect.poll(() => statuses.length).toBeGreaterThan(3);
    expect([new Set(statuses), handled]).toEqual([new Set([401]), []]);
  });
});
