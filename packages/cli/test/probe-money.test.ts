// What the probe makes of quotes that other models of price give: hidden digits, other roundings, fees that hardly show, round rates.
import { expect, it } from 'vitest';
import { type Asked, probeService, type Seen } from './probe-world.ts';

type Priced = { fee?: number; rate: number; receive: number };
type Price = (amount: number, from: string, to: string) => Priced | undefined;

/** Probes a service that prices its quotes by a formula; doubles are exact enough for figures of this size. */
function probePrices(price: Price, plan: { from?: string; to?: string } = {}): Promise<Seen> {
  const bend = async ({ path, body, answer }: Asked): Promise<Response> => {
    const { from_currency, to_currency, amount } = body;
    const isPlain = typeof amount === 'number' && amount >= 0.01;
    if (path !== '/quotes' || !isPlain) return answer();
    const priced = price(amount, String(from_currency), String(to_currency));
    if (priced === undefined) return answer();
    const { fee = 0, rate, receive } = priced;
    const data = { from_currency, to_currency, send_amount: amount, fee, rate, receive_amount: receive };
    return Response.json({ success: true, mode: 'test', data });
  };
  return probeService({ pays: false, bend, plan });
}

const cents = (value: number): number => Math.round(Math.round(value * 1e7) / 1e5) / 100;
const exact = (value: number): number => Math.round(value * 1e6) / 1e4;

it.each<[string, Price]>([
  [
    'more digits of the rate than it shows, below',
    (a) => ({ rate: 0.9213, receive: cents(a * 0.921299964) }),
  ],
  [
    'more digits of the rate than it shows, above',
    (a) => ({ rate: 0.9213, receive: cents(a * 0.921300036) }),
  ],
  ['a rate that is shown with four digits', (a) => ({ rate: 0.9213, receive: cents(a * 0.92134567) })],
  ['all figures rounded up', (a) => ({ rate: 0.9213, receive: Math.ceil(exact(a * 0.9213)) / 100 })],
  ['halves rounded down', (a) => ({ rate: 0.9213, receive: Math.ceil(exact(a * 0.9213) - 0.5) / 100 })],
  [
    'a fee that is rounded only where it is shown',
    (a) => ({ fee: cents(a * 0.005), rate: 0.9213, receive: cents(a * 0.995 * 0.9213) }),
  ],
])('does not read a way of rounding out of %s', async (_, price) => {
  const seen = await probePrices(price);
  expect(['unknown', 'other']).toContain(seen.said('rounding'));
});

it.each<[string, Price]>([
  [
    'least fee',
    (a) => ({
      fee: Math.max(5, cents(a * 0.005)),
      rate: 0.9213,
      receive: cents((a - Math.max(5, cents(a * 0.005))) * 0.9213),
    }),
  ],
  [
    'largest fee',
    (a) => ({
      fee: Math.min(2, cents(a * 0.005)),
      rate: 0.9213,
      receive: cents((a - Math.min(2, cents(a * 0.005))) * 0.9213),
    }),
  ],
])('finds out the rounding under a %s', async (_, price) => {
  const seen = await probePrices((a, from, to) => (a < 6 ? undefined : price(a, from, to)));
  expect(seen.said('feeMode')).toBe('inside');
  expect(seen.said('rounding')).toBe('half_up');
});

it('cannot tell where a fee is that is too small to show', async () => {
  const seen = await probePrices((a) => ({ fee: 0.01, rate: 0.9213, receive: cents((a - 0.01) * 0.9213) }));
  expect(seen.of('feeMode')).toMatchObject({ state: 'unknown', among: ['inside', 'onTop'] });
});

it('finds a fee inside where the rate is shown with few digits', async () => {
  const seen = await probePrices((a) => ({
    fee: a / 200,
    rate: 0.9213,
    receive: cents(a * 0.995 * 0.92134567),
  }));
  expect(seen.said('feeMode')).toBe('inside');
});

it('finds where the fee is when what is received has no decimals', async () => {
  const plan = { to: 'JPY' };
  const seen = await probePrices(
    (a) => ({ fee: a / 200, rate: 151.23, receive: Math.round(a * 0.995 * 151.23) }),
    plan,
  );
  expect(seen.said('feeMode')).toBe('inside');
});

it('takes a fee in the currency that is received for a way of its own', async () => {
  const seen = await probePrices((a) => ({ fee: 5, rate: 0.9213, receive: cents(a * 0.9213 - 5) }));
  expect(seen.said('feeMode')).toBe('other');
});

it('does not take the few digits of a small rate for a margin', async () => {
  const seen = await probeService({ pays: false, plan: { to: 'VND' }, profile: { feeMode: 'none' } });
  expect(seen.of('feeMode')).toMatchObject({ state: 'unknown', among: ['inRate', 'none'] });
});

it('does not read a margin out of rates that move', async () => {
  let rate = 0.92;
  const seen = await probePrices((a, from) => {
    rate *= 1.01;
    const shown = Math.round((from === 'USD' ? rate : 1 / rate) * 1e6) / 1e6;
    return { rate: shown, receive: cents(a * shown) };
  });
  expect(seen.said('feeMode')).toBe('unknown');
  expect(['unknown', 'other']).toContain(seen.said('rounding'));
});

it('does not take a round rate for a currency without decimals', async () => {
  const seen = await probePrices((a, _, to) =>
    to === 'EUR' ? undefined : { rate: 150, receive: cents(a * 150) },
  );
  expect(seen.said('minorUnits')).toBe('two');
});

it('cannot tell decimals where every rate is a hundred', async () => {
  const seen = await probePrices((a, _, to) =>
    to === 'EUR' ? undefined : { rate: 100, receive: cents(a * 100) },
  );
  expect(seen.said('minorUnits')).toBe('unknown');
});

it('takes three decimals for a way of its own', async () => {
  const seen = await probePrices((a, _, to) => {
    if (to === 'KWD') return { rate: 0.3071, receive: Math.round(a * 307.1) / 1_000 };
    return to === 'EUR' ? undefined : { rate: 151.23, receive: Math.round(a * 151.23) };
  });
  expect(seen.said('minorUnits')).toBe('other');
});
