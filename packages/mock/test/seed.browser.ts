import { createMock } from '@service/mock';
import { afterEach, describe, expect, it } from 'vitest';
import { createCaller } from './support.ts';

describe('createMock({ initial }) in a page', () => {
  afterEach(() => sessionStorage.clear());

  it('creates accounts and payments, and reports problems', async () => {
    const payment = {
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: 40,
      beneficiary_name: 'Acme',
      age: '2d',
    } as const;
    const mock = createMock({
      initial: {
        accounts: [
          { name: 'shop', testKey: 'service_test_shop', balances: { USD: 100 }, payments: [payment] },
        ],
      },
    });
    const { body } = await createCaller(mock, 'service_test_shop').get('/balance');
    expect(body.data.balances).toEqual([{ currency: 'USD', balance: 60 }]);
    expect(() => createMock({ initial: { accounts: [] } })).toThrow('accounts must be a list');
  });

  it('is overridden by the stored state of the page', async () => {
    const options = {
      baseUrl: 'http://localhost:4011/api/v1',
      persist: 'sessionStorage',
      initial: { faults: [{ kind: 'latency', ms: 0 }] },
    } as const;
    const first = createMock(options);
    first.sandbox.accounts.create({ name: 'stored' });
    globalThis.dispatchEvent(new Event('pagehide'));
    await first.close();
    const second = createMock(options);
    expect(second.sandbox.accounts.list().map(({ name }) => name)).toEqual(['default', 'stored']);
    expect(second.sandbox.faults.list()).toHaveLength(1);
    await second.close();
  });
});
