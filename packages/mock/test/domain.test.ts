import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeRate, currencies } from '../src/domain/currency.ts';
import { bookCompletion, bookPayment, bookRefund, bookReturn, type Entry } from '../src/domain/ledger.ts';
import { parseDecimal, toAmount, toRate } from '../src/domain/money.ts';
import type { Payment } from '../src/domain/payment.ts';
import { quoteExchange } from '../src/domain/quote.ts';

describe('decimals', () => {
  it.each<[text: string, units: bigint | undefined]>([
    ['0', 0n],
    ['-0', 0n],
    ['1', 100n],
    ['0.01', 1n],
    ['10.000', 1000n],
    ['1e2', 10000n],
    ['100e-2', 100n],
    ['-5.5', -550n],
    ['0.001', undefined],
    ['1e-3', undefined],
    ['', undefined],
    ['.5', undefined],
    ['1.', undefined],
    ['0x10', undefined],
    ['NaN', undefined],
    ['1e1000', undefined],
  ])('reads %j as %s hundredths', (text, units) => {
    expect(parseDecimal(text, 2)).toBe(units);
  });

  it('writes what it reads, in its shortest form', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (units) => {
        const text = toAmount(units).toString();
        expect(parseDecimal(text, 2)).toBe(units);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d?[1-9])?$/);
      }),
    );
  });
});

describe('rates and quotes', () => {
  it('agrees with an exact-decimal library on every pair and random amounts', () => {
    const one = (code: string): Big => new Big(toRate(computeRate('USD', code)).toString());
    fc.assert(
      fc.property(
        fc.constantFrom(...currencies),
        fc.constantFrom(...currencies),
        fc.bigInt({ min: 1n, max: 99_999_999_999n }),
        (from, to, cents) => {
          const send = new Big(cents.toString()).div(100);
          const fee = send.times('0.005').round(2, Big.roundHalfUp);
          Big.DP = 40;
          const rate = from === to ? new Big(1) : one(to).div(one(from)).round(6, Big.roundHalfUp);
          const receive = send.minus(fee).times(rate).round(2, Big.roundHalfUp);
          const quote = quoteExchange({ from_currency: from, to_currency: to, send_amount: cents }, 'two');
          const shown = [toAmount(quote.fee), toRate(quote.rate), toAmount(quote.receive_amount)].map(String);
          expect(shown).toEqual([fee, rate, receive].map((figure) => figure.toFixed()));
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('the ledger', () => {
  const payment: Payment = {
    id: 'pay_test_1',
    mode: 'test',
    status: 'pending',
    from_currency: 'USD',
    to_currency: 'EUR',
    send_amount: 100_000n,
    fee: 500n,
    rate: 921_300n,
    receive_amount: 91_669n,
    beneficiary: { name: 'A', bank: null, account: null, country: null },
    purpose: null,
    created_at: 0,
    next: null,
  };
  const sum = (entries: Entry[]): Record<string, bigint> => {
    const sums: Record<string, bigint> = {};
    for (const { account, currency, amount } of entries.flatMap((entry) => entry.postings)) {
      sums[`${account} ${currency}`] = (sums[`${account} ${currency}`] ?? 0n) + amount;
    }
    return Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0n));
  };
  const [debit, completion] = [bookPayment(payment, 0), bookCompletion(payment, 0)];

  it('has the money in flight while a payment is under way', () => {
    expect(sum([debit])).toEqual({ 'wallet USD': -100_000n, 'in_flight USD': 100_000n });
  });

  it('earns the fee, exchanges the rest and pays it out on completion', () => {
    expect(sum([debit, completion])).toEqual({
      'wallet USD': -100_000n,
      'fees USD': 500n,
      'fx USD': 99_500n,
      'fx EUR': -91_669n,
      'paid_out EUR': 91_669n,
    });
  });

  it('is back where it began after a refund or a return', () => {
    expect(sum([debit, bookRefund(payment, 0)])).toEqual({});
    expect(sum([debit, completion, bookReturn(payment, 0)])).toEqual({});
  });

  it('balances every entry per currency', () => {
    for (const { postings } of [debit, completion, bookRefund(payment, 0), bookReturn(payment, 0)]) {
      for (const code of ['USD', 'EUR']) {
        const amounts = postings.filter(({ currency }) => currency === code).map(({ amount }) => amount);
        expect(amounts.reduce((total, amount) => total + amount, 0n)).toBe(0n);
      }
    }
  });
});
