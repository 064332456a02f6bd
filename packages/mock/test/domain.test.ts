import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  currencies,
  parseDecimal,
  quoteExchange,
  smallestStep,
  toAmount,
  toRate,
} from '../src/domain/money.ts';
import { defaultProfile, profileSettings, type Terms } from '../src/domain/profile.ts';
import { computeRate, type Market } from '../src/domain/rates.ts';
import { feeSchedule } from './fee-rules.ts';
import { runs } from '../../../test/support/runs.ts';

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

  it('writes the shortest form of each value', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (units) => {
        const text = toAmount(units).toString();
        expect(parseDecimal(text, 2)).toBe(units);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d?[1-9])?$/);
      }),
    );
  });
});

const market: Market = { now: 0, draw: () => 0 };

/** Computes a quote with a decimal library, in the steps of docs/contract.md#quotes. */
function quoteWithBig(from: string, to: string, cents: bigint, terms: Terms): string[] {
  const modes = { half_up: Big.roundHalfUp, half_even: Big.roundHalfEven, down: Big.roundDown };
  const mode = modes[terms.rounding];
  const decimals = (code: string): number =>
    terms.minorUnits === 'iso' && smallestStep(code, 'iso') === 100n ? 0 : 2;
  const perDollar = (code: string): Big =>
    new Big(
      toRate(
        computeRate({ from: 'USD', to: code, amount: 100n, margin: 0n }, defaultProfile, market),
      ).toString(),
    );
  const send = new Big(cents.toString()).div(100);
  const mid = from === to ? new Big(1) : perDollar(to).div(perDollar(from));
  const rule = terms.fees.find(
    (each) => [undefined, from].includes(each.from) && [undefined, to].includes(each.to),
  );
  const { percent = 0, flat = 0, minimum = 0, maximum = 1e15 } = rule ?? {};
  const share = new Big(percent).div(100);
  const rate = (terms.feeMode === 'inRate' ? mid.times(new Big(1).minus(share)) : mid).round(6, mode);
  const hasFee = terms.feeMode === 'inside' || terms.feeMode === 'onTop';
  const [exact, least, most] = [send.times(share).plus(flat), new Big(minimum), new Big(maximum)];
  const within = exact.lt(least) ? least : exact.gt(most) ? most : exact;
  const fee = hasFee ? within.round(decimals(from), mode) : new Big(0);
  const left = terms.feeMode === 'inside' ? send.minus(fee) : send;
  const exchanged = left.lt(0) ? new Big(0) : left;
  return [fee, rate, exchanged.times(rate).round(decimals(to), mode)].map((figure) => figure.toFixed());
}

describe('rates and quotes', () => {
  const pair = [fc.constantFrom(...currencies), fc.constantFrom(...currencies)] as const;
  const cents = fc.bigInt({ min: 1n, max: 99_999_999_999n });
  /** Returns the difference between the two results, or empty text. */
  const compare = (from: string, to: string, amount: bigint, terms: Terms): string => {
    const quote = quoteExchange({ from_currency: from, to_currency: to, send_amount: amount }, terms, market);
    const shown = [toAmount(quote.fee), toRate(quote.rate), toAmount(quote.receive_amount)].join(' ');
    const wanted = quoteWithBig(from, to, amount, terms).join(' ');
    return shown === wanted ? '' : `${shown} instead of ${wanted}`;
  };
  Big.DP = 40;

  it('agrees with an exact-decimal library on random quotes', () => {
    const property = fc.property(...pair, cents, (from, to, amount) => {
      expect(compare(from, to, amount, defaultProfile)).toBe('');
    });
    fc.assert(property, { numRuns: runs(10_000) });
  });

  it('agrees with the library under every rounding, precision and fee setting', () => {
    const terms = fc.record({
      rounding: fc.constantFrom(...profileSettings.rounding),
      minorUnits: fc.constantFrom(...profileSettings.minorUnits),
      feeMode: fc.constantFrom(...profileSettings.feeMode),
      fees: feeSchedule,
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
          quoteExchange({ from_currency: from, to_currency: to, send_amount }, defaultProfile, market)
            .receive_amount,
      ) as [bigint, bigint];
      expect(more).toBeGreaterThanOrEqual(less);
    });
    fc.assert(property, { numRuns: runs(500) });
  });
});

describe('computeRate', () => {
  const rate = (from: string, to: string, rates: Terms['rates'], over: Partial<Market> = {}): string =>
    toRate(
      computeRate(
        { from, to, amount: 100n, margin: 0n },
        { rounding: 'half_up', rates },
        { ...market, ...over },
      ),
    ).toString();

  it.each<[from: string, to: string, rates: Terms['rates'], expected: string]>([
    ['USD', 'EUR', { pairs: { 'USD/EUR': '0.9' } }, '0.9'],
    ['USD', 'EUR', { pairs: { 'USD/EUR': '0.9' }, spread: '0.01' }, '0.9'],
    ['EUR', 'USD', { pairs: { 'USD/EUR': '0.8' } }, '1.25'],
    ['EUR', 'USD', { pairs: { 'USD/EUR': '0.8' }, spread: '0.1' }, '1.0125'],
    ['EUR', 'USD', { pairs: { 'USD/EUR': '0.8', 'EUR/USD': '1.2' } }, '1.2'],
    ['USD', 'EUR', { spread: '0.1' }, '0.82917'],
    ['EUR', 'GBP', { pairs: { 'USD/EUR': '0.8', 'GBP/USD': '1.25' } }, '1'],
    ['TZS', 'EUR', { pairs: { 'USD/TZS': '2500', 'USD/EUR': '0.8' } }, '0.00032'],
    ['TZS', 'EUR', {}, '0'],
    ['USD', 'USD', { spread: '0.1' }, '1'],
  ])('has for %s to %s with %j the rate %s', (from, to, rates, expected) => {
    expect(rate(from, to, rates)).toBe(expected);
  });

  it('changes with the interval, by at most the share, and its inverse is the inverse', () => {
    const moves = { by: '0.01', every: '5s' } as const;
    const draw = (purpose: string): number => (purpose === 'rate EUR/USD 1' ? 1 : 0.5);
    const pairs = { 'USD/EUR': '0.8' };
    const at = (now: number, from = 'USD', to = 'EUR'): string =>
      rate(from, to, { pairs, moves }, { now, draw });
    expect([at(0), at(4_999), at(10_000)]).toEqual(['0.8', '0.8', '0.8']);
    expect([at(5_000), at(9_999), at(5_000, 'EUR', 'USD')]).toEqual(['0.792079', '0.792079', '1.2625']);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999999, noNaN: true }), (drawn) => {
        const moved = Number(rate('USD', 'EUR', { moves }, { draw: () => drawn }));
        expect(Math.abs(Math.log(moved / 0.9213))).toBeLessThanOrEqual(0.01006);
      }),
      { numRuns: runs(100) },
    );
  });
});
