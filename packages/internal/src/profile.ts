import type { Duration } from './duration.ts';
import type { Example } from './example.ts';

/** The names of the refusals. */
export const refusals = [
  'authentication',
  'missing_key',
  'unknown_path',
  'unknown_method',
  'unknown_payment',
  'malformed_id',
  'unknown_page',
  'foreign_payment',
  'validation',
  'unknown_currency',
  'malformed_body',
  'malformed_key',
  'not_an_object',
  'media_type',
  'body_size',
  'insufficient_funds',
  'rate_limit',
  'key_reused',
  'key_of_other_body',
  'server_error',
  'unavailable',
] as const;

/** The name of a refusal. */
export type Refusal = (typeof refusals)[number];

/** The refusals that are like another one in a profile without a response of their own. */
export const similarRefusals: { readonly [Name in Refusal]?: Refusal } = {
  missing_key: 'authentication',
  malformed_id: 'unknown_payment',
  unknown_currency: 'validation',
  foreign_payment: 'unknown_payment',
  malformed_key: 'malformed_body',
  not_an_object: 'validation',
  unavailable: 'server_error',
};

/** The response of a refusal. Fields that it leaves out are those of the refusal `all`, or the documented ones. */
export interface RefusalExample {
  /** The HTTP status, from 400 to 599. */
  readonly status?: number;
  /** The `type` of the error. */
  readonly type?: string;
  /** The `message` of the error. */
  readonly message?: string;
  /** The JSON body, such as `{ code: '{type}' }`, or a text that is sent as it is, such as an HTML page. */
  readonly body?: Example;
}

/** The responses to refusals: `all`, and those that differ. */
export type RefusalSettings = { readonly [Name in 'all' | Refusal]?: RefusalExample };

/** The rows that each event leaves in the transaction list, in their order. An event that is left out leaves none. */
export interface RowExamples {
  /** The rows of a new payment. */
  readonly create?: readonly Example[];
  /** The rows of the debit of a payment, before those of its completion. */
  readonly debit?: readonly Example[];
  /** The rows of a completed payment. */
  readonly completion?: readonly Example[];
  /** The rows of a failed payment, also after its completion. */
  readonly failure?: readonly Example[];
  /** The rows of the refund of a failed payment. */
  readonly refund?: readonly Example[];
  /** The rows of a deposit, such as one of `wallets.credit`. */
  readonly deposit?: readonly Example[];
  /** The rows of a change of a balance by the service, such as one of `wallets.set`. */
  readonly adjustment?: readonly Example[];
}

/** The event that leaves a row. */
export type RowMoment = keyof RowExamples;

/** A page of the transaction list. */
export interface PageExample {
  /** The body of the response. `'{rows}'` is the list of rows. */
  readonly body: Example;
  /** The `Link` header, such as `'<{next url}>; rel="next"'`. A link without a page is left out. */
  readonly link?: string;
  /**
   * The meaning of the query parameter of the next page: its number, its cursor, or the rows before it.
   *
   * @default 'page'
   */
  readonly by?: 'page' | 'cursor' | 'offset';
  /**
   * The name of that parameter.
   *
   * @default the value of `by`
   */
  readonly parameter?: string;
  /**
   * The number of the first page. A client requests this page without a number.
   *
   * @default 1
   */
  readonly first?: 1 | 0;
}

/** The digits and the offset of each time, such as `{ digits: 3, zone: 'Z' }`. */
export interface TimestampForm {
  /** The number of digits after the seconds, from 0 to 9. */
  readonly digits: number;
  /** `'Z'`, or an offset such as `'+00:00'`, `'+0000'` or `'+01:00'`. */
  readonly zone: string;
}

/** The responses that can have additional headers, and webhooks. */
export type HeaderPlace =
  | 'all'
  | 'createQuote'
  | 'createPayment'
  | 'replayPayment'
  | 'getPayment'
  | 'getBalance'
  | 'listTransactions'
  | 'event';

/**
 * Headers by operation; `all` for every response, `replayPayment` for a replayed create in addition to those of
 * `createPayment`, `event` for webhooks. Null removes a header of a response.
 */
export type HeaderSettings = { readonly [Place in HeaderPlace]?: Readonly<Record<string, string | null>> };

/** The fee of a payment: `percent` of the sent amount plus `flat`, within `minimum` and `maximum`. */
export interface FeeRule {
  /**
   * The share of the sent amount, in percent, as decimal text.
   *
   * @default '0', no share; the fee of the default profile is `{ percent: '0.5' }`
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
  readonly rounding?: 'up' | 'down' | 'half_up' | 'half_even';
  /**
   * Whether the fee is taken out of the amount, or added to it.
   *
   * @default 'inside'
   */
  readonly mode?: 'inside' | 'onTop';
}

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
   * The share of the rate that is deducted in each direction of the other pairs, as decimal text. None if it is left out.
   *
   * @example '0.002'
   */
  readonly spread?: string;
}

/** The currencies of the table of the mock, sorted by code. */
export const defaultCurrencies: readonly string[] = (
  'AED AUD BDT BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP ' +
  'GHS HKD HUF IDR ILS INR JPY KES KRW KWD MAD MXN MYR NGN NOK ' +
  'NZD PHP PKR PLN RON SAR SEK SGD THB TRY TWD UGX USD VND XOF ' +
  'ZAR'
).split(' ');

/** A duration, or the shortest and the longest one: the seed decides on the one of each payment or event. */
export type DurationRange = Duration | readonly [shortest: Duration, longest: Duration];

/** The outcomes of a payment. Each has a magic value, such as `SIM-FAIL-EARLY`. */
export const outcomes = [
  'ok',
  'fail',
  'fail_early',
  'return',
  'stuck',
  'pending',
  'instant',
  'hook_first',
  'hook_dup',
  'hook_shuffle',
  '500',
  'drop',
  'unavailable',
] as const;

/** The outcome of a payment. */
export type SimulatedOutcome = (typeof outcomes)[number];

/** The payments that have an outcome: all given conditions match. Without one, all payments that no earlier rule matches. */
export interface OutcomeRule {
  /** The `beneficiary_account`, such as `'DE00'`; `*` stands for any text, as in `'*0000'`. */
  readonly account?: string;
  /** The `beneficiary_name`, such as `'Fail *'`. */
  readonly name?: string;
  /** The sent amount with two decimals, such as `'66.60'` or `'*.13'`. */
  readonly amount?: string;
  /** The end of these payments, such as `'fail'`. */
  readonly outcome: SimulatedOutcome;
}

/** Webhooks that come twice, in another order or late. */
export interface DeliveryFaults {
  /**
   * The probability that an event is sent twice, from 0 to 1.
   *
   * @default 0
   */
  readonly duplicates?: number;
  /**
   * The probability that an event is sent after the next one of its payment, from 0 to 1.
   *
   * @default 0
   */
  readonly reorder?: number;
  /**
   * The time between an event and its webhook.
   *
   * @default 0
   */
  readonly delay?: DurationRange;
}

/** The time by which reads are behind the payments, in sandbox time. */
export interface ReadLag {
  /** `GET /payments/{payment_id}`. A new payment is unknown for this time. */
  readonly payments?: Duration;
  /** `GET /balance`. */
  readonly balance?: Duration;
  /** `GET /transactions`. */
  readonly transactions?: Duration;
}

/** A number of requests per time window, for each account and mode. */
export interface ProfileRateLimit {
  /** The largest number of requests of a window. */
  readonly requests: number;
  /** The length of the window in sandbox time. */
  readonly window: Duration;
  /**
   * The only method whose requests count.
   *
   * @default all methods
   */
  readonly method?: 'GET' | 'POST';
}

/** Returns the beneficiary account that selects an outcome by default. */
export function toMagicValue(outcome: SimulatedOutcome): `SIM-${string}` {
  return `SIM-${outcome.toUpperCase().replace('_', '-')}`;
}

/** The settings whose text is short for one of their fields. */
export const shortFields: Readonly<Record<string, string>> = {
  debitAt: 'status',
  refund: 'failed',
  paths: 'similar',
  statuses: 'path',
  currencies: 'codes',
  rates: 'pairs',
};
