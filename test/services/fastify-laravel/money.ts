// Amounts are cents in every currency. Rates are millionths.

const unitsPerDollar: Readonly<Record<string, bigint>> = {
  USD: 1_000_000n,
  EUR: 914_300n,
  GBP: 786_200n,
  CHF: 883_150n,
  JPY: 151_370_000n,
};
const MILLION = 1_000_000n;
const MIN_FEE = 100n;
const MAX_FEE = 50_00n;

export const isCurrency = (code: string): boolean => code in unitsPerDollar;

export interface Price {
  readonly sent: bigint;
  readonly fee: bigint;
  readonly rate: bigint;
  readonly received: bigint;
}

/** Returns the price of a payment. The fee, 1 % and at least 1.00 and at most 50.00, is deducted from the amount. */
export function price(sent: bigint, from: string, to: string): Price {
  const rate = divide((unitsPerDollar[to] ?? 0n) * MILLION, unitsPerDollar[from] ?? 1n);
  const percent = divide(sent, 100n);
  const fee = percent < MIN_FEE ? MIN_FEE : percent > MAX_FEE ? MAX_FEE : percent;
  const converted = sent > fee ? sent - fee : 0n;
  return { sent, fee, rate, received: divide(converted * rate, MILLION) };
}

/** Divides and rounds half up. */
function divide(dividend: bigint, divisor: bigint): bigint {
  return (dividend * 2n + divisor) / (divisor * 2n);
}

/** Returns the cents of a decimal with at most two places. */
export function parseCents(decimal: string): bigint | undefined {
  const [, units, places = ''] = /^(\d{1,12})(?:\.(\d{0,2}))?$/.exec(decimal) ?? [];
  return units === undefined ? undefined : BigInt(units + places.padEnd(2, '0'));
}

export const toUnits = (cents: bigint): number => Number(cents) / 100;
