import { describe, expect, it } from 'vitest';
import { createCaller, createStillMock, order } from './support.ts';

const KEY = 'service_test_job_1';

describe('the bound of the accounts that keys open', () => {
  it('rejects each request of one more key, and no request of another key', async () => {
    const { mock } = createStillMock({ accounts: 'open' });
    for (let count = 0; count < 10_000; count += 1)
      mock.sandbox.accounts.find({ key: `service_test_job_${count}` });
    const { get, post } = createCaller(mock, 'service_test_c');
    for (const { status, body } of [await post('/payments', order()), await get('/balance')])
      expect([status, body.error]).toEqual([
        403,
        {
          type: 'permission_error',
          message:
            'The sandbox has more than 10000 accounts, so keys open no further ones. Use one of its keys, or reset it.',
        },
      ]);
    expect((await createCaller(mock, KEY).post('/payments', order())).status).toBe(201);
    expect((await createCaller(mock).post('/payments', order())).status).toBe(201);
    mock.sandbox.reset();
    expect((await post('/payments', order())).status).toBe(201);
  });
});
