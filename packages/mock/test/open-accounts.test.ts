import { describe, expect, it } from 'vitest';
import { createCaller, createStillMock, order } from './support.ts';

const KEY = 'service_test_job_1';

describe('a key that only reads', () => {
  it('gets the opening balances without a change of the state', async () => {
    const { mock } = createStillMock({ accounts: 'open' });
    const before = mock.sandbox.snapshot();
    const { get, post } = createCaller(mock, KEY);
    expect((await get('/balance')).body.data).toMatchObject({
      balances: [{ balance: 100_000 }, { balance: 100_000 }, { balance: 100_000 }],
    });
    expect((await get('/transactions')).body.data.transactions).toHaveLength(3);
    expect((await get('/payments/pay_test_000001aaaaaaaaaaaaaaaaaa')).status).toBe(404);
    expect((await post('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: 1 })).status).toBe(200);
    expect((await post('/payments', { amount: 'none' })).status).toBe(422);
    expect(mock.sandbox.snapshot()).toEqual(before);
    expect(mock.sandbox.accounts.list()).toHaveLength(1);
  });
});

describe('the bound of the accounts that keys open', () => {
  it('rejects the payment of one more key, and no other request', async () => {
    const { mock } = createStillMock({ accounts: 'open' });
    for (let count = 0; count < 10_000; count += 1)
      mock.sandbox.accounts.find({ key: `service_test_job_${count}` });
    const { get, post } = createCaller(mock, 'service_test_c');
    const { status, body } = await post('/payments', order());
    expect([status, body.error]).toEqual([
      403,
      {
        type: 'permission_error',
        message:
          'Keys have opened 10000 accounts, the maximum of a sandbox. Use one of those keys, or reset the sandbox.',
      },
    ]);
    expect((await get('/balance')).status).toBe(200);
    expect((await createCaller(mock, KEY).post('/payments', order())).status).toBe(201);
    expect((await createCaller(mock).post('/payments', order())).status).toBe(201);
    mock.sandbox.reset();
    expect((await post('/payments', order())).status).toBe(201);
  });
});
