import type { Template } from '../template.ts';

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
