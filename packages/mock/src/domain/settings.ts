import { type PaymentStatus, paymentStatuses as statuses } from '@service/contract';
import {
  type DeliveryFaults,
  type Duration,
  type DurationRange,
  type FeeRule,
  type HeaderSettings,
  isRecord,
  namedPages,
  namedRows,
  namedTimestamps,
  outcomes,
  type OutcomeRule,
  type PageExample,
  type ProfileRateLimit,
  type RateSettings,
  readFieldText,
  type ReadLag,
  refusals,
  type RefusalSettings,
  type RowExamples,
  type TimestampForm,
  toMagicValue,
} from '@service/internal';
import * as s from './schema.ts';
import { retryDelays } from './delivery.ts';
import * as values from './setting-values.ts';

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
  known: Readonly<Record<Name, Loaded>>,
  own: s.Schema,
  expected?: string,
): NamedSetting<Loaded, Name> {
  const names = Object.keys(known) as Name[];
  const fallback = known[names[0] as Name];
  return { schema: s.nameOr(names, own, expected), fallback, named: known };
}

/** Returns the setting of a row of the table. */
function toSetting(row: SettingRow): SettingWithSchemas {
  if ('schema' in row) return row as SettingWithSchemas;
  if (!('fields' in row)) return { schema: s.oneOf(row), fallback: row[0] };
  const { short = '', hasLimits = false } = row;
  const settings = Object.entries(row.fields).map(([name, field]) => [name, toSetting(field)] as const);
  const fields = Object.fromEntries(settings.map(([name, { schema }]) => [name, schema]));
  const [choice, only] = [s.choiceOf(fields), fields[short]];
  // Amounts are text.
  const numbers = hasLimits ? [] : Object.keys(fields);
  const read = (given: unknown): unknown => readFieldText(given, numbers) ?? given;
  const { schema: object } = textOr(hasLimits ? values.withLimits(choice) : choice, {}, read);
  return {
    schema: only === undefined ? object : s.anyOf([only, object]),
    fallback: Object.fromEntries(settings.map(([name, { fallback }]) => [name, fallback])),
    fields,
    complete: (given, current) => {
      const known = read(given);
      return { ...(current as object), ...(isRecord(known) ? known : { [short]: known }) };
    },
  };
}

/** Reads an object from one text with its fields, such as `'similar strict, unknown public'`. Other values stay. */
const readObject = (given: unknown): unknown => readFieldText(given) ?? given;

/** Reads the rates of pairs. */
function readRates(given: unknown): unknown {
  const pairs = readFieldText(given);
  return pairs === undefined ? given : { pairs };
}

/** A setting whose value is an object, or one text with its fields. */
function textOr<T>(object: s.Schema<T>, fallback: T, read = readObject): TextSetting<T> {
  const parse: typeof object.parse = (given, place) => object.parse(read(given), place);
  const json = { anyOf: [object.json, { type: 'string' }] };
  return { schema: { ...object, json, parse }, fallback, complete: (given) => read(given) as T };
}

type TextSetting<T> = Setting<T> & { readonly schema: s.Schema<T> };

/** The longest text that fits into a request body beside the other fields. */
const MAX_TEXT = 10_000;

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
   * The form of money and rates: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles. With `stringRate` only rates are text, with `numberRate` only money is.
   *
   * @default 'number'
   * @topic Responses
   * @sdk parses all and exposes the exact decimal text
   */
  numbers: ['number', 'string', 'floatTail', 'stringRate', 'numberRate'] as const,
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
   * The response to `all` refusals, and to those that differ, such as `unknown_payment` ([all names](examples.md#refusals)). A
   * field that is left out is that of a similar refusal, of `all`, or as documented. A body is an [example](examples.md), or text such as an HTML page.
   *
   * @topic Responses
   * @sdk classifies by type, else by status, and keeps the raw body
   * @values `{ status?, type?, message?, body? }` by refusal
   * @example { all: { body: { code: '{status}', detail: '{message}' } }, foreign_payment: { status: 403, type:
   * 'permission_error' } }
   */
  refusals: {
    schema: s.choiceOf(
      Object.fromEntries(['all', ...refusals].map((name) => [name, values.refusal])),
      {},
      { expected: 'an object of refusals' },
    ),
    fallback: {},
  } as Setting<RefusalSettings>,
  /**
   * Constant headers of `all` responses, those of `createQuote`, `createPayment`, `replayPayment`, `getPayment`,
   * `getBalance` or `listTransactions`, and of webhooks as `event`; null removes a header of a response.
   *
   * @topic Responses
   * @sdk requires no header
   * @values headers by operation
   * @example { all: { 'Cache-Control': null, Deprecation: '@1780272000' }, event: { 'X-Version': '2' } }
   */
  headers: { schema: values.headers, fallback: {} } as Setting<HeaderSettings>,
  /**
   * The number of requests per time window, for each account and mode, of all methods or one.
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
  readLag: textOr<ReadLag>(
    s.choiceOf({
      payments: values.statusDuration,
      balance: values.statusDuration,
      transactions: values.statusDuration,
    }),
    {},
  ),
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
   * The supported currencies: the 46 of the mock, or codes such as `EUR USD`, others are rejected with 422; `usd`:
   * rejected, or read as `USD`; and a quote or payment from a currency to itself. A text is `codes`.
   *
   * @topic Requests
   * @sdk sends any code of three upper-case letters, and leaves the checks to the service
   * @example { codes: 'EUR NGN USD', same: 'reject' }
   */
  currencies: {
    fields: {
      /**
       * The supported currencies: those of the mock, or codes such as `EUR USD`.
       *
       * @default 'default'
       */
      codes: { schema: values.currencyCodes, fallback: 'default' } as Setting<string>,
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
   * The fee: `percent` of the sent amount plus `flat`, within `minimum` and `maximum`; `mode` is `inside` the amount (the
   * default) or `onTop` of it; `rounding` is `up`, `down`, `half_up` or `half_even`, and without it that of the setting
   * `rounding`; `{ "percent": "0.5" }` by default.
   *
   * @topic Money
   * @sdk never recomputes `receive_amount`
   * @values `{ percent?, flat?, minimum?, maximum?, rounding?, mode? }`
   * @example { percent: '1', flat: '0.30', minimum: '1.00', maximum: '50.00', rounding: 'up' }
   */
  fees: textOr<FeeRule>(values.feeRule, { percent: '0.5' }),
  /**
   * The rates: those of some pairs as a quote shows them, and the share that is deducted from the rates of other pairs. A
   * pair without a rate has that of its inverse, or of both currencies to USD.
   *
   * @topic Money
   * @sdk never computes with a rate
   * @values `{ pairs?, spread? }`
   * @example { pairs: { 'USD/EUR': '0.92' }, spread: '0.002' }
   */
  rates: textOr<RateSettings>(values.rateSettings, {}, readRates),
  /**
   * The opening balances of new accounts in test mode, unless the account has `balances`: 100000.00 in USD, EUR and
   * GBP, or others.
   *
   * @topic Money
   * @sdk returns the wallets that the service has
   * @values `default`, or `{ CODE: balance }`
   * @example { USD: '2500.00', JPY: '0' }
   */
  wallets: textOr<'default' | Readonly<Record<string, string>>>(
    s.nameOr(['default'], values.balances),
    'default',
  ),
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
   * The path of a payment, through processing to completed or directly, and the time in each status: a duration, or the
   * shortest and the longest one, of which each payment has a different one. A text is `path`.
   *
   * @topic Payments
   * @sdk waits for a final status until a time limit that the caller sets
   * @example { path: 'skip', pending: '500ms', processing: ['2s', '20s'] }
   */
  statuses: {
    fields: {
      /**
       * From pending through processing to completed, or directly to completed.
       *
       * @default 'walk'
       */
      path: ['walk', 'skip'],
      /**
       * The time until a payment is processed.
       *
       * @default '1s'
       */
      pending: { schema: values.durationRange, fallback: '1s' } as Setting<DurationRange>,
      /**
       * The time until a payment is completed.
       *
       * @default '3s'
       */
      processing: { schema: values.durationRange, fallback: '3s' } as Setting<DurationRange>,
      /**
       * The time between the completion of a payment and its return.
       *
       * @default '5s'
       */
      completed: { schema: values.durationRange, fallback: '5s' } as Setting<DurationRange>,
    },
    short: 'path',
  } as const,
  /**
   * The outcomes of payments in test mode; the first rule that matches applies; one `*` in an
   * account, a name or an amount stands for any text; an outcome is
   * `ok`, `fail`, `fail_early`, `return`, `stuck`, `pending`, `instant`, `hook_first`, `hook_dup`, `hook_shuffle`,
   * `500`, `drop` or `unavailable`; by default the [magic values](life-of-a-payment.md#magic-values).
   *
   * @topic Payments
   * @sdk reports the final status, whatever its cause
   * @values `[{ account?, name?, amount?, outcome }]`
   * @example [{ account: '*0000', outcome: 'fail' }, { name: 'Fail Ltd', outcome: 'fail_early' }, { amount: '*.13', outcome:
   * 'stuck' }]
   */
  outcomes: {
    schema: values.outcomeRules,
    fallback: outcomes.map((outcome) => ({ account: toMagicValue(outcome), outcome })),
  } as Setting<readonly OutcomeRule[]>,
  /**
   * The rows that a payment leaves in the list at its `create`, `debit`, `completion`, `failure` and `refund`, and those
   * of a `deposit` and an `adjustment`: lists of [example rows](examples.md); by default one row of each movement with all fields, or
   * with id, type, status, currency, an amount without its sign, and time.
   *
   * @topic Transactions
   * @sdk reads fields by common names; reports `cannot_tell` when those for reconciling are missing
   * @example { debit: [{ id: '{id}', cents: '{amount cents}', at: '{created_at}' }] }
   */
  rows: named(namedRows, values.rows, 'an object of lists of example rows') as NamedSetting<
    RowExamples,
    keyof typeof namedRows
  >,
  /**
   * How a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or
   * an [example](examples.md): `{ body, link?, by?, parameter?, first? }`.
   *
   * @topic Transactions
   * @sdk reads all; throws where more rows exist and no page has them
   * @example { body: { items: '{rows}', next: '{next_cursor}' }, by: 'cursor' }
   */
  pagination: named(namedPages, values.page, '{ body, link?, by?, parameter?, first? }') as NamedSetting<
    PageExample,
    keyof typeof namedPages
  >,
  /**
   * An invalid `page` or `per_page`: 422, the nearest value, or the default if too small; a page after the last one: no
   * rows, or 404; an unknown filter: 422, no rows, or all rows; and the order of the rows.
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
      /**
       * The order of the rows.
       *
       * @default 'newest'
       */
      order: ['newest', 'oldest'],
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
