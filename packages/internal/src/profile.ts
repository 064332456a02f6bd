import type { Duration } from './duration.ts';
import type { ObjectTemplate, Template } from './template.ts';

/** The refusals that can have a separate template, each with the refusal whose template applies without a separate one. */
export const similarRefusals = {
  authentication: null,
  missing_key: 'authentication',
  unknown_path: null,
  unknown_method: null,
  unknown_payment: null,
  malformed_id: 'unknown_payment',
  unknown_page: null,
  foreign_payment: 'unknown_payment',
  validation: null,
  malformed_body: null,
  malformed_key: 'malformed_body',
  not_an_object: 'validation',
  media_type: null,
  body_size: null,
  insufficient_funds: null,
  rate_limit: null,
  key_reused: null,
  key_of_other_body: null,
  server_error: null,
  unavailable: 'server_error',
} as const;

/** The name of a refusal. */
export type Refusal = keyof typeof similarRefusals;

/** The names of the refusals. */
export const refusals: readonly Refusal[] = Object.keys(similarRefusals) as Refusal[];

/** The response of a refusal. Fields that it leaves out are as in other refusals. */
export interface RefusalTemplate {
  /** The HTTP status, from 400 to 599. */
  readonly status?: number;
  /** The `type` of the error. */
  readonly type?: string;
  /** The `message` of the error. */
  readonly message?: string;
  /** The JSON body; `body` as a text is sent as it is, such as an HTML page. */
  readonly body?: Template;
  /** Response headers. Null removes one. */
  readonly headers?: { readonly [name: string]: string | null };
}

/**
 * The kinds of problems of a request. Those of fields start with `currency`, `amount` or `text`; `missing` is for all
 * fields that are absent, `body` is a body that is not an object, and `other` any other problem.
 */
export const issueKinds = [
  'missing',
  'amount_missing',
  'text_missing',
  'unknown_field',
  'currency_null',
  'currency_type',
  'currency_form',
  'currency_unknown',
  'currency_same',
  'currency_pair',
  'amount_null',
  'amount_type',
  'amount_text',
  'amount_word',
  'amount_zero',
  'amount_negative',
  'amount_large',
  'amount_precise',
  'text_null',
  'text_type',
  'text_empty',
  'text_long',
  'per_page_form',
  'per_page_small',
  'per_page_large',
  'page',
  'status',
  'type',
  'body',
  'other',
] as const;

/** The kind of a problem of a request. */
export type IssueKind = (typeof issueKinds)[number];

/** The problems that the response to a request with several ones has. */
export interface ProblemOrder {
  /**
   * Whether the response has all problems, or only the first one.
   *
   * @default 'all'
   */
  readonly listed?: 'all' | 'first';
  /** The first fields that are checked, in their order. */
  readonly fields?: readonly string[];
  /** The kinds of problems that are checked before the others, of which the response then has none. */
  readonly first?: readonly IssueKind[];
  /** The kinds of problems that are checked after the others, with which the response does not have them. */
  readonly last?: readonly IssueKind[];
}

/** The movements of money that a row template can apply to. */
export const rowKinds: readonly RowTemplate['of'][] = [
  'payment',
  'fee',
  'refund',
  'deposit',
  'adjustment',
  'any',
];

/** The meanings of the query parameter of the next page. */
export const pagePositions: readonly NonNullable<PageTemplate['by']>[] = ['page', 'cursor', 'offset'];

/** The numbers that the first page can have. */
export const firstPages: readonly NonNullable<PageTemplate['first']>[] = [1, 0];

/**
 * The query parameters of the links to other pages, beside the one of the page: all of the request, its page size and filters,
 * those with the page size also if the request has none, or no others.
 */
export const linkQueries: readonly NonNullable<PageTemplate['query']>[] = [
  'request',
  'known',
  'complete',
  'place',
];

/** The rows of one kind in the transaction list. */
export interface RowTemplate {
  /**
   * The movements of money with this row: those of a payment, refunds, deposits, adjustments or all. `fee` adds a row
   * with the fee of each payment. A movement without a row is not listed.
   */
  readonly of: 'payment' | 'fee' | 'refund' | 'deposit' | 'adjustment' | 'any';
  /** The JSON of the row, such as `{ id: '{id}', amount: '{amount cents}' }`. */
  readonly row: Template;
}

/** A page of the transaction list. */
export interface PageTemplate {
  /** The `data` of the response. The rows are `['{each rows}', '{row}']`. */
  readonly data: Template;
  /** Fields beside `data`. */
  readonly beside?: ObjectTemplate;
  /** The response headers, such as `{ Link: '<{next_path}>; rel="next"' }`. A link without a page is left out. */
  readonly headers?: { readonly [name: string]: string };
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
  /**
   * The other query parameters of links.
   *
   * @default 'request'
   */
  readonly query?: 'request' | 'known' | 'complete' | 'place';
}

/** The forms of ids. */
export interface IdForms {
  /**
   * Starts with `pay_{mode}_`. `{base62 24}`, `{lower 24}`, `{hex 24}` and `{digits 12}` are random characters,
   * `{ulid}` and `{uuid}` random ids, `{date}` is the day in UTC, and `{number}` counts from 1. Without it, as `pay_{mode}_{base62 24}`, and
   * later ids sort behind earlier ones.
   */
  readonly payment?: string;
  /** Like `payment`, with any start and without `{date}`. */
  readonly transaction?: string;
}

/** The digits and the offset of each time, such as `{ digits: 3, zone: 'Z' }`. */
export interface TimestampForm {
  /** The number of digits after the seconds, from 0 to 9. */
  readonly digits: number;
  /** `'Z'`, or an offset such as `'+00:00'`, `'+0000'` or `'+01:00'`. */
  readonly zone: string;
}

/**
 * Headers by operation; `all` for every response, `replayPayment` for a replayed create in addition to those of
 * `createPayment`, `event` for webhooks. Null removes a header of a response.
 */
export interface HeaderTemplates {
  readonly [operation: string]: { readonly [name: string]: string | null };
}

/** The responses with fields beside `data`: all, and those of operations. Those of the transaction list are in `pagination`. */
export const besidePlaces = ['all', 'createQuote', 'createPayment', 'getPayment', 'getBalance'] as const;

/** Templates of the fields beside `data` by operation. */
export type BesideTemplates = { readonly [Place in (typeof besidePlaces)[number]]?: ObjectTemplate };

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
   * The smallest sent amount to which the rule applies, as decimal text: a schedule with bands lists the one of the largest
   * amounts first.
   *
   * @default every amount
   * @example { from: '1000.00' }
   */
  readonly amount?: {
    /** The smallest amount, as decimal text. */
    readonly from: string;
  };
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
  readonly rounding?: 'up' | 'down' | 'half_up' | 'half_even';
  /**
   * Whether the fee is taken out of the amount, added to it, or hidden in the rate, of which `percent` then is the margin.
   *
   * @default 'inside'
   */
  readonly mode?: 'inside' | 'onTop' | 'inRate';
}

/** The places of a fee: in the amount, on top of it, or in the rate. */
export const feeModes: readonly NonNullable<FeeRule['mode']>[] = ['inside', 'onTop', 'inRate'];

/** The directions in which a fee can be rounded. */
export const feeRoundings: readonly NonNullable<FeeRule['rounding']>[] = [
  'up',
  'down',
  'half_up',
  'half_even',
];

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
  /**
   * The time between two changes.
   *
   * @default '1m'
   */
  readonly every?: Duration;
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

/** The time that payments spend in each status. */
export interface StatusDurations {
  /**
   * The time until a payment is processed.
   *
   * @default '1s'
   */
  readonly pending?: DurationRange;
  /**
   * The time until a payment is completed.
   *
   * @default '3s'
   */
  readonly processing?: DurationRange;
  /**
   * The time between the completion of a payment and its return.
   *
   * @default '5s'
   */
  readonly completed?: DurationRange;
}

/** The outcomes of a payment. Each has a magic value, such as `SIM-FAIL-EARLY`. */
export const outcomes: readonly SimulatedOutcome[] = [
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
];

/** The outcome of a payment. */
export type SimulatedOutcome =
  | 'ok'
  | 'fail'
  | 'fail_early'
  | 'return'
  | 'stuck'
  | 'pending'
  | 'instant'
  | 'hook_first'
  | 'hook_dup'
  | 'hook_shuffle'
  | '500'
  | 'drop'
  | 'unavailable';

/** A condition for a text. All given parts must match. */
export interface TextCondition {
  /** The whole text. */
  readonly equals?: string;
  /** The start of the text. */
  readonly prefix?: string;
  /** The end of the text, such as `'0000'`. */
  readonly suffix?: string;
}

/** A condition for the sent amount. All given parts must match. */
export interface AmountCondition {
  /** An amount as decimal text, such as `'66.60'`. */
  readonly equals?: string;
  /** The smallest amount. */
  readonly from?: string;
  /** The largest amount. */
  readonly to?: string;
  /** The end of the amount with two decimals, such as `'.13'`. */
  readonly suffix?: string;
}

/** A condition for payments. All given parts must match. */
export interface PaymentCondition {
  /** A condition for `beneficiary_account`. */
  readonly account?: TextCondition;
  /** A condition for `beneficiary_name`. */
  readonly name?: TextCondition;
  /** A condition for the sent amount, in its currency. */
  readonly amount?: AmountCondition;
}

/** The payments that have an outcome. Without a condition, all payments that no earlier rule matches. */
export interface OutcomeRule extends PaymentCondition {
  /** The end of these payments, such as `'fail'`. */
  readonly outcome: SimulatedOutcome;
}

/** A status that the document does not have, and the payments that pass through it. Without a condition, all payments. */
export interface ExtraStatus extends PaymentCondition {
  /** The name of the status, such as `'in_review'`. */
  readonly status: string;
  /** The status before it. */
  readonly after: 'pending' | 'processing';
  /** The time in this status. Three seconds if it is left out. */
  readonly duration?: DurationRange;
  /** Whether it sends a webhook event, as `payment.in_review`. It does if this is left out. */
  readonly webhook?: boolean;
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

/** The settings whose text or list is short for one of their fields. */
export const shortFields: Readonly<Record<string, string>> = {
  debitAt: 'status',
  refund: 'failed',
  paths: 'similar',
  currencies: 'codes',
};
