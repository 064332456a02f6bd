import type { Duration } from './duration.ts';
import type { ObjectTemplate, Template } from './template.ts';

// The documented responses as templates.

/** The documented `data` of a quote. */
export const documentedQuote: ObjectTemplate = {
  from_currency: '{from_currency}',
  to_currency: '{to_currency}',
  send_amount: '{send_amount}',
  fee: '{fee}',
  rate: '{rate}',
  receive_amount: '{receive_amount}',
};

/** The documented `data` of a payment. */
export const documentedPayment: ObjectTemplate = {
  id: '{id}',
  status: '{status}',
  from_currency: '{from_currency}',
  to_currency: '{to_currency}',
  send_amount: '{send_amount}',
  rate: '{rate}',
  receive_amount: '{receive_amount}',
  beneficiary: {
    name: '{beneficiary_name}',
    bank: '{beneficiary_bank}',
    account: '{beneficiary_account}',
    country: '{beneficiary_country}',
  },
  purpose: '{purpose}',
  created_at: '{created_at}',
};

/** A documented row of the transaction list. */
export const documentedRow: ObjectTemplate = {
  id: '{id}',
  type: '{type}',
  status: '{status}',
  currency: '{currency}',
  amount: '{amount}',
  fee: '{row_fee}',
  balance_after: '{balance_after}',
  payment_id: '{payment_id}',
  reference: '{reference}',
  created_at: '{created_at}',
};

/** The documented `data` of the balance. */
export const documentedBalance: ObjectTemplate = {
  balances: ['{each wallets}', { currency: '{currency}', balance: '{balance}' }],
};

/** The documented body of a webhook. */
export const documentedEvent: ObjectTemplate = {
  event: 'payment.{status}',
  created_at: '{at}',
  data: {
    id: '{id}',
    status: '{status}',
    from_currency: '{from_currency}',
    to_currency: '{to_currency}',
    send_amount: '{send_amount}',
    receive_amount: '{receive_amount}',
    mode: '{mode}',
  },
};

/** The refusals that can have a separate template. */
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
  'malformed_body',
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

/** The refusals that, without a template, have the one of another refusal. */
export const similarRefusals: { readonly [Name in Refusal]?: Refusal } = {
  missing_key: 'authentication',
  malformed_id: 'unknown_payment',
  not_an_object: 'validation',
  unavailable: 'server_error',
};

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
 * fields that are absent, `body` is a body that is not an object, and `other` any problem without its own kind.
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
export const rowKinds = ['payment', 'fee', 'refund', 'deposit', 'adjustment', 'any'] as const;

/** The meanings of the query parameter of the next page. */
export const pagePositions = ['page', 'cursor', 'offset'] as const;

/** The numbers that the first page can have. */
export const firstPages = [1, 0] as const;

/**
 * The query parameters of the links to other pages, beside the one of the page: all of the request, its page size and filters,
 * those with the page size also if the request has none, or no others.
 */
export const linkQueries = ['request', 'known', 'complete', 'place'] as const;

/** The rows of one kind in the transaction list. */
export interface RowTemplate {
  /**
   * The movements of money with this row: those of a payment, refunds, deposits, adjustments or all. `fee` adds a row
   * with the fee of each payment. A movement without a row is not listed.
   */
  readonly of: (typeof rowKinds)[number];
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
  readonly by?: (typeof pagePositions)[number];
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
  readonly first?: (typeof firstPages)[number];
  /**
   * The other query parameters of links.
   *
   * @default 'request'
   */
  readonly query?: (typeof linkQueries)[number];
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

/** A form of timestamps. */
export interface TimestampForm {
  /** The number of digits after the seconds, from 0 to 9. */
  readonly digits: number;
  /** `'Z'`, or an offset such as `'+00:00'`, `'+0000'` or `'+01:00'`. */
  readonly zone: string;
}

/**
 * Response headers by operation; `all` for every operation, `replayPayment` for a replayed create in addition to those
 * of `createPayment`. Null removes a header.
 */
export interface HeaderTemplates {
  readonly [operation: string]: { readonly [name: string]: string | null };
}

/** The operations with separate fields beside `data`. Those of the transaction list are in `pagination`. */
export const besideOperations = ['createQuote', 'createPayment', 'getPayment', 'getBalance'] as const;

/** Templates of the fields beside `data` by operation. */
export type BesideTemplates = { readonly [Operation in (typeof besideOperations)[number]]?: ObjectTemplate };

/** The settings that are templates: data from which the mock writes its responses. */
export interface TemplateSettings {
  /**
   * `…T12:00:00+00:00`, `…T12:00:00Z`, `…T12:00:00+0000`, `…T12:00:00.000+00:00`, or `{ digits, zone }` such as `{
   * digits: 6, zone: "+01:00" }`.
   *
   * @default 'offset'
   * @topic Responses
   * @sdk keeps the text; the webhook verifier reads all
   */
  readonly timestamps: 'offset' | 'zulu' | 'compactOffset' | 'fraction' | TimestampForm;
  /**
   * All fields, or id, type, status, currency, an amount without its sign, and time, or [templates](templates.md): a
   * list of `{ of, row }`.
   *
   * @default 'full'
   * @topic Transactions
   * @sdk reads fields by common names; reports `cannot_tell` when those for reconciling are missing
   */
  readonly transactionShape: 'full' | 'minimal' | readonly RowTemplate[];
  /**
   * How a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or
   * a [template](templates.md): `{ data, beside?, headers?, by?, parameter?, first?, query? }`.
   *
   * @default 'page'
   * @topic Transactions
   * @sdk reads all; throws where more rows exist and no page has them
   */
  readonly pagination: 'page' | 'laravel' | 'cursor' | 'array' | 'link' | PageTemplate;
  /**
   * An error: as documented, with lists of fields in addition, only `{ "message" }`, an HTML page, or a template
   * such as those of `refusals`.
   *
   * @default 'envelope'
   * @topic Responses
   * @sdk classifies by type, else by status, and keeps the raw body
   */
  readonly errorShape: 'envelope' | 'extra' | 'bare' | 'html' | RefusalTemplate;
  /**
   * The refusals that differ from `errorShape`: `{ status?, type?, message?, body?, headers? }` for each of
   * `authentication`, `missing_key` (without it as `authentication`), `unknown_path`, `unknown_method`,
   * `unknown_payment`, `malformed_id` (an id that does not start with `pay_`; without it as `unknown_payment`),
   * `unknown_page`, `foreign_payment`, `validation`, `malformed_body`, `not_an_object` (a JSON body such as a list;
   * without it as `validation`), `media_type`, `body_size`, `insufficient_funds`, `rate_limit`, `key_reused`,
   * `key_of_other_body`, `server_error`, `unavailable` (the outcome of a create; without it as `server_error`), and
   * each kind of invalid field of `issues` (without it as `validation`).
   *
   * @default {}
   * @topic Responses
   * @sdk classifies by type, else by status, and keeps the raw body
   * @values `{}`, or templates by refusal
   * @example { unknown_path: { body: { detail: 'Not Found' } }, validation: { body: { success: false, mode:
   * '{mode}', error: { type: '{type}', message: '{message}' }, errors: { '{each fields}': ['{problem}'] } } } }
   */
  readonly refusals: { readonly [Name in Refusal | IssueKind]?: RefusalTemplate };
  /**
   * The details of invalid fields, for a template of the refusal `validation` with `['{each issues}', '{issue}']` or
   * `{ '{each fields}': '{issues}' }`; the kinds are `missing`, `amount_missing` and `text_missing` (without them as
   * `missing`), `unknown_field`, `currency_null`, `currency_type`, `currency_form`, `currency_unknown`,
   * `currency_same`, `currency_pair`, `amount_null`, `amount_type`, `amount_text`, `amount_word`, `amount_zero`,
   * `amount_negative`, `amount_large`, `amount_precise`, `text_null`, `text_type`, `text_empty`, `text_long`,
   * `per_page_form`, `per_page_small`, `per_page_large`, `page`, `status`, `type`, `body` and `other`.
   *
   * @default {}
   * @topic Responses
   * @sdk reads the names of fields in the common forms
   * @values `{}`, or a list of templates by kind of problem
   * @example { missing: [{ loc: ['body', '{field}'], type: 'missing' }], other: [{ loc: ['body', '{field}'], type:
   * 'value_error', msg: '{problem}' }] }
   */
  readonly issues: { readonly [Kind in IssueKind]?: readonly Template[] };
  /**
   * The problems in the response to a request with several ones: `listed` is `all` (the default) or `first`,
   * `fields` are the fields that are checked before the others, in their order, and `first` and `last` are kinds of
   * problems of `issues` that are checked before and after the others: a response has those of one check only.
   *
   * @default {}
   * @topic Responses
   * @sdk does not assume that all problems are listed
   * @values `{ listed?, fields?, first?, last? }`
   * @example { listed: 'first', fields: ['amount', 'to_currency'], first: ['missing'] }
   */
  readonly problems: ProblemOrder;
  /**
   * Additional fields beside `data` in every successful response.
   *
   * @default {}
   * @topic Responses
   * @sdk ignores unknown fields
   * @values `{}`, or a template
   * @example { trace: { request_id: '{request_id uuid}', timestamp: '{now digits=3 zone=Z}' } }
   */
  readonly envelope: ObjectTemplate;
  /**
   * Additional fields beside `data` in the responses of `createQuote`, `createPayment`, `getPayment` or
   * `getBalance`, in place of those of `envelope` with the same name; payments have their values.
   *
   * @default {}
   * @topic Responses
   * @sdk ignores unknown fields
   * @values `{}`, or templates by operation
   * @example { getPayment: { links: { self: '/api/v1/payments/{id}' } } }
   */
  readonly beside: BesideTemplates;
  /**
   * The `data` of a quote.
   *
   * @default 'documented'
   * @topic Responses
   * @sdk reads the documented fields, and ignores others
   * @values `documented`, or a template
   * @example { from_currency: '{from_currency}', to_currency: '{to_currency}', send_amount: '{send_amount}', fee:
   * '{fee}', rate: '{rate}', receive_amount: '{receive_amount}', total: '{debit}' }
   */
  readonly quoteShape: 'documented' | ObjectTemplate;
  /**
   * The `data` of a payment.
   *
   * @default 'documented'
   * @topic Responses
   * @sdk reads the documented fields, and ignores others
   * @values `documented`, or a template
   * @example { id: '{id}', status: '{status}', from_currency: '{from_currency}', to_currency: '{to_currency}',
   * send_amount: '{send_amount}', rate: '{rate}', receive_amount: '{receive_amount}', beneficiary: { name:
   * '{beneficiary_name}', bank: '{beneficiary_bank}', account: '{beneficiary_account}', country:
   * '{beneficiary_country}' }, purpose: '{purpose}', created_at: '{created_at}', fee: '{fee}', updated_at:
   * '{updated_at}' }
   */
  readonly paymentShape: 'documented' | ObjectTemplate;
  /**
   * The `data` of the balance.
   *
   * @default 'documented'
   * @topic Responses
   * @sdk reads the documented fields, and ignores others
   * @values `documented`, or a template
   * @example { balances: ['{each wallets}', { currency: '{currency}', balance: '{balance}', available: '{available}'
   * }] }
   */
  readonly balanceShape: 'documented' | ObjectTemplate;
  /**
   * The body of a webhook.
   *
   * @default 'documented'
   * @topic Webhooks
   * @sdk verifies the raw body, and rejects one without the documented fields
   * @values `documented`, or a template
   * @example { id: '{id}-{status}', event: 'payment.{status}', created_at: '{at}', data: { id: '{id}', status:
   * '{status}', from_currency: '{from_currency}', to_currency: '{to_currency}', send_amount: '{send_amount}',
   * receive_amount: '{receive_amount}', mode: '{mode}' } }
   */
  readonly eventShape: 'documented' | ObjectTemplate;
  /**
   * Additional headers of a webhook.
   *
   * @default {}
   * @topic Webhooks
   * @sdk reads the signature only
   * @values `{}`, or headers
   * @example { 'X-Service-Delivery': '{delivery}' }
   */
  readonly eventHeaders: { readonly [name: string]: string };
  /**
   * Headers of `createQuote`, `createPayment`, `getPayment`, `getBalance`, `listTransactions` or `all` responses;
   * null removes a header; with a rate limit, `all` has `{limit}`, `{remaining}`, `{reset}` and `{reset_at}`.
   *
   * @default {}
   * @topic Responses
   * @sdk requires no header
   * @values `{}`, or headers by operation
   * @example { createPayment: { Location: '/api/v1/payments/{id}' }, all: { 'Cache-Control': null,
   * 'X-RateLimit-Remaining': '{remaining}' } }
   */
  readonly headers: HeaderTemplates;
  /**
   * The forms of ids, with `{base62 24}`, `{lower 24}`, `{upper 24}`, `{hex 24}`, `{digits 16}`, `{uuid}`, `{ulid}`,
   * `{number}`, `{mode}` and, for payments, `{date}` such as `20260131`.
   *
   * @default {}
   * @topic Responses
   * @sdk reads ids of payments that start with `pay_test_` or `pay_live_`
   * @values `{}`, or `{ payment?, transaction? }`
   * @example { payment: 'pay_{mode}_{ulid}', transaction: '{number}' }
   */
  readonly ids: IdForms;
}

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
  readonly amount?: { readonly from: string };
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
   * @topic Money
   * @sdk never recomputes `receive_amount`
   * @values `[{ from?, to?, amount?, percent?, flat?, minimum?, maximum?, rounding? }]`
   * @example [{ from: 'JPY', flat: '300' }, { percent: '1', flat: '0.30', minimum: '1.00', maximum: '50.00',
   * rounding: 'up' }]
   */
  readonly fees: readonly FeeRule[];
  /**
   * The rates: those of some pairs as a quote shows them; the share that is deducted from the rates of other pairs;
   * changes by at most a share, each minute or `every` so often; and other rates from an amount on. A pair without a
   * rate has that of its inverse, or of both currencies to USD.
   *
   * @topic Money
   * @sdk never computes with a rate
   * @values `{ pairs?, spread?, moves?, tiers? }`
   * @example { pairs: { 'USD/EUR': '0.92' }, spread: '0.002', moves: { by: '0.001', every: '5s' }, tiers: [{ from: {
   * EUR: '1000.00' }, pairs: { 'USD/EUR': '0.921' }, spread: '0.001' }] }
   */
  readonly rates: RateSettings;
  /**
   * The supported currencies: the 46 of the mock, or a list; others are rejected with 422.
   *
   * @topic Money
   * @sdk sends any code of three letters
   * @values `default`, or a list of codes
   * @example ['USD', 'EUR', 'NGN']
   */
  readonly currencies: 'default' | readonly string[];
  /**
   * The opening balances of new accounts in test mode, unless the account has `balances`: 100000.00 in USD, EUR and
   * GBP, or others.
   *
   * @topic Money
   * @sdk returns the wallets that the service has
   * @values `default`, or `{ CODE: balance }`
   * @example { USD: '2500.00', JPY: '0' }
   */
  readonly wallets: 'default' | Readonly<Record<string, string>>;
  /**
   * The smallest and the largest amount to send: 0.01 and 999999999.99, or others.
   *
   * @topic Requests
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
   * @topic Requests
   * @sdk leaves the limit to the service
   * @values `255`, or another number
   * @example 140
   */
  readonly textLimit: number;
}

/** The currencies of the table of the mock, sorted by code. */
export const defaultCurrencies: readonly string[] = (
  'AED AUD BDT BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP ' +
  'GHS HKD HUF IDR ILS INR JPY KES KRW KWD MAD MXN MYR NGN NOK ' +
  'NZD PHP PKR PLN RON SAR SEK SGD THB TRY TWD UGX USD VND XOF ' +
  'ZAR'
).split(' ');

/** A duration, or the shortest and the longest one: each payment or event has its own, derived from the seed. */
export type DurationRange = Duration | readonly [shortest: Duration, longest: Duration];

/** The time that payments spend in each status. */
export interface StatusDurations {
  /** The time until a payment is processed. One second if it is left out. */
  readonly pending?: DurationRange;
  /** The time until a payment is completed, or reviewed. Three seconds if it is left out. */
  readonly processing?: DurationRange;
  /** The time until a reviewed payment is completed. Three seconds if it is left out. */
  readonly under_review?: DurationRange;
  /** The time between the completion of a payment and its return. Five seconds if it is left out. */
  readonly completed?: DurationRange;
}

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

/** The settings for the behavior of payments, webhooks and limits whose values are not a list of choices. */
export interface BehaviorSettings {
  /**
   * The time in each status: a duration, or the shortest and the longest one, of which each payment has its own;
   * `completed` is the time until a return; by default 1 s, 3 s, 3 s and 5 s.
   *
   * @topic Payments
   * @sdk polls until a time limit that the caller sets
   * @values `{ pending?, processing?, under_review?, completed? }`
   * @example { pending: '500ms', processing: ['2s', '20s'] }
   */
  readonly durations: StatusDurations;
  /**
   * The outcomes of payments in test mode; the first rule that matches applies; a condition for the account or the
   * name has `equals`, `prefix` or `suffix`, one for the amount `equals`, `from`, `to` or `suffix`; an outcome is
   * `ok`, `fail`, `fail_early`, `return`, `stuck`, `pending`, `instant`, `hook_first`, `hook_dup`, `hook_shuffle`,
   * `500`, `drop` or `unavailable`; by default the [magic values](magic-values.md).
   *
   * @topic Payments
   * @sdk reports the final status, whatever its cause
   * @values `[{ account?, name?, amount?, outcome }]`
   * @example [{ account: { suffix: '0000' }, outcome: 'fail' }, { name: { equals: 'Fail Ltd' }, outcome:
   * 'fail_early' }, { amount: { from: '9000.00', to: '9999.99' }, outcome: 'stuck' }]
   */
  readonly outcomes: readonly OutcomeRule[];
  /**
   * Statuses that the document does not have, with the status before each of them (`pending` or `processing`), the
   * conditions of `outcomes` and a duration (3 s by default); `webhook: false` sends no event.
   *
   * @topic Payments
   * @sdk passes unknown statuses through as not final
   * @values `[{ status, after, account?, name?, amount?, duration?, webhook? }]`
   * @example [{ status: 'in_review', after: 'pending', amount: { from: '5000.00' }, duration: ['5s', '20s'] }]
   */
  readonly extraStatuses: readonly ExtraStatus[];
  /**
   * Eight attempts over about 27 hours, one attempt, or the delays between a failed attempt and the next one.
   *
   * @topic Webhooks
   * @sdk responds 200
   * @values `default` `none`, or a list of durations
   * @example ['5s', '5s', '1m']
   */
  readonly retrySchedule: 'default' | 'none' | readonly Duration[];
  /**
   * The probabilities that an event is sent twice, and after the next event of its payment; and the time between an
   * event and its webhook, a duration or the shortest and the longest one.
   *
   * @topic Webhooks
   * @sdk deduplicates, and orders events by status
   * @values `none`, or `{ duplicates?, reorder?, delay? }`
   * @example { duplicates: 0.3, reorder: 0.1, delay: ['0s', '2s'] }
   */
  readonly deliveryFaults: 'none' | DeliveryFaults;
  /**
   * The number of requests per time window, for each account and mode, of all methods or one; responses to others
   * lack headers with `{remaining}`; a limit that the control API sets replaces it.
   *
   * @topic Responses
   * @sdk waits for `Retry-After`, else backs off
   * @values `none`, or `{ requests, window, method? }`
   * @example { requests: 20, window: '1s', method: 'POST' }
   */
  readonly rateLimit: 'none' | ProfileRateLimit;
  /**
   * The time by which reads are behind the payments: a new payment is 404, and the balance and the list do not have
   * it; deposits and the control API have no lag.
   *
   * @topic Responses
   * @sdk waits for the option `readLag` before it concludes that a payment does not exist
   * @values `{ payments?, balance?, transactions? }`
   * @example { payments: '500ms', balance: '2s', transactions: '5s' }
   */
  readonly readLag: ReadLag;
  /**
   * The real time before each response; 0 by default.
   *
   * @topic Responses
   * @sdk ends an attempt at its timeout
   * @values a duration, or the shortest and the longest one
   * @example ['150ms', '900ms']
   */
  readonly latency: DurationRange;
}

type Dashed<Text extends string> = Text extends `${infer Start}_${infer End}` ? `${Start}-${End}` : Text;

/** A beneficiary account that selects an outcome by default. */
export type MagicValue = `SIM-${Uppercase<Dashed<SimulatedOutcome>>}`;

/** Returns the beneficiary account that selects an outcome by default. */
export function toMagicValue(outcome: SimulatedOutcome): MagicValue {
  return `SIM-${outcome.toUpperCase().replace('_', '-')}` as MagicValue;
}

/**
 * The payment statuses of a profile in order. `under_review` exists only with the setting `unknownStatus:
 * 'invented'`.
 */
export const statuses = ['pending', 'processing', 'under_review', 'completed', 'failed'] as const;

/** The values of each profile setting, the default first. */
export const profileSettings = {
  /**
   * The HTTP status of a created payment.
   *
   * @default 201
   * @topic Responses
   * @sdk accepts any 2xx
   */
  createStatus: [201, 200, 202],
  /**
   * The HTTP status of the response to a quote.
   *
   * @default 200
   * @topic Responses
   * @sdk accepts any 2xx
   */
  quoteStatus: [200, 201],
  /**
   * An absent optional text: null, no field, or empty text.
   *
   * @default 'null'
   * @topic Responses
   * @sdk normalizes to null
   */
  absent: ['null', 'omit', 'empty'],
  /**
   * The form of money: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles.
   *
   * @default 'number'
   * @topic Responses
   * @sdk parses all and exposes the exact decimal text
   */
  numbers: ['number', 'string', 'floatTail'],
  /**
   * Two decimals for every currency, or none for JPY and the others that have none.
   *
   * @default 'two'
   * @topic Money
   * @sdk assumes neither
   */
  minorUnits: ['two', 'iso'],
  /**
   * The rounding of half a hundredth.
   *
   * @default 'half_up'
   * @topic Money
   * @sdk assumes none
   */
  rounding: ['half_up', 'half_even', 'down'],
  /**
   * Offset of times: `+00:00`, `Z`, `+0000`, or `.000+00:00` with milliseconds.
   *
   * @default 'offset'
   */
  timestamps: ['offset', 'zulu', 'compactOffset', 'fraction'],
  /**
   * The `mode` of a response to an unknown key: none, null, or guessed from the prefix of the key.
   *
   * @default 'omit'
   * @topic Responses
   * @sdk does not require `mode`
   */
  modeOn401: ['omit', 'null', 'guess'],
  /**
   * Two different keys in `Authorization` and `X-API-Key`: 401, the one that is used, or either valid one.
   *
   * @default 'reject'
   * @topic Requests
   * @sdk sends one header
   */
  bothKeys: ['reject', 'bearer', 'apiKey', 'either'],
  /**
   * The fee: taken out of the amount, added to it, hidden in the rate, or none.
   *
   * @default 'inside'
   * @topic Money
   * @sdk never recomputes `receive_amount`
   */
  feeMode: ['inside', 'onTop', 'inRate', 'none'],
  /**
   * The status with which the wallet is debited.
   *
   * @default 'create'
   * @topic Money
   * @sdk does not assume a debit
   */
  debitAt: ['create', 'processing', 'completed'],
  /**
   * The refund of a failed payment.
   *
   * @default 'full'
   * @topic Money
   * @sdk does not assume a refund after `failed`
   */
  refund: ['full', 'lessFee', 'none'],
  /**
   * From pending through processing to completed, or directly to completed.
   *
   * @default 'walk'
   * @topic Payments
   * @sdk waits for a final status, not for a path
   */
  transitions: ['walk', 'skip'],
  /**
   * Whether the undocumented status `under_review` comes between processing and completed.
   *
   * @default 'none'
   * @topic Payments
   * @sdk passes unknown statuses through as not final
   */
  unknownStatus: ['none', 'invented'],
  /**
   * The statuses that acknowledge an event.
   *
   * @default 200
   * @topic Webhooks
   * @sdk responds 200
   */
  ack: [200, '2xx'],
  /**
   * A later attempt: the same bytes, or with the time of the attempt.
   *
   * @default 'same'
   * @topic Webhooks
   * @sdk deduplicates by id and status
   */
  redelivery: ['same', 'newCreatedAt'],
  /**
   * A payment of another account: 404 or 403.
   *
   * @default 'not_found'
   * @topic Requests
   * @sdk treats both as not accessible
   */
  foreignPayment: ['not_found', 'permission_error'],
  /**
   * Fields of a transaction: all, or id, type, status, currency, time and an amount without its sign.
   *
   * @default 'full'
   */
  transactionShape: ['full', 'minimal'],
  /**
   * Reference to the next page: page numbers, as in Laravel, a cursor, none, or the `Link` header.
   *
   * @default 'page'
   */
  pagination: ['page', 'laravel', 'cursor', 'array', 'link'],
  /**
   * `per_page=0`: 422, the nearest allowed value, or the default size if it is too small.
   *
   * @default 'reject'
   * @topic Transactions
   * @sdk checks `per_page` before sending
   */
  badPage: ['reject', 'clamp', 'default'],
  /**
   * A page after the last one: no rows, or 404.
   *
   * @default 'empty'
   * @topic Transactions
   * @sdk ends a list without requesting a page after the last one
   */
  pastEnd: ['empty', 'not_found'],
  /**
   * `status=no_such_status`: 422, no rows, or all rows.
   *
   * @default 'reject'
   * @topic Transactions
   * @sdk passes filters through
   */
  unknownFilter: ['reject', 'empty', 'ignore'],
  /**
   * A quote or payment from a currency to itself.
   *
   * @default 'allow'
   * @topic Requests
   * @sdk leaves the check to the service
   */
  sameCurrency: ['allow', 'reject'],
  /**
   * `usd`: rejected, or read as `USD`.
   *
   * @default 'strict'
   * @topic Requests
   * @sdk sends upper case
   */
  currencyCase: ['strict', 'normalise'],
  /**
   * An amount with more decimals than its currency has; `round`: to the nearest, and half to even with `rounding:
   * half_even`; `roundQuotes` and `truncateQuotes`: only in quotes, and rejected in payments.
   *
   * @default 'reject'
   * @topic Requests
   * @sdk refuses more than 2 decimals unless configured, and warns when `send_amount` differs
   */
  excessPrecision: ['reject', 'round', 'truncate', 'roundQuotes', 'truncateQuotes'],
  /**
   * An amount as decimal text, such as `"10.00"`: 422, or read as the number.
   *
   * @default 'reject'
   * @topic Requests
   * @sdk sends numbers
   */
  amountText: ['reject', 'accept'],
  /**
   * An optional text that is empty or blank: 422, kept as it is, or treated as if the field were absent.
   *
   * @default 'reject'
   * @topic Requests
   * @sdk sends texts as given
   */
  emptyText: ['reject', 'keep', 'absent'],
  /**
   * The `Content-Type` of a body: only `application/json`, else 415, or any.
   *
   * @default 'json'
   * @topic Requests
   * @sdk sends `application/json`
   */
  mediaTypes: ['json', 'any'],
  /**
   * What happens to a request body with unknown fields.
   *
   * @default 'ignore'
   * @topic Requests
   * @sdk sends documented fields only
   */
  unknownFields: ['ignore', 'reject'],
  /**
   * The status for a body that is not JSON; `empty` reads it, and JSON that is not an object, as an empty object.
   *
   * @default 400
   * @topic Requests
   * @sdk accepts all
   */
  malformedBody: [400, 422, 'empty'],
  /**
   * A body that is not JSON with an invalid API key: 401, or the response to the body.
   *
   * @default 'afterKey'
   * @topic Requests
   * @sdk always sends valid JSON
   */
  bodyChecked: ['afterKey', 'beforeKey'],
  /**
   * A second create with the same `Idempotency-Key`: the same response, another payment, 409, or the same response
   * even to another request.
   *
   * @default 'replayed'
   * @topic Requests
   * @sdk retries a create only when configured with `replayed`
   */
  idempotency: ['replayed', 'ignored', 'conflict', 'replayedAny'],
  /**
   * The status of a replayed create: that of the create, or 200.
   *
   * @default 'created'
   * @topic Requests
   * @sdk accepts any 2xx
   */
  replayStatus: ['created', 200],
  /**
   * A 429 with `Retry-After` and `X-RateLimit-*`, with `Retry-After`, `RateLimit` and `RateLimit-Policy`, or without
   * these.
   *
   * @default 'x'
   * @topic Responses
   * @sdk uses `Retry-After`, else backs off
   */
  rateLimitHeaders: ['x', 'ietf', 'none', 'retryAfter'],
  /**
   * Body of an error: as documented, with lists of fields in addition, only `{ message }`, or an HTML page.
   *
   * @default 'envelope'
   */
  errorShape: ['envelope', 'extra', 'bare', 'html'],
  /**
   * Similar paths such as `/balance/`: 404, 308 to the canonical path, or the response of that path.
   *
   * @default 'strict'
   * @topic Requests
   * @sdk never follows a redirect
   */
  paths: ['strict', 'redirect', 'lenient'],
  /**
   * An unknown path with an invalid key: 401, or 404.
   *
   * @default 'authenticated'
   * @topic Requests
   * @sdk sends documented paths only
   */
  unknownPath: ['authenticated', 'public'],
  /**
   * Whether a payment reserves its funds until a later debit; without a hold, a debit without funds makes the
   * payment fail.
   *
   * @default 'reserve'
   * @topic Money
   * @sdk does not assume that funds are reserved
   */
  hold: ['reserve', 'none'],
  /**
   * The refund of a completed payment that fails: that of `refund`, or another one.
   *
   * @default 'same'
   * @topic Money
   * @sdk does not assume a refund after `failed`
   */
  returnRefund: ['same', 'full', 'lessFee', 'none'],
  /**
   * The form of `Retry-After`: seconds, or an HTTP date, with the time of the mock in `Date`.
   *
   * @default 'seconds'
   * @topic Responses
   * @sdk reads both
   */
  retryAfter: ['seconds', 'date'],
} as const;

type Settings = typeof profileSettings;

/** Dates of the deprecation headers (RFC 9745, RFC 8594). */
export interface DeprecationDates {
  /** Start of the deprecation, ISO 8601. */
  readonly deprecated: string;
  /** End of support, ISO 8601. */
  readonly sunset: string;
  /**
   * Link to the deprecation notice.
   *
   * @default '/deprecation'
   */
  readonly link?: string;
}

/** One value for each question that the service's document leaves open. */
export type Profile = {
  readonly [Name in Exclude<keyof Settings, keyof TemplateSettings>]: Settings[Name][number];
} & TemplateSettings &
  MoneySettings &
  BehaviorSettings & {
    /**
     * The statuses that send an event.
     *
     * @default all statuses
     * @topic Webhooks
     * @sdk works without non-final events
     * @values all, or any of them
     * @example ['completed', 'failed']
     */
    readonly events: readonly (typeof statuses)[number][];
    /**
     * The headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`.
     *
     * @default 'none'
     * @topic Responses
     * @sdk warns once per process
     * @values `none`, or `{ deprecated, sunset, link? }`
     * @example { deprecated: '2026-06-01T00:00:00Z', sunset: '2027-06-01T00:00:00Z' }
     */
    readonly deprecation: 'none' | DeprecationDates;
  };

/** The default value of every setting. */
export const defaultProfile: Profile = Object.freeze({
  ...(Object.fromEntries(Object.entries(profileSettings).map(([name, [first]]) => [name, first])) as Pick<
    Profile,
    keyof Settings
  >),
  durations: Object.freeze({ pending: '1s', processing: '3s', under_review: '3s', completed: '5s' }),
  outcomes: Object.freeze(
    outcomes.map((outcome) => Object.freeze({ account: { equals: toMagicValue(outcome) }, outcome })),
  ),
  extraStatuses: Object.freeze([]),
  retrySchedule: 'default',
  deliveryFaults: 'none',
  rateLimit: 'none',
  readLag: Object.freeze({}),
  latency: 0,
  fees: Object.freeze([Object.freeze({ percent: '0.5' })]),
  rates: Object.freeze({}),
  currencies: 'default',
  wallets: 'default',
  amountLimits: Object.freeze({ minimum: '0.01', maximum: '999999999.99' }),
  textLimit: 255,
  events: Object.freeze([...statuses]),
  deprecation: 'none',
  refusals: Object.freeze({}),
  issues: Object.freeze({}),
  problems: Object.freeze({}),
  envelope: Object.freeze({}),
  beside: Object.freeze({}),
  quoteShape: 'documented',
  paymentShape: 'documented',
  balanceShape: 'documented',
  eventShape: 'documented',
  eventHeaders: Object.freeze({}),
  headers: Object.freeze({}),
  ids: Object.freeze({}),
});
