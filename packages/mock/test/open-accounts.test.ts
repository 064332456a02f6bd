import { describe, expect, it } from 'vitest';
import { partsOf } from './control-support.ts';
import { createCaller, createStillMock, order } from './support.ts';

const KEY = 'service_test_job_1';

describe('the bound of the accounts that keys open', () => {
  it('rejects each request of one more key, and no request of another key', async () => {
    const { mock } = createStillMock({ accounts: 'open' });
    mock.sandbox.accounts.find({ key: KEY });
    const { accounts } = partsOf(mock).state;
    const pretend = (size: number): object =>
      Object.defineProperty(accounts, 'size', { value: size, configurable: true });
    const { get, post } = createCaller(mock, 'service_test_c');
    pretend(10_001);
    const message =
      'The sandbox has more than 10000 accounts, so keys open no further ones. Use one of its keys, or reset it.';
    for (const { status, body } of [await post('/payments', order()), await get('/balance')])
      expect([status, body.error]).toEqual([403, { type: 'permission_error', message }]);
    expect((await createCaller(mock, KEY).post('/payments', order())).status).toBe(201);
    expect((await createCaller(mock).post('/payments', order())).status).toBe(201);
    pretend(10_000);
    expect((await createCaller(mock, 'service_test_d').post('/payments', order())).status).toBe(201);
    Reflect.deleteProperty(accounts, 'size');
    mock.sandbox.reset();
    expect((await post('/payments', order())).status).toBe(201);
  });
});
