import { describe, expect, it } from 'vitest';
import { createCaller, createStillMock, order } from './support.ts';

describe('POST /payments', () => {
  it('creates a pending payment and debits the wallet in the same step', async () => {
    const { mock, post, get } = createStillMock();
    const created = await post('/payments', order({ beneficiary_account: 'DE89', purpose: 'INV-1' }));
    expect(created.status).toBe(201);
    expect(created.body.data).toEqual({
      id: expect.stringMatching(/^pay_test_[0-9A-Za-z]{24}$/),
      status: 'pending',
      from_currency: 'USD',
      to_currency: 'EUR',
      send_amount: 1000,
      rate: 0.9213,
      receive_amount: 916.69,
      beneficiary: { name: 'Acme Supplies Ltd', bank: null, account: 'DE89', country: null },
      purpose: 'INV-1',
      created_at: '2026-01-31T12:00:00+00:00',
    });
    const { body } = await get('/balance');
    expect(body.data).toEqual({
      balances: [
        { currency: 'EUR', balance: 100000 },
        { currency: 'GBP', balance: 100000 },
        { currency: 'USD', balance: 99000 },
      ],
    });
    expect(mock.sandbox.clock.now()).toEqual(new Date('2026-01-31T12:00:00Z'));
  });

  it('spends a wallet to the last cent and not more', async () => {
    const { mock } = createStillMock();
    const account = mock.sandbox.accounts.create({ balances: { USD: '1000.00' } });
    const { post, get } = createCaller(mock, account.testKey);
    const tooMuch = await post('/payments', order({ amount: 1000.01 }));
    expect([tooMuch.status, tooMuch.body.error.type]).toEqual([422, 'insufficient_funds']);
    expect((await post('/payments', order({ amount: 1000 }))).status).toBe(201);
    expect((await get('/balance')).body.data).toEqual({ balances: [{ currency: 'USD', balance: 0 }] });
  });

  it.each([
    'José Ñandú',
    'محمد',
    '株式会社テスト',
    "O'Brien & Söhne",
    '👩‍👩‍👧‍👦',
    'é',
    '\u200FRTL',
    '  padded  ',
    '😀'.repeat(255),
  ])('returns the name %s exactly as sent', async (name) => {
    const { post, get } = createStillMock();
    const created = await post('/payments', order({ beneficiary_name: name }));
    const { id } = created.body.data as { id: string };
    const found = await get(`/payments/${id}`);
    expect(
      [created, found].map(({ body }) => (body.data as { beneficiary: { name: string } }).beneficiary.name),
    ).toEqual([name, name]);
  });

  it('accepts null for an absent field', async () => {
    const { post } = createStillMock();
    const { status } = await post('/payments', order({ beneficiary_bank: null, purpose: null }));
    expect(status).toBe(201);
  });

  it('creates two payments for the same body without a key', async () => {
    const { post, get } = createStillMock();
    await post('/payments', order());
    await post('/payments', order());
    expect((await get('/balance')).body.data).toMatchObject({ balances: [{}, {}, { balance: 98000 }] });
  });
});

describe('Idempotency-Key', () => {
  const key = { 'idempotency-key': 'order-1' };

  it('replays the first response and creates one payment', async () => {
    const { mock, post, get } = createStillMock();
    const first = await post('/payments', order(), key);
    await mock.sandbox.clock.advance('1s');
    const again = await post('/payments', order(), key);
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await get('/balance')).body.data).toMatchObject({ balances: [{}, {}, { balance: 99000 }] });
  });

  it('compares bodies as parsed JSON', async () => {
    const { post } = createStillMock();
    const first = await post('/payments', JSON.stringify(order()), key);
    const again = await post(
      '/payments',
      JSON.stringify(Object.fromEntries(Object.entries(order()).toReversed()), null, 2),
      key,
    );
    expect(again.body).toEqual(first.body);
  });

  it('expires after 24 hours', async () => {
    const { mock, post } = createStillMock();
    const first = await post('/payments', order(), key);
    await mock.sandbox.clock.advance('23h');
    await mock.sandbox.clock.advance('3599s');
    expect((await post('/payments', order(), key)).body).toEqual(first.body);
    await mock.sandbox.clock.advance('1s');
    const later = await post('/payments', order(), key);
    expect(later.status).toBe(201);
    expect(later.body.data).not.toEqual(first.body.data);
  });

  it('is not saved for a request that created no payment', async () => {
    const { post } = createStillMock();
    expect((await post('/payments', order({ amount: 900000 }), key)).status).toBe(422);
    expect((await post('/payments', order(), key)).status).toBe(201);
  });

  it('is scoped to account and mode', async () => {
    const { mock, post } = createStillMock();
    const other = createCaller(mock, mock.sandbox.accounts.create().testKey);
    mock.sandbox.wallets.credit({ mode: 'live', currency: 'USD', amount: 5000 });
    const live = createCaller(mock, mock.account.liveKey);
    const created = await Promise.all(
      [post, other.post, live.post].map((call) => call('/payments', order(), key)),
    );
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(created.map(({ body }) => (body.data as { id: string }).id)).size).toBe(3);
  });

  it('creates one payment for concurrent replays', async () => {
    const { post, get } = createStillMock();
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('/payments', order(), key)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await get('/transactions?type=payment')).body.data).toMatchObject({ pagination: { total: 1 } });
  });
});

describe('payment transitions', () => {
  async function walk(account: string | null, seconds: number): Promise<string> {
    const { mock, post, get } = createStillMock();
    const { id } = (await post('/payments', order({ beneficiary_account: account }))).body.data;
    const steps: string[] = [];
    for (let second = 0; second <= seconds; second += 1) {
      const status = String((await get(`/payments/${String(id)}`)).body.data.status);
      if (!steps.at(-1)?.endsWith(` ${status}`)) steps.push(`${second} ${status}`);
      await mock.sandbox.clock.advance('1s');
    }
    return steps.join(', ');
  }

  it.each([
    [null, '0 pending, 1 processing, 4 completed'],
    ['SIM-OK', '0 pending, 1 processing, 4 completed'],
    ['SIM-FAIL', '0 pending, 1 processing, 4 failed'],
    ['SIM-FAIL-EARLY', '0 pending, 1 failed'],
    ['SIM-RETURN', '0 pending, 1 processing, 4 completed, 9 failed'],
    ['SIM-STUCK', '0 pending, 1 processing'],
    ['SIM-PENDING', '0 pending'],
    ['SIM-INSTANT', '0 completed'],
    ['sim-fail', '0 pending, 1 processing, 4 completed'],
  ])('of the account %s are %s', async (account, steps) => {
    expect(await walk(account, 12)).toEqual(steps);
  });

  it('ignore magic values in live mode', async () => {
    const { mock } = createStillMock();
    mock.sandbox.wallets.credit({ mode: 'live', currency: 'USD', amount: 1000 });
    const live = createCaller(mock, mock.account.liveKey);
    const created = await live.post('/payments', order({ beneficiary_account: 'SIM-FAIL' }));
    const { id } = created.body.data as { id: string };
    expect(id).toMatch(/^pay_live_/);
    await mock.sandbox.clock.advance('10s');
    expect((await live.get(`/payments/${id}`)).body.data).toMatchObject({ status: 'completed' });
  });

  it('respond 500 to SIM-500 and lose the response to SIM-DROP, with the payment created', async () => {
    const { mock, post, get } = createStillMock();
    const failed = await post('/payments', order({ beneficiary_account: 'SIM-500', purpose: 'A' }), {
      'idempotency-key': 'k',
    });
    expect([failed.status, failed.body.error.type]).toEqual([500, 'server_error']);
    const dropped = post('/payments', order({ beneficiary_account: 'SIM-DROP', purpose: 'B' }));
    await expect(dropped).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } });
    const rows = (await get('/transactions?type=payment')).body.data as {
      transactions: { reference: string }[];
    };
    expect(rows.transactions.map((row) => row.reference)).toEqual(['B', 'A']);
    const again = await post('/payments', order({ beneficiary_account: 'SIM-500', purpose: 'A' }), {
      'idempotency-key': 'k',
    });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(mock.sandbox.clock.now()).toEqual(new Date('2026-01-31T12:00:00Z'));
  });

  it('respond 503 to SIM-UNAVAILABLE, create no payment and keep the key free', async () => {
    const { post, get } = createStillMock();
    const headers = { 'idempotency-key': 'k' };
    const refused = await post('/payments', order({ beneficiary_account: 'SIM-UNAVAILABLE' }), headers);
    expect([refused.status, refused.body.error.type]).toEqual([503, 'service_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await get('/transactions?type=payment')).body.data).toMatchObject({ transactions: [] });
    expect((await post('/payments', order(), headers)).status).toBe(201);
  });
});

describe('sandbox.payments', () => {
  async function create(): Promise<ReturnType<typeof createStillMock> & { id: string }> {
    const still = createStillMock();
    const { id } = (await still.post('/payments', order())).body.data as { id: string };
    return { ...still, id };
  }

  it('advances a payment by one status', async () => {
    const { mock, id } = await create();
    expect(mock.sandbox.payments.advance(id).status).toBe('processing');
    expect(mock.sandbox.payments.advance(id).status).toBe('completed');
    expect(() => mock.sandbox.payments.advance(id)).toThrow('A payment that is completed cannot complete.');
  });

  it('refunds a failed payment in full, as its own transaction', async () => {
    const { mock, id, get } = await create();
    mock.sandbox.payments.fail(id);
    const { transactions } = (await get('/transactions?per_page=2')).body.data as { transactions: object[] };
    expect(transactions).toMatchObject([
      { type: 'refund', status: 'completed', amount: 1000, fee: null, balance_after: 100000, payment_id: id },
      { type: 'payment', status: 'failed', amount: -1000, fee: 5, balance_after: 99000, payment_id: id },
    ]);
  });

  it('returns a completed payment', async () => {
    const { mock, id, get } = await create();
    mock.sandbox.payments.complete(id);
    expect(mock.sandbox.payments.return(id).status).toBe('failed');
    expect((await get('/balance')).body.data).toMatchObject({ balances: [{}, {}, { balance: 100000 }] });
  });

  it('cancels the automatic transition', async () => {
    const { mock, id, get } = await create();
    mock.sandbox.payments.advance(id);
    await mock.sandbox.clock.advance('1s');
    expect((await get(`/payments/${id}`)).body.data).toMatchObject({ status: 'processing' });
    await mock.sandbox.clock.advance('2s');
    expect((await get(`/payments/${id}`)).body.data).toMatchObject({ status: 'completed' });
  });

  it('rejects a transition that the status does not allow, and changes nothing', async () => {
    const { mock, id } = await create();
    mock.sandbox.payments.fail(id);
    const before = await mock.sandbox.stateHash();
    for (const move of ['advance', 'complete', 'fail', 'return'] as const) {
      expect(() => mock.sandbox.payments[move](id)).toThrow(/^A payment that is failed cannot/);
    }
    expect(await mock.sandbox.stateHash()).toBe(before);
  });

  it('accepts a payment instead of its id, and does not repeat other objects', async () => {
    const { mock, id, get } = await create();
    const payment = (await get(`/payments/${id}`)).body.data as { id: string };
    expect(mock.sandbox.payments.complete(payment)).toMatchObject({ id, status: 'completed' });
    const { id: _, ...person } = payment;
    expect(() => mock.sandbox.payments.fail(person as never)).toThrow('the object has no id');
  });
});
