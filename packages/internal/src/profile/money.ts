import type { Duration } from '../duration.ts';

/** A rule of the fee schedule. The fee is `percent` of the sent amount plus `flat`, within `minimum` and `maximum`. */
export interface FeeRule {
  /**
   * The sent currency to which the rule applies.
   *
   * @default every currency
   */
  readonly from?: string;
  /**
   * The received currency to which the rule applies.
   *
   * @default every currency
   */
  readonly to?: string;
  /**
   * The share of the sent amount, in percent, as decimal text.
   *
   * @default '0'
   * @example '0.5'
   */
  readonly percent?: string;
  /**
   * A fixed amount of the sent currency, as decimal text. None if it is left out.
   *
   * @example '3.00'
   */
  readonly flat?: string;
  /** The smallest fee, in the sent currency, as decimal text. */
  readonly minimum?: string;
  /** The largest fee, in the sent currency, as decimal text. */
  readonly maximum?: string;
  /**
   * The direction in which fees are rounded.
   *
   * @default that of the setting `rounding`
   */
  readonly rounding?: (typeof feeRoundings)[number];
}

/** The directions in which a fee can be rounded. */
export const feeRoundings = ['up', 'down'] as const;

/** The exchange rates. */
export interface RateSettings {
  /**
   * The rates of some pairs as quotes show them, as decimal text. Nothing is deducted from them. The rates of other
   * pairs follow from them or from the table of the mock.
   *
   * @example { 'USD/EUR': '0.9213' }
   */
  readonly pairs?: Readonly<Record<string, string>>;
  /**
   * The share of the rate that is deducted in each direction of the other pairs, as decimal text. None if it is
   * left out.
   *
   * @example '0.002'
   */
  readonly spread?: string;
  /**
   * The changes of rates over time.
   *
   * @default none
   */
  readonly moves?: RateMoves;
  /** Other rates for larger amounts, from the smallest amount to the largest. The last one that an amount reaches applies. */
  readonly tiers?: readonly RateTier[];
}

/** The rates from an amount on. */
export interface RateTier {
  /**
   * The smallest amount in some sent currencies, as decimal text. An amount in another currency is converted into the
   * first one of them.
   *
   * @example { EUR: '1000.00' }
   */
  readonly from: Readonly<Record<string, string>>;
  /** The rates of some pairs. Other pairs have the same rates as smaller amounts. */
  readonly pairs?: Readonly<Record<string, string>>;
  /** The share of the rate that is deducted from other pairs. That of smaller amounts if it is left out. */
  readonly spread?: string;
}

/** The changes of rates. They depend only on the seed, the pair and the time. */
export interface RateMoves {
  /**
   * The largest difference from the rate without changes, as a share of it, as decimal text.
   *
   * @example '0.001'
   */
  readonly by: string;
  /** The time between two changes. A minute if it is left out. */
  readonly every?: Duration;
}

/** The settings for money whose values are not a list of choices. */
export interface MoneySettings {
  /**
   * The fee: the first rule for the two currencies; without one, 0; with `feeMode: inRate`, `percent` is the margin;
   * `rounding` is `up` or `down`, and without it that of the setting `rounding`; `[{ "percent": "0.5" }]` by
   * default.
   *
   * @group Money
   * @sdk never recomputes `receive_amount`
   * @values `[{ from?, to?, percent?, flat?, minimum?, maximum?, rounding? }]`
   * @example [{ from: 'JPY', flat: '300' }, { percent: '1', flat: '0.30', minimum: '1.00', maximum: '50.00',
   * rounding: 'up' }]
   */
  readonly fees: readonly FeeRule[];
  /**
   * The rates: those of some pairs as a quote shows them; the share that is deducted from the rates of other pairs;
   * changes by at most a share, each minute or `every` so often; and other rates from an amount on. A pair without a
   * rate has that of its inverse, or of both currencies to USD.
   *
   * @group Money
   * @sdk never computes with a rate
   * @values `{ pairs?, spread?, moves?, tiers? }`
   * @example { pairs: { 'USD/EUR': '0.92' }, spread: '0.002', moves: { by: '0.001', every: '5s' }, tiers: [{ from: {
   * EUR: '1000.00' }, pairs: { 'USD/EUR': '0.921' }, spread: '0.001' }] }
   */
  readonly rates: RateSettings;
  /**
   * The supported currencies: the 46 of the mock, or a list; others are rejected with 422.
   *
   * @group Money
   * @sdk sends any code of three letters
   * @values `default`, or a list of codes
   * @example ['USD', 'EUR', 'NGN']
   */
  readonly currencies: 'default' | readonly string[];
  /**
   * The opening balances of new accounts in test mode, unless the account has `balances`: 100000.00 in USD, EUR and
   * GBP, or others.
   *
   * @group Money
   * @sdk returns the wallets that the service has
   * @values `default`, or `{ CODE: balance }`
   * @example { USD: '2500.00', JPY: '0' }
   */
  readonly wallets: 'default' | Readonly<Record<string, string>>;
  /**
   * The smallest and the largest amount to send: 0.01 and 999999999.99, or others.
   *
   * @group Requests
   * @sdk leaves the limits to the service
   * @values `{ minimum, maximum }`
   * @example { minimum: '1.00', maximum: '50000.00' }
   */
  readonly amountLimits: {
    /** The smallest amount, such as `'0.01'`. */
    readonly minimum: string;
    /** The largest amount, such as `'999999999.99'`. */
    readonly maximum: string;
  };
  /**
   * The maximum number of characters of a text field; a longer one is rejected with 422.
   *
   * @group Requests
   * @sdk leaves the limit to the service
   * @values `255`, or another number
   * @example 140
   */
  readonly textLimit: number;
}

/** The default values of the settings for money. */
export const moneyDefaults: MoneySettings = {
  fees: Object.freeze([Object.freeze({ percent: '0.5' })]),
  rates: Object.freeze({}),
  currencies: 'default',
  wallets: 'default',
  amountLimits: Object.freeze({ minimum: '0.01', maximum: '999999999.99' }),
  textLimit: 255,
};

/** The currencies of the table of the mock, sorted by code. */
export const defaultCurrencies = [
  'AED',
  'AUD',
  'BDT',
  'BHD',
  'BRL',
  'CAD',
  'CHF',
  'CLP',
  'CNY',
  'COP',
  'CZK',
  'DKK',
  'EGP',
  'EUR',
  'GBP',
  'GHS',
  'HKD',
  'HUF',
  'IDR',
  'ILS',
  'INR',
  'JPY',
  'KES',
  'KRW',
  'KWD',
  'MAD',
  'MXN',
  'MYR',
  'NGN',
  'NOK',
  'NZD',
  'PHP',
  'PKR',
  'PLN',
  'RON',
  'SAR',
  'SEK',
  'SGD',
  'THB',
  'TRY',
  'TWD',
  'UGX',
  'USD',
  'VND',
  'XOF',
  'ZAR',
] as const;
