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
   * Offset of times: `+00:00`, `Z`, `+0000`, or `.000+00:00` with milliseconds; or any other form.
   *
   * @default 'offset'
   */
  readonly timestamps: 'offset' | 'zulu' | 'compactOffset' | 'fraction' | TimestampForm;
  /**
   * Fields of a transaction: all, or id, type, status, currency, time and an amount without its sign; or a template
   * for each kind of row.
   *
   * @default 'full'
   */
  readonly transactionShape: 'full' | 'minimal' | readonly RowTemplate[];
  /**
   * Reference to the next page: page numbers, as in Laravel, a cursor, none, or the `Link` header; or a template.
   *
   * @default 'page'
   */
  readonly pagination: 'page' | 'laravel' | 'cursor' | 'array' | 'link' | PageTemplate;
  /**
   * Body of an error: as documented, with lists of fields in addition, only `{ message }`, or an HTML page; or a
   * template.
   *
   * @default 'envelope'
   */
  readonly errorShape: 'envelope' | 'extra' | 'bare' | 'html' | RefusalTemplate;
  /**
   * The refusals that differ from `errorShape`: also those of a kind of invalid field, which are `validation` otherwise.
   *
   * @default {}
   */
  readonly refusals: { readonly [Name in Refusal | IssueKind]?: RefusalTemplate };
  /**
   * The details of an invalid field by the kind of its problem, one or more for each, for a template of the refusal
   * `validation` with `['{each issues}', '{issue}']` or `{ '{each fields}': '{issues}' }`.
   *
   * @default {}
   */
  readonly issues: { readonly [Kind in IssueKind]?: readonly Template[] };
  /**
   * The problems that the response to a request with several ones has.
   *
   * @default {}
   */
  readonly problems: ProblemOrder;
  /**
   * Additional fields beside `data` in every successful response, such as
   * `{ meta: { request_id: '{request_id uuid}' } }`.
   *
   * @default {}
   */
  readonly envelope: ObjectTemplate;
  /**
   * Additional fields beside `data` in the successful responses of single operations, such as
   * `{ getPayment: { links: { self: '/api/v1/payments/{id}' } } }`. They replace those of `envelope` with the same name.
   *
   * @default {}
   */
  readonly beside: BesideTemplates;
  /**
   * The `data` of a quote: the documented fields, or a template.
   *
   * @default 'documented'
   */
  readonly quoteShape: 'documented' | ObjectTemplate;
  /**
   * The `data` of a payment: the documented fields, or a template.
   *
   * @default 'documented'
   */
  readonly paymentShape: 'documented' | ObjectTemplate;
  /**
   * The `data` of the balance: the documented fields, or a template.
   *
   * @default 'documented'
   */
  readonly balanceShape: 'documented' | ObjectTemplate;
  /**
   * The body of a webhook: the documented fields, or a template.
   *
   * @default 'documented'
   */
  readonly eventShape: 'documented' | ObjectTemplate;
  /**
   * Additional headers of a webhook, such as `{ 'X-Service-Delivery': '{delivery}' }`.
   *
   * @default {}
   */
  readonly eventHeaders: { readonly [name: string]: string };
  /**
   * Additional response headers by operation. Null removes one.
   *
   * @default {}
   */
  readonly headers: HeaderTemplates;
  /**
   * The forms of payment and transaction ids.
   *
   * @default {}
   */
  readonly ids: IdForms;
}
