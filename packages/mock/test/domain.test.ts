import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeRate, currencies, quoteExchange, smallestStep } from '../src/domain/money.ts';
import { toAmount, toRate } from '../src/domain/json.ts';
import { defaultProfile, type Terms } from '../src/domain/profile.ts';
import { settings } from '../src/domain/settings.ts';
import { fee as feeRule } from './fee-rules.ts';
import { runs } from '../../../test/support/runs.ts';

/** Computes a quote with a decimal library, in the steps of docs/contract.md#quotes. */
function quoteWithBig(from: string, to: string, cents: bigint, terms: Terms): string[] {
  const modes = { half_up: Big.roundHalfUp, half_even: Big.roundHalfEven, down: Big.roundDown };
  const mode = modes[terms.rounding];
  const decimals = (code: string): number =>
    terms.minorUnits === 'iso' && smallestStep(code, 'iso') === 100n ? 0 : 2;
  const perDollar = (code: string): Big =>
    new Big(toRate(computeRate('USD', code, defaultProfile)).toString());
  const send = new Big(cents.toString()).div(100);
  const { percent = 0, flat = 0, minimum = 0, maximum = 1e15, mode: feeMode = 'inside' } = terms.fees;
  const share = new Big(percent).div(100);
  // Divided last: a quotient is rounded, and its product could miss an exact rate.
  const rate = (from === to ? new Big(1) : perDollar(to).div(perDollar(from))).round(6, mode);
  const [exact, least, most] = [send.times(share).plus(flat), new Big(minimum), new Big(maximum)];
  const within = exact.lt(least) ? least : exact.gt(most) ? most : exact;
  const fee = within.round(decimals(from), mode);
  const left = feeMode === 'inside' ? send.minus(fee) : send;
  const exchanged = left.lt(0) ? new Big(0) : left;
  return [fee, rate, exchanged.times(rate).round(decimals(to), mode)].map((figure) => figure.toFixed());
}

describe('rates and quotes', () => {
  const pair = [fc.constantFrom(...currencies), fc.constantFrom(...currencies)] as const;
  const cents = fc.bigInt({ min: 1n, max: 99_999_999_999n });
  /** Returns the difference between the two results, or empty text. */
  const compare = (from: string, to: string, amount: bigint, terms: Terms): string => {
    const quote = quoteExchange({ from_currency: from, to_currency: to, send_amount: amount }, terms);
    const shown = [toAmount(quote.fee), toRate(quote.rate), toAmount(quote.receive_amount)].join(' ');
    const wanted = quoteWithBig(from, to, amount, terms).join(' ');
    return shown === wanted ? '' : `${shown} instead of ${wanted}`;
  };
  Big.DP = 40;

  it('agrees with the library under every rounding, precision and fee setting', () => {
    const terms = fc.record({
      rounding: fc.constantFrom(...settings.rounding),
      minorUnits: fc.constantFrom(...settings.minorUnits),
      fees: feeRule,
    });
    const property = fc.property(...pair, cents, terms, (from, to, amount, chosen) => {
      const step = smallestStep(from, chosen.minorUnits);
      const whole = (amount / step + 1n) * step;
      expect(compare(from, to, whole, { ...defaultProfile, ...chosen })).toBe('');
    });
    fc.assert(property, { numRuns: runs(2_000) });
  });

  it('never pays out less for a larger amount', () => {
    const property = fc.property(...pair, cents, cents, (from, to, ...amounts) => {
      const [less, more] = (amounts[0] < amounts[1] ? amounts : amounts.toReversed()).map(
        (send_amount) =>
          quoteExchange({ from_currency: from, to_currency: to, send_amount }, defaultProfile).receive_amount,
      ) as [bigint, bigint];
      expect(more).toBeGreaterThanOrEqual(less);
    });
    fc.assert(property, { numRuns: runs(500) });
  });
});
