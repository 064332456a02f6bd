import { createMock } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { createCaller } from './support.ts';

describe('createMock({ initial }) in a page', () => {
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
});
