import type { BehaviorSettings } from './profile/behavior.ts';
import type { MoneySettings } from './profile/money.ts';
import type { TemplateSettings } from './profile/templates.ts';

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
   * @group Responses
   * @sdk accepts any 2xx
   */
  createStatus: [201, 200, 202],
  /**
   * The HTTP status of the response to a quote.
   *
   * @default 200
   * @group Responses
   * @sdk accepts any 2xx
   */
  quoteStatus: [200, 201],
  /**
   * An absent optional text: null, no field, or empty text.
   *
   * @default 'null'
   * @group Responses
   * @sdk normalizes to null
   */
  absent: ['null', 'omit', 'empty'],
  /**
   * The form of money: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles.
   *
   * @default 'number'
   * @group Responses
   * @sdk parses all and exposes the exact decimal text
   */
  numbers: ['number', 'string', 'floatTail'],
  /**
   * Two decimals for every currency, or none for JPY and the others that have none.
   *
   * @default 'two'
   * @group Money
   * @sdk assumes neither
   */
  minorUnits: ['two', 'iso'],
  /**
   * The rounding of half a hundredth.
   *
   * @default 'half_up'
   * @group Money
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
   * @group Responses
   * @sdk does not require `mode`
   */
  modeOn401: ['omit', 'null', 'guess'],
  /**
   * Two different keys in `Authorization` and `X-API-Key`: 401, the one that is used, or either valid one.
   *
   * @default 'reject'
   * @group Requests
   * @sdk sends one header
   */
  bothKeys: ['reject', 'bearer', 'apiKey', 'either'],
  /**
   * The fee: taken out of the amount, added to it, hidden in the rate, or none.
   *
   * @default 'inside'
   * @group Money
   * @sdk never recomputes `receive_amount`
   */
  feeMode: ['inside', 'onTop', 'inRate', 'none'],
  /**
   * The status with which the wallet is debited.
   *
   * @default 'create'
   * @group Money
   * @sdk does not assume a debit
   */
  debitAt: ['create', 'processing', 'completed'],
  /**
   * The refund of a failed payment.
   *
   * @default 'full'
   * @group Money
   * @sdk does not assume a refund after `failed`
   */
  refund: ['full', 'lessFee', 'none'],
  /**
   * From pending through processing to completed, or directly to completed.
   *
   * @default 'walk'
   * @group Payments
   * @sdk waits for a final status, not for a path
   */
  transitions: ['walk', 'skip'],
  /**
   * Whether the undocumented status `under_review` comes between processing and completed.
   *
   * @default 'none'
   * @group Payments
   * @sdk passes unknown statuses through as not final
   */
  unknownStatus: ['none', 'invented'],
  /**
   * The statuses that acknowledge an event.
   *
   * @default 200
   * @group Webhooks
   * @sdk responds 200
   */
  ack: [200, '2xx'],
  /**
   * A later attempt: the same bytes, or with the time of the attempt.
   *
   * @default 'same'
   * @group Webhooks
   * @sdk deduplicates by id and status
   */
  redelivery: ['same', 'newCreatedAt'],
  /**
   * A payment of another account: 404 or 403.
   *
   * @default 'not_found'
   * @group Requests
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
   * @group Transactions
   * @sdk checks `per_page` before sending
   */
  badPage: ['reject', 'clamp', 'default'],
  /**
   * A page after the last one: no rows, or 404.
   *
   * @default 'empty'
   * @group Transactions
   * @sdk ends a list without requesting a page after the last one
   */
  pastEnd: ['empty', 'not_found'],
  /**
   * `status=no_such_status`: 422, no rows, or all rows.
   *
   * @default 'reject'
   * @group Transactions
   * @sdk passes filters through
   */
  unknownFilter: ['reject', 'empty', 'ignore'],
  /**
   * A quote or payment from a currency to itself.
   *
   * @default 'allow'
   * @group Requests
   * @sdk leaves the check to the service
   */
  sameCurrency: ['allow', 'reject'],
  /**
   * `usd`: rejected, or read as `USD`.
   *
   * @default 'strict'
   * @group Requests
   * @sdk sends upper case
   */
  currencyCase: ['strict', 'normalise'],
  /**
   * An amount with more decimals than its currency has; `round`: to the nearest, and half to even with `rounding:
   * half_even`; `roundQuotes` and `truncateQuotes`: only in quotes, and rejected in payments.
   *
   * @default 'reject'
   * @group Requests
   * @sdk refuses more than 2 decimals unless configured, and warns when `send_amount` differs
   */
  excessPrecision: ['reject', 'round', 'truncate', 'roundQuotes', 'truncateQuotes'],
  /**
   * An amount as decimal text, such as `"10.00"`: 422, or read as the number.
   *
   * @default 'reject'
   * @group Requests
   * @sdk sends numbers
   */
  amountText: ['reject', 'accept'],
  /**
   * An optional text that is empty or blank: 422, kept as it is, or treated as if the field were absent.
   *
   * @default 'reject'
   * @group Requests
   * @sdk sends texts as given
   */
  emptyText: ['reject', 'keep', 'absent'],
  /**
   * The `Content-Type` of a body: only `application/json`, else 415, or any.
   *
   * @default 'json'
   * @group Requests
   * @sdk sends `application/json`
   */
  mediaTypes: ['json', 'any'],
  /**
   * What happens to a request body with unknown fields.
   *
   * @default 'ignore'
   * @group Requests
   * @sdk sends documented fields only
   */
  unknownFields: ['ignore', 'reject'],
  /**
   * The status for a body that is not JSON; `empty` reads it, and JSON that is not an object, as an empty object.
   *
   * @default 400
   * @group Requests
   * @sdk accepts all
   */
  malformedBody: [400, 422, 'empty'],
  /**
   * A body that is not JSON with an invalid API key: 401, or the response to the body.
   *
   * @default 'afterKey'
   * @group Requests
   * @sdk always sends valid JSON
   */
  bodyChecked: ['afterKey', 'beforeKey'],
  /**
   * A second create with the same `Idempotency-Key`: the same response, another payment, 409, or the same response
   * even to another request.
   *
   * @default 'replayed'
   * @group Requests
   * @sdk retries a create only when configured with `replayed`
   */
  idempotency: ['replayed', 'ignored', 'conflict', 'replayedAny'],
  /**
   * The status of a replayed create: that of the create, or 200.
   *
   * @default 'created'
   * @group Requests
   * @sdk accepts any 2xx
   */
  replayStatus: ['created', 200],
  /**
   * A 429 with `Retry-After` and `X-RateLimit-*`, with `Retry-After`, `RateLimit` and `RateLimit-Policy`, or without
   * these.
   *
   * @default 'x'
   * @group Responses
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
   * @group Requests
   * @sdk never follows a redirect
   */
  paths: ['strict', 'redirect', 'lenient'],
  /**
   * An unknown path with an invalid key: 401, or 404.
   *
   * @default 'authenticated'
   * @group Requests
   * @sdk sends documented paths only
   */
  unknownPath: ['authenticated', 'public'],
  /**
   * Whether a payment reserves its funds until a later debit; without a hold, a debit without funds makes the
   * payment fail.
   *
   * @default 'reserve'
   * @group Money
   * @sdk does not assume that funds are reserved
   */
  hold: ['reserve', 'none'],
  /**
   * The refund of a completed payment that fails: that of `refund`, or another one.
   *
   * @default 'same'
   * @group Money
   * @sdk does not assume a refund after `failed`
   */
  returnRefund: ['same', 'full', 'lessFee', 'none'],
  /**
   * The form of `Retry-After`: seconds, or an HTTP date, with the time of the mock in `Date`.
   *
   * @default 'seconds'
   * @group Responses
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
     * @group Webhooks
     * @sdk works without non-final events
     * @values all, or any of them
     * @example ['completed', 'failed']
     */
    readonly events: readonly (typeof statuses)[number][];
    /**
     * The headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`.
     *
     * @default 'none'
     * @group Responses
     * @sdk warns once per process
     * @values `none`, or `{ deprecated, sunset, link? }`
     * @example { deprecated: '2026-06-01T00:00:00Z', sunset: '2027-06-01T00:00:00Z' }
     */
    readonly deprecation: 'none' | DeprecationDates;
  };
