import { describe, expect, it } from 'vitest';
import { listen } from '@service/mock/node';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { type Client, createClient, type PaymentOutcomeUnknownError } from '@service/sdk';

const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_account: 'DE89370400440532013000',
  purpose: 'INV-42',
};

function open(profile: NonNullable<MockOptions['profile']> = {}): { mock: Mock; client: Client } {
  const mock = createMock({ clock: 'real', profile });
  const { testKey: apiKey } = mock.account;
  return {
    mock,
    client: createClient({ apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch, readLag: 0 }),
  };
}

/** Creates a payment whose response is lost, before or after the commit. */
async function loseResponse(
  { mock, client }: { mock: Mock; client: Client },
  kind: 'reset_after_commit' | 'reset_before_commit' = 'reset_after_commit',
): Promise<PaymentOutcomeUnknownError> {
  mock.sandbox.faults.inject({ kind, operation: 'createPayment' });
  return client.payments.create(order).then(
    () => expect.fail('the create must have an unknown outcome'),
    (error: PaymentOutcomeUnknownError) => error,
  );
}

const posts = (mock: Mock): number => mock.sandbox.requests.list({ operation: 'createPayment' }).length;

describe('payments.reconcile', () => {
  it('finds a payment with a lost response, by the error or by the body and time', async () => {
    const context = open();
    const error = await loseResponse(context);
    const found = await context.client.payments.reconcile(error);
    expect(found).toMatchObject({ result: 'found', payment: { purpose: 'INV-42', send_amount: 100 } });
    const create = { ...order, since: error.sentAt };
    expect(await context.client.payments.reconcile(create, { exclude: [] })).toEqual(found);
    expect(posts(context.mock)).toBe(1);
  });

  const clocks: readonly MockOptions[] = [
    { clock: 'manual' },
    { clock: 'manual', start: '2026-01-31T12:00:00Z' },
    { clock: 'manual', start: '2096-01-31T12:00:00Z' },
    { start: '2026-01-31T12:00:00Z' },
    { clock: { speed: 60 } },
  ];
  const servers = [
    ['in process', async ({ baseUrl }: Mock) => ({ baseUrl, close: async () => {} })],
    ['over HTTP', async (mock: Mock) => listen(mock, { port: 0 })],
  ] as const;
  const matrix = servers.flatMap(([title, start]) => clocks.map((clock) => [title, clock, start] as const));

  it.each(matrix)('finds a payment %s with the clock %j', async (_, options, start) => {
    const mock = createMock(options);
    const { close, baseUrl } = await start(mock);
    const fetch = baseUrl === mock.baseUrl ? mock.fetch : undefined;
    const client = createClient({ apiKey: mock.account.testKey, baseUrl, fetch, readLag: 0 });
    if (options.clock === 'manual') await mock.sandbox.clock.advance('3d');
    const found = await client.payments.reconcile(await loseResponse({ mock, client }));
    expect(found).toMatchObject({ result: 'found', payment: { purpose: 'INV-42' } });
    await close();
  });

  it.each(clocks.slice(0, 3))(
    'does not take an older payment for its create with the clock %j',
    async (options) => {
      const mock = createMock(options);
      const { baseUrl, fetch } = mock;
      const client = createClient({ apiKey: mock.account.testKey, baseUrl, fetch, readLag: 0 });
      await createClient({ apiKey: mock.account.testKey, baseUrl, fetch }).payments.create(order);
      await client.payments.create({ ...order, amount: '7.00' });
      await mock.sandbox.clock.advance('30d');
      const error = await loseResponse({ mock, client }, 'reset_before_commit');
      expect(await client.payments.reconcile(error)).toMatchObject({
        result: 'ambiguous',
        reason: 'older_payment',
      });
    },
  );

  it.each(['INV/42?x', 'pay_live_0001', '', 'https://pay.example/1'])(
    'cannot tell if a transaction has the invalid payment id %j',
    async (payment_id) => {
      const context = open();
      const error = await loseResponse(context);
      const client = createClient({
        apiKey: context.mock.account.testKey,
        baseUrl: context.mock.baseUrl,
        readLag: 0,
        fetch: async (url, init) => {
          const response = await context.mock.fetch(url, init);
          const text = await response.text();
          const body = text.replaceAll(/"payment_id":"[^"]+"/g, `"payment_id":${JSON.stringify(payment_id)}`);
          return new Response(body, response);
        },
      });
      expect(await client.payments.reconcile(error)).toEqual({
        result: 'cannot_tell',
        reason: 'unclear_records',
      });
    },
  );

  it('finds a payment by the id in a truncated response', async () => {
    const context = open({ rows: 'minimal' });
    context.mock.sandbox.faults.inject({ kind: 'truncated', operation: 'createPayment' });
    const error = (await context.client.payments
      .create(order)
      .catch((caught: unknown) => caught)) as PaymentOutcomeUnknownError;
    expect(error.paymentId).toMatch(/^pay_test_\w{22,}$/);
    expect(await context.client.payments.reconcile(error)).toMatchObject({
      result: 'found',
      payment: { id: error.paymentId },
    });
  });

  it.each(['round', 'truncate'] as const)(
    'finds a payment whose amount the service changed with the precision %s',
    async (precision) => {
      const context = open({ minorUnits: 'iso', amounts: { precision } });
      context.mock.sandbox.wallets.set({ currency: 'JPY', amount: '5000' });
      context.mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
      const body = { ...order, from_currency: 'JPY', amount: '1000.40' };
      const error: unknown = await context.client.payments.create(body).catch((caught: unknown) => caught);
      expect(await context.client.payments.reconcile(error as PaymentOutcomeUnknownError)).toMatchObject({
        result: 'found',
        payment: { send_amount: 1000 },
      });
    },
  );
});
