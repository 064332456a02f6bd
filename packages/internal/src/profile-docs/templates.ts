import { documentedEvent, documentedPayment, documentedQuote } from '../profile/documented.ts';
import type { SettingDocs } from './setting-doc.ts';

/** The settings that exist as templates only. */
type Name =
  | 'refusals'
  | 'issues'
  | 'problems'
  | 'envelope'
  | 'beside'
  | 'quoteShape'
  | 'paymentShape'
  | 'balanceShape'
  | 'eventShape'
  | 'eventHeaders'
  | 'headers'
  | 'ids';

/** The documentation of the settings that are templates. */
export const templateDocs: SettingDocs<Name> = {
  refusals: {
    group: 'Responses',
    client: 'classifies by type, else by status, and keeps the raw body',
    values: '`{}`, or templates by refusal',
    description:
      'the refusals that differ from `errorShape`: `{ status?, type?, message?, body?, headers? }` for each of `authentication`, `missing_key` (without it as `authentication`), `unknown_path`, `unknown_method`, `unknown_payment`, `malformed_id` (an id that does not start with `pay_`; without it as `unknown_payment`), `unknown_page`, `foreign_payment`, `validation`, `malformed_body`, `not_an_object` (a JSON body such as a list; without it as `validation`), `media_type`, `body_size`, `insufficient_funds`, `rate_limit`, `key_reused`, `key_of_other_body`, `server_error`, `unavailable` (the outcome of a create; without it as `server_error`), and each kind of invalid field of `issues` (without it as `validation`)',
    example: {
      unknown_path: { body: { detail: 'Not Found' } },
      validation: {
        body: {
          success: false,
          mode: '{mode}',
          error: { type: '{type}', message: '{message}' },
          errors: { '{each fields}': ['{problem}'] },
        },
      },
    },
  },
  issues: {
    group: 'Responses',
    client: 'reads the names of fields in the common forms',
    values: '`{}`, or a list of templates by kind of problem',
    description:
      "the details of invalid fields, for a template of the refusal `validation` with `['{each issues}', '{issue}']` or `{ '{each fields}': '{issues}' }`; the kinds are `missing`, `amount_missing` and `text_missing` (without them as `missing`), `unknown_field`, `currency_null`, `currency_type`, `currency_form`, `currency_unknown`, `currency_same`, `currency_pair`, `amount_null`, `amount_type`, `amount_text`, `amount_word`, `amount_zero`, `amount_negative`, `amount_large`, `amount_precise`, `text_null`, `text_type`, `text_empty`, `text_long`, `per_page_form`, `per_page_small`, `per_page_large`, `page`, `status`, `type`, `body` and `other`",
    example: {
      missing: [{ loc: ['body', '{field}'], type: 'missing' }],
      other: [{ loc: ['body', '{field}'], type: 'value_error', msg: '{problem}' }],
    },
  },
  problems: {
    group: 'Responses',
    client: 'does not assume that all problems are listed',
    values: '`{ listed?, fields?, first?, last? }`',
    description:
      'the problems in the response to a request with several ones: `listed` is `all` (the default) or `first`, `fields` are the fields that are checked before the others, in their order, and `first` and `last` are kinds of problems of `issues` that are checked before and after the others: a response has those of one check only',
    example: { listed: 'first', fields: ['amount', 'to_currency'], first: ['missing'] },
  },
  envelope: {
    group: 'Responses',
    client: 'ignores unknown fields',
    values: '`{}`, or a template',
    description: 'additional fields beside `data` in every successful response',
    example: { trace: { request_id: '{request_id uuid}', timestamp: '{now digits=3 zone=Z}' } },
  },
  beside: {
    group: 'Responses',
    client: 'ignores unknown fields',
    values: '`{}`, or templates by operation',
    description:
      'additional fields beside `data` in the responses of `createQuote`, `createPayment`, `getPayment` or `getBalance`, in place of those of `envelope` with the same name; payments have their values',
    example: { getPayment: { links: { self: '/api/v1/payments/{id}' } } },
  },
  quoteShape: {
    group: 'Responses',
    client: 'reads the documented fields, and ignores others',
    values: '`documented`, or a template',
    description: 'the `data` of a quote',
    example: { ...documentedQuote, total: '{debit}' },
  },
  paymentShape: {
    group: 'Responses',
    client: 'reads the documented fields, and ignores others',
    values: '`documented`, or a template',
    description: 'the `data` of a payment',
    example: { ...documentedPayment, fee: '{fee}', updated_at: '{updated_at}' },
  },
  balanceShape: {
    group: 'Responses',
    client: 'reads the documented fields, and ignores others',
    values: '`documented`, or a template',
    description: 'the `data` of the balance',
    example: {
      balances: [
        '{each wallets}',
        { currency: '{currency}', balance: '{balance}', available: '{available}' },
      ],
    },
  },
  headers: {
    group: 'Responses',
    client: 'requires no header',
    values: '`{}`, or headers by operation',
    description:
      'headers of `createQuote`, `createPayment`, `getPayment`, `getBalance`, `listTransactions` or `all` responses; null removes a header; with a rate limit, `all` has `{limit}`, `{remaining}`, `{reset}` and `{reset_at}`',
    example: {
      createPayment: { Location: '/api/v1/payments/{id}' },
      all: { 'Cache-Control': null, 'X-RateLimit-Remaining': '{remaining}' },
    },
  },
  ids: {
    group: 'Responses',
    client: 'reads ids of payments that start with `pay_test_` or `pay_live_`',
    values: '`{}`, or `{ payment?, transaction? }`',
    description:
      'the forms of ids, with `{base62 24}`, `{lower 24}`, `{upper 24}`, `{hex 24}`, `{digits 16}`, `{uuid}`, `{ulid}`, `{number}`, `{mode}` and, for payments, `{date}` such as `20260131`',
    example: { payment: 'pay_{mode}_{ulid}', transaction: '{number}' },
  },
  eventShape: {
    group: 'Webhooks',
    client: 'verifies the raw body, and rejects one without the documented fields',
    values: '`documented`, or a template',
    description: 'the body of a webhook',
    example: { id: '{id}-{status}', ...documentedEvent },
  },
  eventHeaders: {
    group: 'Webhooks',
    client: 'reads the signature only',
    values: '`{}`, or headers',
    description: 'additional headers of a webhook',
    example: { 'X-Service-Delivery': '{delivery}' },
  },
};
