import { divideHalfEven } from './decimals.ts';

/** Rates of the currency pairs, in millionths. */
const rates: Readonly<Record<string, bigint>> = {
  'USD/EUR': 921_345n,
  'USD/GBP': 788_010n,
  'USD/NGN': 1_534_250_000n,
  'EUR/USD': 1_081_120n,
  'EUR/GBP': 854_900n,
  'GBP/USD': 1_264_470n,
  'GBP/EUR': 1_167_730n,
  'NGN/USD': 640n,
};
const FLAT_FEE = 2_00n;

export const currencies = [...new Set(Object.keys(rates).flatMap((pair) => pair.split('/')))];

export interface Pricing {
  readonly fee: bigint;
  readonly rate: bigint;
  readonly received: bigint;
}

/** Returns the price of sending an amount. The fee, 2.00 plus 0.5 %, is charged on top of it. */
export function quoteCents(sent: bigint, from: string, to: string): Pricing | undefined {
  const rate = rates[`${from}/${to}`];
  if (rate === undefined) return undefined;
  const fee = FLAT_FEE + divideHalfEven(sent * 5n, 1_000n);
  return { fee, rate, received: divideHalfEven(sent * rate, 1_000_000n) };
}
