import { describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import {
  type Client,
  createClient,
  createDuplicateGuard,
  createMemoryStore,
  type IntentStore,
  type PaymentOutcomeUnknownError,
} from '@service/sdk';

const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_account: 'DE89370400440532013000',
  purpose: 'INV-42',
};

function open(
  profile: NonNullable<MockOptions['profile']> = {},
  options: object = {},
): { mock: Mock; client: Client } {
  const mock = createMock({ clock: 'real', profile });
  const { testKey: apiKey } = mock.account;
  return { mock, client: createClient({ apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch, ...options }) };
}

/** Loses the answer to a create, before or after the payment is made. */
async function lose(
  { mock, client }: { mock: Mock; client: Client },
  kind: 'reset_after_commit' | 'reset_before_commit' = 'reset_after_commit',
  options = {},
): Promise<PaymentOutcomeUnknownError> {
  mock.sandbox.faults.inject({ kind, operation: 'createPayment' });
  return client.payments.create(order, options).then(
    () => expect.fail('the create was to be lost'),
    (error: PaymentOutcomeUnknownError) => error,
  );
}

const posts = (mock: Mock): number => mock.sandbox.requests.list({ operation: 'createPayment' }).length;

describe('reconcile', () => {
  it('finds the payment whose answer was lost, by the error or by what was asked for', async () => {
    const world = open();
    const error = await lose(world);
    const found = await world.client.payments.reconcile(error);
    expect(found).toMatchObject({ result: 'found', payment: { purpose: 'INV-42', send_amount: 100 } });
    expect(await world.client.payments.reconcile({ ...order, since: error.sentAt })).toEqual(found);
    expect(posts(world.mock)).toBe(1);
  });

  it('finds nothing yet where none was made, among others that were', async () => {
    const world = open();
    const others = [
      { purpose: 'INV-41' },
      { amount: '100.01' },
      { to_currency: 'GBP' },
      { from_currency: 'GBP' },
    ];
    for (const other of others) await world.client.payments.create({ ...order, ...other });
    const error = await lose(world, 'reset_before_commit');
    expect(await world.client.payments.reconcile(error)).toEqual({ result: 'not_found_yet' });
    expect(posts(world.mock)).toBe(others.length + 1);
  });

  it('does not choose between two that could be it', async () => {
    const world = open();
    await world.client.payments.create(order);
    const result = await world.client.payments.reconcile(await lose(world));
    expect(result).toMatchObject({
      result: 'ambiguous',
      payments: [{ purpose: 'INV-42' }, { purpose: 'INV-42' }],
    });
  });

  it('does not take an older payment of the same purpose for it', async () => {
    const world = open();
    await world.client.payments.create(order);
    const { sentAt: _, ...error } = await lose(world, 'reset_before_commit');
    const since = new Date(Date.now() + 600_000);
    expect(await world.client.payments.reconcile({ ...error, since })).toMatchObject({ result: 'ambiguous' });
  });

  it('cannot tell where records do not name their payments', async () => {
    const world = open({ transactionShape: 'minimal' });
    expect(await world.client.payments.reconcile(await lose(world))).toEqual({ result: 'cannot_tell' });
  });

  it.each(['INV/42?x', 'pay_live_0001', '', 'https://pay.example/1'])(
    'cannot tell where a record names its payment %j, which is no id to look up',
    async (payment_id) => {
      const world = open();
      const error = await lose(world);
      const client = createClient({
        apiKey: world.mock.account.testKey,
        baseUrl: world.mock.baseUrl,
        fetch: async (request) => {
          const answer = await world.mock.fetch(request);
          const text = await answer.text();
          const body = text.replaceAll(/"payment_id":"[^"]+"/g, `"payment_id":${JSON.stringify(payment_id)}`);
          return new Response(body, answer);
        },
      });
      expect(await client.payments.reconcile(error)).toEqual({ result: 'cannot_tell' });
    },
  );

  it('trusts an id that the broken answer still showed', async () => {
    const world = open({ transactionShape: 'minimal' });
    world.mock.sandbox.faults.inject({ kind: 'truncated', operation: 'createPayment' });
    const error = (await world.client.payments
      .create(order)
      .catch((caught: unknown) => caught)) as PaymentOutcomeUnknownError;
    expect(error.salvagedId).toBeDefined();
    expect(await world.client.payments.reconcile(error)).toMatchObject({
      result: 'found',
      payment: { id: error.salvagedId },
    });
  });

  it.each(['laravel', 'cursor', 'array', 'link'] as const)(
    'walks pages of the kind %s',
    async (pagination) => {
      const world = open({
        pagination,
        numbers: 'floatTail',
        absent: 'omit',
        timestamps: 'compactOffset',
        feeMode: 'onTop',
      });
      expect(await world.client.payments.reconcile(await lose(world))).toMatchObject({ result: 'found' });
    },
  );

  it.each(['round', 'truncate'] as const)(
    'finds an amount that the service had to %s',
    async (excessPrecision) => {
      const world = open({ minorUnits: 'iso', excessPrecision });
      world.mock.sandbox.wallets.set({ currency: 'JPY', amount: '5000' });
      world.mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
      const body = { ...order, from_currency: 'JPY', amount: '1000.40' };
      const error: unknown = await world.client.payments.create(body).catch((caught: unknown) => caught);
      expect(await world.client.payments.reconcile(error as PaymentOutcomeUnknownError)).toMatchObject({
        result: 'found',
        payment: { send_amount: 1000 },
      });
    },
  );

  it.each([
    {},
    { amount: 1 },
    { ...order, amount: 'x', since: new Date() },
    { ...order, since: 'yesterday' },
  ])('refuses %o, which says too little', async (intent) => {
    await expect(open().client.payments.reconcile(intent as never)).rejects.toMatchObject({
      name: 'ValidationError',
      outcome: 'not_sent',
    });
  });
});

describe('a duplicate guard', () => {
  const guarded = (): ReturnType<typeof open> & { store: IntentStore } => {
    const store = createMemoryStore();
    return { ...open({}, { duplicateGuard: createDuplicateGuard(store) }), store };
  };
  const reference = 'order-42';

  it('gives back the payment that a reference has', async () => {
    const { mock, client } = guarded();
    const { id } = await client.payments.create(order, { reference });
    mock.sandbox.payments.complete(id);
    expect(await client.payments.create(order, { reference })).toMatchObject({ id, status: 'completed' });
    expect(posts(mock)).toBe(1);
  });

  it('refuses another body under the same reference', async () => {
    const { mock, client } = guarded();
    await client.payments.create(order, { reference });
    await expect(client.payments.create({ ...order, amount: '5.00' }, { reference })).rejects.toMatchObject({
      name: 'IdempotencyError',
      outcome: 'not_sent',
    });
    expect(posts(mock)).toBe(1);
  });

  it('refuses a second create while the first is in doubt, until that is found', async () => {
    const world = guarded();
    const error = await lose(world, 'reset_after_commit', { reference });
    expect(error.reference).toBe(reference);
    const again = world.client.payments.create(order, { reference });
    await expect(again).rejects.toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
    expect(await world.client.payments.reconcile(error)).toMatchObject({ result: 'found' });
    expect(await world.client.payments.create(order, { reference })).toMatchObject({ purpose: 'INV-42' });
    expect(posts(world.mock)).toBe(1);
  });

  it('stays in doubt while nothing is found', async () => {
    const world = guarded();
    const error = await lose(world, 'reset_before_commit', { reference });
    expect(await world.client.payments.reconcile(error)).toEqual({ result: 'not_found_yet' });
    await expect(world.client.payments.create(order, { reference })).rejects.toMatchObject({
      name: 'IdempotencyError',
    });
    expect(posts(world.mock)).toBe(1);
  });

  it('lets a reference go that was refused', async () => {
    const { client } = guarded();
    await expect(
      client.payments.create({ ...order, amount: '999999.00' }, { reference }),
    ).rejects.toMatchObject({
      name: 'InsufficientFundsError',
    });
    expect(await client.payments.create(order, { reference })).toMatchObject({ status: 'pending' });
  });

  it('makes one payment of many creates at once', async () => {
    const { mock, client } = guarded();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => client.payments.create(order, { reference })),
    );
    expect(posts(mock)).toBe(1);
    // Each was given the one payment, or was refused while that was in doubt.
    const ids = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []));
    expect(new Set(ids).size).toBe(1);
  });

  it('keeps no name and no account', async () => {
    const { client, store } = guarded();
    await client.payments.create(order, { reference });
    expect(JSON.stringify(await store.read(reference))).not.toMatch(/Acme|DE89/);
  });

  it('sends nothing when its store fails before, and loses no payment when it fails after', async () => {
    const warnings: string[] = [];
    let calls = 0;
    const failing = (from: number): object => ({
      duplicateGuard: createDuplicateGuard({
        ...createMemoryStore(),
        swap: async () => {
          if ((calls += 1) >= from) throw new Error('the disk is full');
          return 'done';
        },
      }),
      onWarning: ({ code }: { code: string }) => warnings.push(code),
    });
    const before = open({}, failing(1));
    await expect(before.client.payments.create(order, { reference })).rejects.toMatchObject({
      name: 'ConfigurationError',
      outcome: 'not_sent',
    });
    expect(posts(before.mock)).toBe(0);
    calls = 0;
    const after = open({}, failing(2));
    expect(await after.client.payments.create(order, { reference })).toMatchObject({ status: 'pending' });
    expect(warnings).toEqual(['guard_failed']);
  });

  it('needs to be there for a reference to mean something', async () => {
    const { client, mock } = open();
    await expect(client.payments.create(order, { reference })).rejects.toMatchObject({
      name: 'ConfigurationError',
    });
    expect(posts(mock)).toBe(0);
  });
});
