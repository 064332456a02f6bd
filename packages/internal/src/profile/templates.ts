import type { ObjectTemplate, Template } from '../template.ts';
import type { IssueKind, ProblemOrder, Refusal, RefusalTemplate } from './refusals.ts';

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
   * @group Responses
   * @sdk keeps the text; the webhook verifier reads all
   */
  readonly timestamps: 'offset' | 'zulu' | 'compactOffset' | 'fraction' | TimestampForm;
  /**
   * All fields, or id, type, status, currency, an amount without its sign, and time, or [templates](templates.md): a
   * list of `{ of, row }`.
   *
   * @default 'full'
   * @group Transactions
   * @sdk reads templates; reports `cannot_tell` when fields for reconciling are missing
   */
  readonly transactionShape: 'full' | 'minimal' | readonly RowTemplate[];
  /**
   * How a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or
   * a [template](templates.md): `{ data, beside?, headers?, by?, parameter?, first?, query? }`.
   *
   * @default 'page'
   * @group Transactions
   * @sdk reads all, and templates; stops without a next page, an empty one or repeated ids
   */
  readonly pagination: 'page' | 'laravel' | 'cursor' | 'array' | 'link' | PageTemplate;
  /**
   * An error: as documented, with lists of fields in addition, only `{ "message" }`, an HTML page, or a template
   * such as those of `refusals`.
   *
   * @default 'envelope'
   * @group Responses
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
   * @group Responses
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
   * @group Responses
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
   * @group Responses
   * @sdk does not assume that all problems are listed
   * @values `{ listed?, fields?, first?, last? }`
   * @example { listed: 'first', fields: ['amount', 'to_currency'], first: ['missing'] }
   */
  readonly problems: ProblemOrder;
  /**
   * Additional fields beside `data` in every successful response.
   *
   * @default {}
   * @group Responses
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
   * @group Responses
   * @sdk ignores unknown fields
   * @values `{}`, or templates by operation
   * @example { getPayment: { links: { self: '/api/v1/payments/{id}' } } }
   */
  readonly beside: BesideTemplates;
  /**
   * The `data` of a quote.
   *
   * @default 'documented'
   * @group Responses
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
   * @group Responses
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
   * @group Responses
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
   * @group Webhooks
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
   * @group Webhooks
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
   * @group Responses
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
   * @group Responses
   * @sdk reads ids of payments that start with `pay_test_` or `pay_live_`
   * @values `{}`, or `{ payment?, transaction? }`
   * @example { payment: 'pay_{mode}_{ulid}', transaction: '{number}' }
   */
  readonly ids: IdForms;
}
