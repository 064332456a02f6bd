import { describe, expect, it } from 'vitest';
import { type Exchange, probeService, type ProbeOutcome } from './probe-service.ts';

interface Priced {
  fee?: number;
  rate: number;
  receive: number;
}
type Price = (amount: number, from: string, to: string) => Priced | undefined;

/** Probes a service that computes its quotes by a formula. Doubles are exact enough for these amounts. */
function probePrices(price: Price, plan: { from?: string; to?: string } = {}): Promise<ProbeOutcome> {
  const intercept = async ({ path, body, forward }: Exchange): Promise<Response> => {
    const { from_currency, to_currency, amount } = body;
    const isPlain = typeof amount === 'number' && amount >= 0.01;
    if (path !== '/quotes' || !isPlain) return forward();
    const priced = price(amount, String(from_currency), String(to_currency));
    if (priced === undefined) return forward();
    const { fee = 0, rate, receive } = priced;
    const data = { from_currency, to_currency, send_amount: amount, fee, rate, receive_amount: receive };
    return Response.json({ success: true, mode: 'test', data });
  };
  return probeService({ intercept, options: { ...plan, payments: false } });
}

const cents = (value: number): number => Math.round(Math.round(value * 1e7) / 1e5) / 100;
const exact = (value: number): number => Math.round(value * 1e6) / 1e4;

describe('probe, quotes', () => {
  it.each<[string, Price]>([
    ['hidden digits that lower the rate', (a) => ({ rate: 0.9213, receive: cents(a * 0.921299964) })],
    ['all amounts rounded up', (a) => ({ rate: 0.9213, receive: Math.ceil(exact(a * 0.9213)) / 100 })],
    [
      'a fee that is rounded only in the response',
      (a) => ({ fee: cents(a * 0.005), rate: 0.9213, receive: cents(a * 0.995 * 0.9213) }),
    ],
  ])('reports no value for rounding with %s', async (_, price) => {
    const outcome = await probePrices(price);
    expect(['unknown', 'partly']).toContain(outcome.result('rounding'));
  });

  it.each<[string, Price]>([
    [
      'minimum fee',
      (a) => ({
        fee: Math.max(5, cents(a * 0.005)),
        rate: 0.9213,
        receive: cents((a - Math.max(5, cents(a * 0.005))) * 0.9213),
      }),
    ],
  ])('measures the rounding with a %s', async (_, price) => {
    const outcome = await probePrices((a, from, to) => (a < 6 ? undefined : price(a, from, to)));
    expect(outcome.result('rounding')).toBe('half_up');
  });

  it('names a fee in the rate, which the measured rates contain, as not explained', async () => {
    const rates = { spread: '0.004' };
    const [inRate, none] = [
      await probeService({
        options: { payments: false },
        profile: { fees: [{ percent: '0.5', mode: 'inRate' }], rates },
      }),
      await probeService({ options: { payments: false }, profile: { fees: [], rates } }),
    ];
    expect(inRate.find('fees')).toMatchObject({
      state: 'partly',
      value: [],
      missing: [expect.stringContaining('margin')],
    });
    expect(none.result('fees')).toEqual([]);
  });

  it('names the rates of larger amounts as not explained', async () => {
    const rates = {
      pairs: { 'USD/EUR': '0.8' },
      tiers: [{ from: { EUR: '1000.00' }, pairs: { 'USD/EUR': '0.81' } }],
    };
    const { result, find } = await probeService({ profile: { rates }, options: { payments: false } });
    expect(find('rates')).toMatchObject({ state: 'partly', missing: ['the rates of other amounts'] });
    expect(result('fees')).toEqual([{ percent: '0.5' }]);
  });

  it.each(['half_up', 'half_even', 'down'] as const)(
    'finds the rounding %s where rates depend on the amount',
    async (rounding) => {
      const rates = {
        pairs: { 'USD/EUR': '0.9168' },
        tiers: [
          { from: { USD: '1084.20' }, pairs: { 'USD/EUR': '0.918075' } },
          { from: { USD: '10842.00' }, pairs: { 'USD/EUR': '0.919575' } },
        ],
      };
      const { result } = await probeService({ profile: { rates, rounding }, options: { payments: false } });
      expect(result('rounding')).toBe(rounding);
    },
  );

  it.each([
    ['half_even', 'down'],
    ['half_up', 'half_even'],
    ['half_even', 'half_up'],
  ] as const)('finds the rounding %s of fees beside %s of amounts', async (rounding, ofAmounts) => {
    const fees = [{ percent: '0.45', minimum: '1.00', mode: 'onTop', rounding }] as const;
    const { result } = await probeService({
      profile: { fees, rounding: ofAmounts },
      options: { payments: false },
    });
    expect([result('fees'), result('rounding')]).toEqual([fees, ofAmounts]);
  });

  it('finds the rounding where a fee on top changes small received amounts by little', async () => {
    const { result } = await probePrices((a, from) => {
      const rate = from === 'USD' ? 0.926183 : 0.002689;
      return { fee: Math.max(1, cents(a * 0.0045)), rate, receive: Math.floor(exact(a * rate)) / 100 };
    });
    expect(result('rounding')).toBe('down');
  });

  it('does not derive a margin from a changing rate', async () => {
    let rate = 0.92;
    const outcome = await probePrices((a, from) => {
      rate *= 1.01;
      const shown = Math.round((from === 'USD' ? rate : 1 / rate) * 1e6) / 1e6;
      return { rate: shown, receive: cents(a * shown) };
    });
    expect(outcome.result('fees')).toBe('partly');
    expect(['unknown', 'partly', 'half_up']).toContain(outcome.result('rounding'));
  });

  it('reports no value for minorUnits with three decimals', async () => {
    const outcome = await probePrices((a, _, to) => {
      if (to === 'KWD') return { rate: 0.3071, receive: Math.round(a * 307.1) / 1_000 };
      return to === 'EUR' ? undefined : { rate: 151.23, receive: Math.round(a * 151.23) };
    });
    expect(outcome.result('minorUnits')).toBe('partly');
  });
});
