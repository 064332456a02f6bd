import { describe, expect, it } from 'vitest';
import { currencies } from '../src/domain/money.ts';
import { createStillMock, order } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

// Payments of every kind, their magic values, quotes and rejections are in test/scenarios, with every byte of their responses.

describe('Idempotency-Key', () => {
  const key = { 'idempotency-key': 'order-1' };

  it('creates one payment for concurrent replays', async () => {
    const { post, get } = createStillMock();
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('/payments', order(), key)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await get('/transactions?type=payment')).body.data).toMatchObject({ pagination: { total: 1 } });
  });

  it('stays free after the 503 of SIM-UNAVAILABLE, which creates no payment', async () => {
    const { post, get } = createStillMock();
    const refused = await post('/payments', order({ beneficiary_account: 'SIM-UNAVAILABLE' }), key);
    expect([refused.status, refused.body.error.type]).toEqual([503, 'service_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await get('/transactions?type=payment')).body.data).toMatchObject({ transactions: [] });
    expect((await post('/payments', order(), key)).status).toBe(201);
  });
});

describe('payments.create', () => {
  it.each(['from_currency', 'to_currency', 'amount', 'beneficiary_name', 'purpose'])(
    'responds 422 to an object with a field toString or valueOf in place of %s',
    async (field) => {
      const { post } = createStillMock();
      for (const value of [{ toString: 1, valueOf: 1 }, { toString: 'USD' }, [{ toString: null }]]) {
        const { status, body } = await post('/payments', order({ [field]: value }));
        expect([status, JSON.stringify(body.error)]).toEqual([422, expect.stringContaining(field)]);
      }
    },
  );
});

describe('sandbox.payments', () => {
  async function create(): Promise<ReturnType<typeof createStillMock> & { id: string }> {
    const still = createStillMock();
    const { id } = (await still.post('/payments', order())).body.data as { id: string };
    return { ...still, id };
  }

  it('cancels the automatic transition', async () => {
    const { mock, id, get } = await create();
    mock.sandbox.payments.advance(id);
    await mock.sandbox.clock.advance('1s');
    expect((await get(`/payments/${id}`)).body.data).toMatchObject({ status: 'processing' });
    await mock.sandbox.clock.advance('2s');
    expect((await get(`/payments/${id}`)).body.data).toMatchObject({ status: 'completed' });
    expect(() => mock.sandbox.payments.advance(id)).toThrow('A payment that is completed cannot complete.');
  });

  it('accepts a payment instead of its id, and does not repeat other objects', async () => {
    const { mock, id, get } = await create();
    const payment = (await get(`/payments/${id}`)).body.data as { id: string };
    expect(mock.sandbox.payments.complete(payment)).toMatchObject({ id, status: 'completed' });
    const { id: _, ...person } = payment;
    expect(() => mock.sandbox.payments.fail(person as never)).toThrow('the object has no id');
  });
});

describe('POST /quotes', () => {
  it('rejects a payment whose fee is as large as the amount, without a change', async () => {
    const { mock, post } = createStillMock({ profile: { fees: { flat: '5.00' } } });
    const rejected = await post('/payments', order({ amount: 5 }));
    expect(rejected.body.error.message).toContain('is too small: the beneficiary would receive 0 EUR');
    expect(stateOf(mock.sandbox.snapshot()).accounts[0]?.modes.test.payments).toEqual([]);
  });

  it('uses the currencies without decimals of ISO 4217', async () => {
    const { post } = createStillMock({ profile: { minorUnits: 'iso' } });
    const whole: string[] = [];
    for (const code of currencies) {
      const { status } = await post('/quotes', { from_currency: code, to_currency: 'USD', amount: 10.5 });
      if (status === 422) whole.push(code);
    }
    expect(whole).toEqual(['CLP', 'JPY', 'KRW', 'UGX', 'VND', 'XOF']);
    expect(currencies).toHaveLength(46);
    const rejected = await post('/payments', { from_currency: 'JPY', to_currency: 'USD', amount: 1.5 });
    expect(rejected.body.error.message).toBe(
      'The request is invalid: amount must be a whole number in JPY; beneficiary_name is required.',
    );
  });
});

describe('a rejected request', () => {
  // Other rejected requests change nothing: fuzz.property.test.ts.
  it('over the rate limit and of a suspended account changes nothing', async () => {
    const { mock, get, post } = createStillMock({ profile: { rateLimit: { requests: 1, window: '10s' } } });
    await get('/balance');
    const before = await mock.sandbox.stateHash();
    expect((await post('/payments', order())).status).toBe(429);
    expect(await mock.sandbox.stateHash()).toBe(before);
    mock.sandbox.accounts.suspend();
    const suspended = await mock.sandbox.stateHash();
    expect((await post('/payments', order())).status).toBe(403);
    expect(await mock.sandbox.stateHash()).toBe(suspended);
  });
});
