import { divideHalfEven } from './decimal.ts';

export const currencies = ['AED', 'CNY', 'EUR', 'GBP', 'HKD', 'INR', 'SGD', 'USD'] as const;
export type Currency = (typeof currencies)[number];

/** Millionths of each currency for one US dollar. */
const dollarRates: Readonly<Record<Currency, bigint>> = {
  AED: 3_672_500n,
  CNY: 7_118_400n,
  EUR: 864_300n,
  GBP: 759_800n,
  HKD: 7_782_100n,
  INR: 88_712_500n,
  SGD: 1_305_600n,
  USD: 1_000_000n,
};

const minimumFees: Readonly<Record<Currency, bigint>> = {
  AED: 400n,
  CNY: 700n,
  EUR: 100n,
  GBP: 80n,
  HKD: 800n,
  INR: 9000n,
  SGD: 150n,
  USD: 100n,
};

/** Fee in basis points of the sent amount. */
const FEE_BASIS_POINTS = 50n;
/** Margin on the market rate in basis points. */
const MARGIN_BASIS_POINTS = 45n;
const BASIS_POINTS = 10_000n;
const MILLION = 1_000_000n;

export interface QuoteOrder {
  readonly from_currency: Currency;
  readonly to_currency: Currency;
  readonly amount: bigint;
}

/** Amounts in minor units, the rate in millionths. */
export interface Quote {
  readonly fromCurrency: Currency;
  readonly toCurrency: Currency;
  readonly sendAmount: bigint;
  /** Fee that the wallet pays in addition to the sent amount. */
  readonly fee: bigint;
  readonly rate: bigint;
  readonly receiveAmount: bigint;
}

export function createQuote({ from_currency: from, to_currency: to, amount }: QuoteOrder): Quote {
  const rate = getRate(from, to);
  const percentage = divideHalfEven(amount * FEE_BASIS_POINTS, BASIS_POINTS);
  const minimum = minimumFees[from];
  return {
    fromCurrency: from,
    toCurrency: to,
    sendAmount: amount,
    fee: percentage > minimum ? percentage : minimum,
    rate,
    receiveAmount: divideHalfEven(amount * rate, MILLION),
  };
}

function getRate(from: Currency, to: Currency): bigint {
  if (from === to) return MILLION;
  return divideHalfEven(
    dollarRates[to] * MILLION * (BASIS_POINTS - MARGIN_BASIS_POINTS),
    dollarRates[from] * BASIS_POINTS,
  );
}
