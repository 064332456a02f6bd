import { BigDecimal } from './big-decimal.ts';

export type Mode = 'test' | 'live';

interface CurrencySettings {
  /** Units of the currency for one euro. */
  readonly perEuro: BigDecimal;
  readonly minimumFee: BigDecimal;
  readonly maximumFee: BigDecimal;
  /** Decimal places of the smallest amount that banks pay out. */
  readonly decimals: number;
  /** Whether payments can only be sent to the currency. */
  readonly isPayoutOnly: boolean;
}

function currency(perEuro: string, fees: readonly [string, string], rest: Partial<CurrencySettings> = {}) {
  const [minimum, maximum] = fees;
  return {
    perEuro: BigDecimal.of(perEuro),
    minimumFee: BigDecimal.of(minimum),
    maximumFee: BigDecimal.of(maximum),
    decimals: 2,
    isPayoutOnly: false,
    ...rest,
  };
}

export const currencies: ReadonlyMap<string, CurrencySettings> = new Map([
  ['AED', currency('3.9818', ['8.00', '320.00'])],
  ['CAD', currency('1.4815', ['3.00', '120.00'])],
  ['CHF', currency('0.9427', ['2.00', '75.00'])],
  ['EUR', currency('1', ['2.00', '80.00'])],
  ['GBP', currency('0.8431', ['1.75', '70.00'])],
  ['INR', currency('91.06', ['0.00', '0.00'], { isPayoutOnly: true })],
  ['JPY', currency('163.42', ['300.00', '13000.00'], { decimals: 0 })],
  ['KES', currency('140.23', ['0.00', '0.00'], { isPayoutOnly: true })],
  ['NGN', currency('1685.5', ['0.00', '0.00'], { isPayoutOnly: true })],
  ['PLN', currency('4.2985', ['8.50', '340.00'])],
  ['SEK', currency('11.367', ['22.00', '900.00'])],
  ['USD', currency('1.0842', ['2.20', '88.00'])],
]);

export const pricing = {
  feeShare: BigDecimal.of('0.0025'),
  /** Fee of a payment without an exchange, as a share of the minimum fee. */
  domesticShare: BigDecimal.of('0.5'),
  /** Share of the rate that an amount of at least so many euros pays, largest first. */
  margins: [
    { from: BigDecimal.of('10000'), margin: BigDecimal.of('0.0030') },
    { from: BigDecimal.of('1000'), margin: BigDecimal.of('0.0045') },
    { from: BigDecimal.of('0'), margin: BigDecimal.of('0.0060') },
  ],
} as const;

/** Limits of one payment, in euros. */
export const limits = {
  /** Payments of at least this amount are reviewed before they are sent. */
  review: BigDecimal.of('10000'),
  maximum: BigDecimal.of('50000'),
} as const;

/** Opening balances by mode. */
export const openingBalances: Readonly<Record<Mode, readonly (readonly [string, string])[]>> = {
  test: [
    ['EUR', '80000.00'],
    ['GBP', '25000.00'],
    ['PLN', '0.00'],
    ['USD', '150000.00'],
  ],
  live: [['EUR', '1000.00']],
};

/** Beneficiary accounts of the test mode. */
export const testAccounts = {
  /** The beneficiary's bank rejects the payment. */
  rejected: 'LU360029152460050000',
  /** The beneficiary's bank returns the payment after it completed. */
  returned: 'LU870029152460060000',
  /** The verification of the beneficiary is not available. */
  unavailable: 'LU040029152460090000',
} as const;

/** Durations in milliseconds, at speed 1. */
export const durations = {
  screening: [1_500, 3_000],
  review: 5_000,
  clearing: [3_000, 6_000],
  return: [4_000, 6_000],
  /** Interval of the job that moves payments. */
  settlementJob: 500,
  /** Interval of the job that sends webhooks. */
  outboxJob: 400,
  webhookTimeout: 5_000,
  /** Waits before the second and later attempts of a webhook. */
  webhookBackoff: [2_000, 6_000, 18_000],
  outage: 6_000,
} as const satisfies Record<string, number | readonly number[]>;

/** Bucket of the requests that write. */
export const rateLimit = { capacity: 30, refillPerSecond: 6 } as const;
