import { describe, expect, it } from 'vitest';
import { currencies } from '../src/domain/money.ts';
import { createStillMock, order } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

// The amounts of docs/contract.md#money are in test/scenarios, with every byte of their responses.

describe('POST /quotes', () => {
  it('takes a fee within its limits', async () => {
    const { post } = createStillMock({
      profile: { fees: { percent: '1', minimum: '1.00', maximum: '50.00' } },
    });
    const quoted: unknown[] = [];
    for (const amount of [50, 1000, 10_000, 1, 0.5]) {
      const { data } = (await post('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount })).body;
      quoted.push([data.fee, data.receive_amount]);
    }
    expect(quoted).toEqual([
      [1, 45.14],
      [10, 912.09],
      [50, 9166.94],
      [1, 0],
      [1, 0],
    ]);
  });

  it('rounds a fee as its rule says', async () => {
    const fees: unknown[] = [];
    for (const rounding of ['up', 'down'] as const)
      for (const amount of [250.5, 250]) {
        const { post } = createStillMock({ profile: { fees: { percent: '0.4', flat: '0.25', rounding } } });
        fees.push(
          (await post('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount })).body.data.fee,
        );
      }
    expect(fees).toEqual([1.26, 1.25, 1.25, 1.25]);
  });

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

  it('stores nothing', async () => {
    const { mock, post } = createStillMock();
    const before = await mock.sandbox.stateHash();
    expect((await post('/quotes', { from_currency: 'USD', to_currency: 'EUR', amount: 1 })).status).toBe(200);
    expect(await mock.sandbox.stateHash()).toBe(before);
  });
});
