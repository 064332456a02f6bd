import { describe, expect, it } from 'vitest';
import { formatAmount, formatMoney } from '../src/format.ts';

describe('an amount of the dashboard', () => {
  it.each([
    ['1000.00', 'JPY', '1,000 JPY'],
    ['1000', 'KRW', '1,000 KRW'],
    ['1000.25', 'JPY', '1,000.25 JPY'],
    ['1000', 'USD', '1,000.00 USD'],
    ['-0.5', 'EUR', '−0.50 EUR'],
    ['1.005', 'BHD', '1.005 BHD'],
    ['7', 'USDC', '7.00 USDC'],
  ])('of %s %s is %s', (amount, currency, shown) => {
    expect(formatMoney(amount, currency)).toBe(shown);
  });

  it('has a sign for a change', () => {
    expect(formatAmount('1000', 'JPY', true)).toBe('+1,000');
    expect(formatAmount('-5', 'USD', true)).toBe('−5.00');
  });
});
