import type { PaymentStatus } from '@service/contract';
import {
  type BesideTemplates,
  besidePlaces,
  type DeliveryFaults,
  documentedBalance,
  documentedEvent,
  documentedPayment,
  documentedQuote,
  type Duration,
  type DurationRange,
  type ExtraStatus,
  type FeeRule,
  type HeaderTemplates,
  type IdForms,
  isRecord,
  type IssueKind,
  issueKinds,
  namedErrors,
  namedPages,
  namedRows,
  namedTimestamps,
  type ObjectTemplate,
  outcomes,
  type OutcomeRule,
  type PageTemplate,
  type ProblemOrder,
  type ProfileRateLimit,
  type RateSettings,
  type ReadLag,
  type Refusal,
  refusals,
  type RefusalTemplate,
  type RowTemplate,
  type StatusDurations,
  type Template,
  templatePlaces,
  type TimestampForm,
  toMagicValue,
} from '@service/internal';
import * as s from './schema.ts';
import { retryDelays } from './delivery.ts';
import * as values from './setting-values.ts';
import { statuses } from './payment.ts';

/** A setting: the schema of its values and its default. `Given` are the values that a profile can have, and `Loaded` the ones of the mock. */
export interface Setting<Loaded, Given = Loaded> {
  /** A `Schema`. The public types of profiles come from this interface, and do not need its type. */
  readonly schema: object;
  readonly fallback: Loaded;
  /** The values that have names. */
  readonly named?: Readonly<Record<string, Loaded>>;
  /** Completes a value without a name with fields of the current one. */
  complete?(given: Given, current: Loaded): Loaded;
}

/** A row of the table of settings, with its schemas. */
export interface SettingWithSchemas extends Setting<unknown, unknown> {
  readonly schema: s.Schema;
  /** The schema of each field. */
  readonly fields?: s.Fields;
}

/** A setting with values that a profile can name, the default first. */
export interface NamedSetting<Loaded, Name extends string> extends Setting<Loaded, Name | Loaded> {
  readonly named: Readonly<Record<Name, Loaded>>;
}

/** The values of a setting, the default first. */
type Choices = readonly (string | number)[];

/** The fields of a setting. Those that a profile leaves out stay as they are. */
interface FieldSettings {
  readonly fields: Readonly<Record<string, Choices | Setting<unknown, unknown>>>;
  /** The field of a value that is not an object. */
  readonly short?: string;
  /** Whether the field `minimum` must not be above `maximum`. */
  readonly hasLimits?: true;
}

/** A row of the table of settings. */
type SettingRow = Choices | FieldSettings | Setting<unknown, unknown>;

/** A setting with names for some values. */
function named<Loaded extends object, Name extends string>(
  templates: Readonly<Record<Name, Loaded>>,
  own: s.Schema,
  expected?: string,
): NamedSetting<Loaded, Name> {
  const names = Object.keys(templates) as Name[];
  const fallback = templates[names[0] as Name];
  return { schema: s.nameOr(names, own, expected), fallback, named: templates };
}

/** A setting whose value is a template, `documented` by default. */
function shape(
  documented: ObjectTemplate,
  place: 'quoteShape' | 'paymentShape' | 'balanceShape' | 'eventShape',
): NamedSetting<ObjectTemplate, 'documented'> {
  return named({ documented }, values.objectTemplate(templatePlaces[place]), 'a template of an object');
}

/** Returns the setting of a row of the table. */
function toSetting(row: SettingRow): SettingWithSchemas {
  if ('schema' in row) return row as SettingWithSchemas;
  if (!('fields' in row)) return { schema: s.oneOf(row), fallback: row[0] };
  const { short = '', hasLimits = false } = row;
  const settings = Object.entries(row.fields).map(([name, field]) => [name, toSetting(field)] as const);
  const fields = Object.fromEntries(settings.map(([name, { schema }]) => [name, schema]));
  const [choice, only] = [s.choiceOf(fields), fields[short]];
  const object = hasLimits ? values.withLimits(choice) : choice;
  return {
    schema: only === undefined ? object : s.anyOf([only, object]),
    fallback: Object.fromEntries(settings.map(([name, { fallback }]) => [name, fallback])),
    fields,
    complete: (given, current) => ({
      ...(current as object),
      ...(isRecord(given) ? given : { [short]: given }),
    }),
  };
}

/** The longest text that fits into a request body beside the other fields. */
const MAX_TEXT = 10_000;

type ShapeSetting = NamedSetting<ObjectTemplate, 'documented'>;
type Refusals = { readonly [Name in Refusal | IssueKind]?: RefusalTemplate };
type Issues = { readonly [Kind in IssueKind]?: readonly Template[] };

/**
 * The table of the settings: one row for each question that the service's document leaves open. Documentation, checks, JSON
 * schema and types follow from it. A row is a list of values, the default first, or fields with such lists, or a setting with
 * a schema. In its comment, `@topic` is the group in the reference, `@sdk` the answer of the client, and `@example` another value.
 */
export const settings = {
  /**
   * The HTTP statuses of a quote, a created payment and a replayed create, which by default has the one of the create.
   *
   * @topic Responses
   * @sdk accepts any 2xx
   * @example { createPayment: 202 }
   */
  successStatus: {
    fields: {
      /**
       * The HTTP status of a quote.
       *
       * @default 200
       */
      createQuote: [200, 201],
      /**
       * The status of a created payment.
       *
       * @default 201
       */
      createPayment: [201, 200, 202],
      /**
       * The status of a replayed create.
       *
       * @default 'created'
       */
      replayPayment: ['created', 200],
    },
  } as const,
  /**
   * An absent optional text: null, no field, or empty text.
   *
   * @default 'null'
   * @topic Responses
   * @sdk normalizes to null
   */
  absent: ['null', 'omit', 'empty'] as const,
  /**
   * The form of money: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles.
   *
   * @default 'number'
   * @topic Responses
   * @sdk parses all and exposes the exact decimal text
   */
  numbers: ['number', 'string', 'floatTail'] as const,
  /**
   * `…T12:00:00+00:00`, `…T12:00:00Z`, `…T12:00:00+0000`, `…T12:00:00.000+00:00`, or `{ digits, zone }`.
   *
   * @topic Responses
   * @sdk keeps the text; the webhook verifier reads all
   * @example { digits: 6, zone: '+01:00' }
   */
  timestamps: named(namedTimestamps, values.timestamp, '{ digits, zone }') as NamedSetting<
    TimestampForm,
    keyof typeof namedTimestamps
  >,
  /**
   * An error: as documented, with lists of fields in addition, only `{ "message" }`, an HTML page, or a
   * [template](templates.md) such as those of `refusals`.
   *
   * @topic Responses
   * @sdk classifies by type, else by status, and keeps the raw body
   * @example { body: { code: '{status}', detail: '{message}' } }
   */
  errorShape: {
    ...named(namedErrors, values.refusal, '{ body?, status?, type?, message?, headers? }'),
    complete: (given: RefusalTemplate): RefusalTemplate => ({ ...namedErrors.envelope, ...given }),
  } as NamedSetting<RefusalTemplate, keyof typeof namedErrors>,
  /**
   * The refusals that differ from `errorShape`: `{ status?, type?, message?, body?, headers? }` for each of
   * `authentication`, `missing_key` (without it as `authentication`), `unknown_path`, `unknown_method`,
   * `unknown_payment`, `malformed_id` (an id that does not start with `pay_`; without it as `unknown_payment`),
   * `unknown_page`, `foreign_payment` (without it as `unknown_payment`), `validation`, `malformed_body`, `malformed_key` (an invalid `Idempotency-Key`; without it as `malformed_body`), `not_an_object`
   * (a JSON body such as a list; without it as `validation`), `media_type`, `body_size`, `insufficient_funds`,
   * `rate_limit` (null removes one of its headers), `key_reused`, `key_of_other_body`, `server_error`, `unavailable`
   * (the outcome of a create; without it as `server_error`), and each kind of invalid field of `issues` (without it as
   * `validation`).
   *
   * @topic Responses
   * @sdk classifies by type, else by status, and keeps the raw body
   * @values templates by refusal
   * @example { unknown_path: { body: { detail: 'Not Found' } }, rate_limit: { headers: { 'X-RateLimit-Reset': null } },
   * foreign_payment: { status: 403, type: 'permission_error' } }
   */
  refusals: {
    schema: s.choiceOf(
      Object.fromEntries([...refusals, ...issueKinds].map((name) => [name, values.refusal])),
      {},
      { expected: 'an object of refusals' },
    ),
    fallback: {},
  } as Setting<Refusals>,
  /**
   * The details of invalid fields, for a template of the refusal `validation` with `['{each issues}', '{issue}']` or
   * `{ '{each fields}': '{issues}' }`; the kinds are `missing`, `amount_missing` and `text_missing` (without them as
   * `missing`), `unknown_field`, `currency_null`, `currency_type`, `currency_form`, `currency_unknown`,
   * `currency_same`, `currency_pair`, `amount_null`, `amount_type`, `amount_text`, `amount_word`, `amount_zero`,
   * `amount_negative`, `amount_large`, `amount_precise`, `text_null`, `text_type`, `text_empty`, `text_long`,
   * `per_page_form`, `per_page_small`, `per_page_large`, `page`, `status`, `type`, `body` and `other`.
   *
   * @topic Responses
   * @sdk reads the names of fields in the common forms
   * @values a list of templates by kind of problem
   * @example { missing: [{ loc: ['body', '{field}'], type: 'missing' }], other: [{ loc: ['body', '{field}'], type:
   * 'value_error', msg: '{problem}' }] }
   */
  issues: {
    schema: s.choiceOf(
      Object.fromEntries(issueKinds.map((kind) => [kind, s.listOf(values.template(templatePlaces.issue))])),
    ),
    fallback: {},
  } as Setting<Issues>,
  /**
   * The problems in the response to a request with several ones: `listed` is `all` (the default) or `first`,
   * `fields` are the fields that are checked before the others, in their order, and `first` and `last` are kinds of
   * problems of `issues` that are checked before and after the others: a response has those of one check only.
   *
   * @topic Responses
   * @sdk does not assume that all problems are listed
   * @values `{ listed?, fields?, first?, last? }`
   * @example { listed: 'first', fields: ['amount', 'to_currency'], first: ['missing'] }
   */
  problems: {
    schema: s.choiceOf({
      listed: s.oneOf(['all', 'first']),
      fields: s.listOf(s.text()),
      first: s.listOf(s.oneOf(issueKinds)),
      last: s.listOf(s.oneOf(issueKinds)),
    }),
    fallback: {},
  } as Setting<ProblemOrder>,
  /**
   * Additional fields beside `data` in `all` successful responses, or those of `createQuote`, `createPayment`,
   * `getPayment` or `getBalance`, in place of those of all with the same name; payments have their values.
   *
   * @topic Responses
   * @sdk ignores unknown fields
   * @values templates by operation
   * @example { all: { trace: { request_id: '{request_id uuid}' } }, getPayment: { links: { self:
   * '/api/v1/payments/{id}' } } }
   */
  beside: {
    schema: s.choiceOf(
      Object.fromEntries(
        besidePlaces.map((name) => [
          name,
          values.objectTemplate(templatePlaces[name === 'all' ? 'envelope' : 'beside']),
        ]),
      ),
    ),
    fallback: {},
  } as Setting<BesideTemplates>,
  /**
   * The `data` of a quote.
   *
   * @topic Responses
   * @sdk reads the documented fields, and ignores others
   * @example { from_currency: '{from_currency}', to_currency: '{to_currency}', send_amount: '{send_amount}', fee:
   * '{fee}', rate: '{rate}', receive_amount: '{receive_amount}', total: '{debit}' }
   */
  quoteShape: shape(documentedQuote, 'quoteShape') as ShapeSetting,
  /**
   * The `data` of a payment.
   *
   * @topic Responses
   * @sdk reads the documented fields, and ignores others
   * @example { id: '{id}', status: '{status}', from_currency: '{from_currency}', to_currency: '{to_currency}',
   * send_amount: '{send_amount}', rate: '{rate}', receive_amount: '{receive_amount}', beneficiary: { name:
   * '{beneficiary_name}', bank: '{beneficiary_bank}', account: '{beneficiary_account}', country:
   * '{beneficiary_country}' }, purpose: '{purpose}', created_at: '{created_at}', fee: '{fee}', updated_at:
   * '{updated_at}' }
   */
  paymentShape: shape(documentedPayment, 'paymentShape') as ShapeSetting,
  /**
   * The `data` of the balance.
   *
   * @topic Responses
   * @sdk reads the documented fields, and ignores others
   * @example { balances: ['{each wallets}', { currency: '{currency}', balance: '{balance}', available: '{available}'
   * }] }
   */
  balanceShape: shape(documentedBalance, 'balanceShape') as ShapeSetting,
  /**
   * Headers of `createQuote`, `createPayment`, `replayPayment`, `getPayment`, `getBalance`, `listTransactions` or `all`
   * responses, and of webhooks as `event`; null removes a header of a response; with a rate limit, `all` has `{limit}`,
   * `{remaining}`, `{reset}` and `{reset_at}`.
   *
   * @topic Responses
   * @sdk requires no header; warns once per process about `Deprecation`
   * @values headers by operation
   * @example { createPayment: { Location: '/api/v1/payments/{id}' }, all: { 'Cache-Control': null, Deprecation:
   * '@1780272000', 'X-RateLimit-Remaining': '{remaining}' }, event: { 'X-Service-Delivery': '{delivery}' } }
   */
  headers: { schema: values.headers, fallback: {} } as Setting<HeaderTemplates>,
  /**
   * The forms of ids, with `{base62 24}`, `{lower 24}`, `{upper 24}`, `{hex 24}`, `{digits 16}`, `{uuid}`, `{ulid}`,
   * `{number}`, `{mode}` and, for payments, `{date}` such as `20260131`.
   *
   * @topic Responses
   * @sdk reads ids of payments that start with `pay_test_` or `pay_live_`
   * @values `{ payment?, transaction? }`
   * @example { payment: 'pay_{mode}_{ulid}', transaction: '{number}' }
   */
  ids: { schema: values.idForms, fallback: {} } as Setting<IdForms>,
  /**
   * The number of requests per time window, for each account and mode, of all methods or one; responses to others
   * lack headers with `{remaining}`.
   *
   * @topic Responses
   * @sdk waits for `Retry-After`, else backs off
   * @values `none`, or `{ requests, window, method? }`
   * @example { requests: 20, window: '1s', method: 'POST' }
   */
  rateLimit: {
    schema: s.nameOr(
      ['none'],
      s.choiceOf({ method: s.oneOf(['GET', 'POST']) }, { requests: s.whole(0), window: values.delay }),
    ),
    fallback: 'none',
  } as Setting<'none' | ProfileRateLimit>,
  /**
   * The form of `Retry-After`: seconds, or an HTTP date, with the time of the mock in `Date`.
   *
   * @default 'seconds'
   * @topic Responses
   * @sdk reads both
   */
  retryAfter: ['seconds', 'date'] as const,
  /**
   * The time by which reads are behind the payments: a new payment is 404, and the balance and the list do not have
   * it; deposits and the control API have no lag.
   *
   * @topic Responses
   * @sdk waits for the option `readLag` before it concludes that a payment does not exist
   * @values `{ payments?, balance?, transactions? }`
   * @example { payments: '500ms', balance: '2s', transactions: '5s' }
   */
  readLag: {
    schema: s.choiceOf({
      payments: values.statusDuration,
      balance: values.statusDuration,
      transactions: values.statusDuration,
    }),
    fallback: {},
  } as Setting<ReadLag>,
  /**
   * The real time before each response; 0 by default.
   *
   * @topic Responses
   * @sdk ends an attempt at its timeout
   * @values a duration, or the shortest and the longest one
   * @example ['150ms', '900ms']
   */
  latency: { schema: values.durationRange, fallback: 0 } as Setting<DurationRange>,
  /**
   * Two different keys in `Authorization` and `X-API-Key`: 401, the one that is used, or either valid one.
   *
   * @default 'reject'
   * @topic Requests
   * @sdk sends one header
   */
  bothKeys: ['reject', 'bearer', 'apiKey', 'either'] as const,
  /**
   * Similar paths such as `/balance/`: 404, 308 to the canonical path, or the response of that path; and an unknown path with
   * an invalid key: 401, or 404. A text is `similar`.
   *
   * @topic Requests
   * @sdk sends documented paths only, and never follows a redirect
   * @example { similar: 'redirect', unknown: 'public' }
   */
  paths: {
    fields: {
      /**
       * Paths such as `/balance/`.
       *
       * @default 'strict'
       */
      similar: ['strict', 'redirect', 'lenient'],
      /**
       * An unknown path with an invalid key.
       *
       * @default 'authenticated'
       */
      unknown: ['authenticated', 'public'],
    },
    short: 'similar',
  } as const,
  /**
   * The request body: the media types, only `application/json`, else 415, or any; a body that is not JSON (or JSON that
   * is not an object): refused, or read as an empty object; whether it is refused after or before an invalid key; and
   * unknown fields.
   *
   * @topic Requests
   * @sdk sends valid `application/json` with documented fields only
   * @example { malformed: 'empty', unknownFields: 'reject' }
   */
  requestBody: {
    fields: {
      /**
       * The accepted `Content-Type`.
       *
       * @default 'json'
       */
      mediaTypes: ['json', 'any'],
      /**
       * A body that is not JSON.
       *
       * @default 'reject'
       */
      malformed: ['reject', 'empty'],
      /**
       * Whether a malformed body is refused after or before an invalid key.
       *
       * @default 'afterKey'
       */
      checked: ['afterKey', 'beforeKey'],
      /**
       * A body with other fields.
       *
       * @default 'ignore'
       */
      unknownFields: ['ignore', 'reject'],
    },
  } as const,
  /**
   * The smallest and the largest amount to send; an amount as decimal text, such as `"10.00"`: 422, or read as the number;
   * and an amount with more decimals than its currency has: `round` to the nearest, and half to even with `rounding:
   * half_even`; `roundQuotes` and `truncateQuotes` only in quotes, and rejected in payments.
   *
   * @topic Requests
   * @sdk leaves the limits to the service; sends numbers; refuses more than 2 decimals unless configured, and warns when
   * `send_amount` differs
   * @example { minimum: '1.00', maximum: '50000.00', precision: 'round' }
   */
  amounts: {
    fields: {
      /**
       * The smallest amount.
       *
       * @default '0.01'
       */
      minimum: { schema: values.limit, fallback: '0.01' } as Setting<string>,
      /**
       * The largest amount.
       *
       * @default '999999999.99'
       */
      maximum: { schema: values.limit, fallback: '999999999.99' } as Setting<string>,
      /**
       * An amount as decimal text, such as `"10.00"`.
       *
       * @default 'reject'
       */
      text: ['reject', 'accept'],
      /**
       * An amount with more decimals than its currency has.
       *
       * @default 'reject'
       */
      precision: ['reject', 'round', 'truncate', 'roundQuotes', 'truncateQuotes'],
    },
    hasLimits: true,
  } as const,
  /**
   * The maximum number of characters of a text, else 422; an empty or blank optional text: 422, kept, or treated as if
   * absent; and a number as text: 422, or read as `"5"`.
   *
   * @topic Requests
   * @sdk leaves the limit to the service, and sends texts as given
   * @example { limit: 140, empty: 'absent' }
   */
  texts: {
    fields: {
      /**
       * The maximum number of characters.
       *
       * @default 255
       */
      limit: { schema: s.whole(1, MAX_TEXT), fallback: 255 } as Setting<number>,
      /**
       * An optional text that is empty or blank.
       *
       * @default 'reject'
       */
      empty: ['reject', 'keep', 'absent'],
      /**
       * A number in place of a text.
       *
       * @default 'reject'
       */
      number: ['reject', 'accept'],
    },
  } as const,
  /**
   * The supported currencies: the 46 of the mock, or a list, others are rejected with 422; `usd`:
   * rejected, or read as `USD`; and a quote or payment from a currency to itself. A list is `codes`.
   *
   * @topic Requests
   * @sdk sends any code of three upper-case letters, and leaves the checks to the service
   * @example { codes: ['USD', 'EUR', 'NGN'], same: 'reject' }
   */
  currencies: {
    fields: {
      /**
       * The supported currencies: those of the mock, or a list.
       *
       * @default 'default'
       */
      codes: { schema: values.currencyCodes, fallback: 'default' } as Setting<'default' | readonly string[]>,
      /**
       * A code such as `usd`.
       *
       * @default 'strict'
       */
      case: ['strict', 'normalise'],
      /**
       * A quote or payment from a currency to itself.
       *
       * @default 'allow'
       */
      same: ['allow', 'reject'],
    },
    short: 'codes',
  } as const,
  /**
   * A second create with the same `Idempotency-Key`: the same response, another payment, 409, or the same response
   * even to another request.
   *
   * @default 'replayed'
   * @topic Requests
   * @sdk retries a create only when configured with `replayed`
   */
  idempotency: ['replayed', 'ignored', 'conflict', 'replayedAny'] as const,
  /**
   * Two decimals for every currency, or none for JPY and the others that have none.
   *
   * @default 'two'
   * @topic Money
   * @sdk assumes neither
   */
  minorUnits: ['two', 'iso'] as const,
  /**
   * The rounding of half a hundredth.
   *
   * @default 'half_up'
   * @topic Money
   * @sdk assumes none
   */
  rounding: ['half_up', 'half_even', 'down'] as const,
  /**
   * The fee: the first rule for the two currencies and the amount; without one, 0; `mode` is `inside` the amount (the
   * default), `onTop` of it, or `inRate`, where `percent` is the margin of the rate; `rounding` is `up`, `down`,
   * `half_up` or `half_even`, and without it that of the setting `rounding`; `[{ "percent": "0.5" }]` by default.
   *
   * @topic Money
   * @sdk never recomputes `receive_amount`
   * @values `[{ from?, to?, amount?, percent?, flat?, minimum?, maximum?, rounding?, mode? }]`
   * @example [{ from: 'JPY', flat: '300', mode: 'onTop' }, { amount: { from: '1000.00' }, percent: '0.5' }, { percent: '1', flat: '0.30', minimum: '1.00', maximum: '50.00',
   * rounding: 'up' }]
   */
  fees: { schema: values.feeRules, fallback: [{ percent: '0.5' }] } as Setting<readonly FeeRule[]>,
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
  rates: { schema: values.rateSettings, fallback: {} } as Setting<RateSettings>,
  /**
   * The opening balances of new accounts in test mode, unless the account has `balances`: 100000.00 in USD, EUR and
   * GBP, or others.
   *
   * @topic Money
   * @sdk returns the wallets that the service has
   * @values `default`, or `{ CODE: balance }`
   * @example { USD: '2500.00', JPY: '0' }
   */
  wallets: { schema: s.nameOr(['default'], values.balances), fallback: 'default' } as Setting<
    'default' | Readonly<Record<string, string>>
  >,
  /**
   * The status with which the wallet is debited, and whether a payment reserves its funds until a later debit; without a
   * hold, a debit without funds makes the payment fail. A text is `status`.
   *
   * @topic Money
   * @sdk does not assume a debit, nor that funds are reserved
   * @example { status: 'processing', hold: 'none' }
   */
  debitAt: {
    fields: {
      /**
       * The status with which the wallet is debited.
       *
       * @default 'create'
       */
      status: ['create', 'processing', 'completed'],
      /**
       * Whether a payment reserves its funds until then.
       *
       * @default 'reserve'
       */
      hold: ['reserve', 'none'],
    },
    short: 'status',
  } as const,
  /**
   * The refund of a failed payment, and of a completed one that is returned: the same, or another one. A text is `failed`.
   *
   * @topic Money
   * @sdk does not assume a refund after `failed`
   * @example { failed: 'lessFee', returned: 'none' }
   */
  refund: {
    fields: {
      /**
       * The refund of a payment that fails before it is completed.
       *
       * @default 'full'
       */
      failed: ['full', 'lessFee', 'none'],
      /**
       * The refund of a completed payment that fails.
       *
       * @default 'same'
       */
      returned: ['same', 'full', 'lessFee', 'none'],
    },
    short: 'failed',
  } as const,
  /**
   * From pending through processing to completed, or directly to completed.
   *
   * @default 'walk'
   * @topic Payments
   * @sdk waits for a final status, not for a path
   */
  transitions: ['walk', 'skip'] as const,
  /**
   * The time in each status: a duration, or the shortest and the longest one, of which each payment has a different one;
   * `completed` is the time until a return; by default 1 s, 3 s and 5 s.
   *
   * @topic Payments
   * @sdk polls until a time limit that the caller sets
   * @values `{ pending?, processing?, completed? }`
   * @example { pending: '500ms', processing: ['2s', '20s'] }
   */
  durations: {
    schema: s.choiceOf({
      pending: values.durationRange,
      processing: values.durationRange,
      completed: values.durationRange,
    }),
    fallback: { pending: '1s', processing: '3s', completed: '5s' },
  } as Setting<StatusDurations>,
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
  outcomes: {
    schema: values.outcomeRules,
    fallback: outcomes.map((outcome) => ({ account: { equals: toMagicValue(outcome) }, outcome })),
  } as Setting<readonly OutcomeRule[]>,
  /**
   * Statuses that the document does not have, with the status before each of them (`pending` or `processing`), the
   * conditions of `outcomes` and a duration (3 s by default); `webhook: false` sends no event.
   *
   * @topic Payments
   * @sdk passes unknown statuses through as not final
   * @values `[{ status, after, account?, name?, amount?, duration?, webhook? }]`
   * @example [{ status: 'in_review', after: 'pending', amount: { from: '5000.00' }, duration: ['5s', '20s'] }]
   */
  extraStatuses: { schema: values.extraStatusList, fallback: [] } as Setting<readonly ExtraStatus[]>,
  /**
   * All fields, or id, type, status, currency, an amount without its sign, and time, or [templates](templates.md): a
   * list of `{ of, row }`.
   *
   * @topic Transactions
   * @sdk reads fields by common names; reports `cannot_tell` when those for reconciling are missing
   * @example [{ of: 'any', row: { id: '{id}', cents: '{amount cents}', at: '{created_at}' } }]
   */
  transactionShape: named(namedRows, values.rows, 'a list of { of, row }') as NamedSetting<
    readonly RowTemplate[],
    keyof typeof namedRows
  >,
  /**
   * How a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or
   * a [template](templates.md): `{ data, beside?, headers?, by?, parameter?, first?, query? }`.
   *
   * @topic Transactions
   * @sdk reads all; throws where more rows exist and no page has them
   * @example { data: { items: ['{each rows}', '{row}'], next: '{next_cursor}' }, by: 'cursor' }
   */
  pagination: named(
    namedPages,
    values.page,
    '{ data, beside?, headers?, by?, parameter?, first?, query? }',
  ) as NamedSetting<PageTemplate, keyof typeof namedPages>,
  /**
   * An invalid `page` or `per_page`: 422, the nearest value, or the default if too small; a page after the last one: no
   * rows, or 404; an unknown filter: 422, no rows, or all rows. Kinds in `refusals` are refused.
   *
   * @topic Transactions
   * @sdk checks `per_page` before sending, ends a list without requesting a page after the last one, and passes filters through
   * @example { page: 'clamp', pastEnd: 'not_found', filter: 'ignore' }
   */
  listQuery: {
    fields: {
      /**
       * An invalid `page` or `per_page`.
       *
       * @default 'reject'
       */
      page: ['reject', 'clamp', 'default'],
      /**
       * A page after the last one.
       *
       * @default 'empty'
       */
      pastEnd: ['empty', 'not_found'],
      /**
       * An unknown `status` or `type`.
       *
       * @default 'reject'
       */
      filter: ['reject', 'empty', 'ignore'],
    },
  } as const,
  /**
   * The statuses that send an event.
   *
   * @topic Webhooks
   * @sdk works without non-final events
   * @values all, or any of them
   * @example ['completed', 'failed']
   */
  events: {
    schema: s.listOf(s.oneOf(statuses), `a list of any of ${statuses.join(', ')}`),
    fallback: [...statuses],
  } as Setting<readonly PaymentStatus[]>,
  /**
   * The body of a webhook. `{renewed_at}` is the time of the event, and in a later attempt that of the attempt.
   *
   * @topic Webhooks
   * @sdk verifies the raw body, and rejects one without the documented fields
   * @example { id: '{id}-{status}', event: 'payment.{status}', created_at: '{at}', data: { id: '{id}', status:
   * '{status}', from_currency: '{from_currency}', to_currency: '{to_currency}', send_amount: '{send_amount}',
   * receive_amount: '{receive_amount}', mode: '{mode}' } }
   */
  eventShape: shape(documentedEvent, 'eventShape') as ShapeSetting,
  /**
   * The statuses that acknowledge an event.
   *
   * @default 200
   * @topic Webhooks
   * @sdk responds 200
   */
  ack: [200, '2xx'] as const,
  /**
   * Eight attempts over about 27 hours, one attempt, or the delays between a failed attempt and the next one.
   *
   * @topic Webhooks
   * @sdk responds 200
   * @values `default` `none`, or a list of durations
   * @example ['5s', '5s', '1m']
   */
  retrySchedule: named(
    { default: retryDelays, none: [] },
    s.listOf(values.delay, "a list of delays such as ['5s', '1m']"),
  ) as NamedSetting<readonly Duration[], 'default' | 'none'>,
  /**
   * The probabilities that an event is sent twice, and after the next event of its payment; and the time between an
   * event and its webhook, a duration or the shortest and the longest one.
   *
   * @topic Webhooks
   * @sdk deduplicates, and orders events by status
   * @values `none`, or `{ duplicates?, reorder?, delay? }`
   * @example { duplicates: 0.3, reorder: 0.1, delay: ['0s', '2s'] }
   */
  deliveryFaults: {
    schema: s.nameOr(
      ['none'],
      s.choiceOf({
        duplicates: values.probability,
        reorder: values.probability,
        delay: values.durationRange,
      }),
    ),
    fallback: 'none',
  } as Setting<'none' | DeliveryFaults>,
};

/** The names and rows of the settings. */
export const settingRows: Readonly<Record<string, SettingWithSchemas>> = Object.freeze(
  Object.fromEntries(Object.entries(settings).map(([name, row]) => [name, toSetting(row)])),
);
