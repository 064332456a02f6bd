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
   * HTTP status of a created payment.
   *
   * @default 201
   */
  createStatus: [201, 200, 202],
  /**
   * HTTP status of a quote.
   *
   * @default 200
   */
  quoteStatus: [200, 201],
  /**
   * An optional text without a value, in a response: `null`, no field, or empty text.
   *
   * @default 'null'
   */
  absent: ['null', 'omit', 'empty'],
  /**
   * Amounts in JSON: numbers, text, or numbers with a floating-point error such as `916.6900000000001`.
   *
   * @default 'number'
   */
  numbers: ['number', 'string', 'floatTail'],
  /**
   * Decimals of amounts: two in every currency, or those of ISO 4217, such as none for JPY.
   *
   * @default 'two'
   */
  minorUnits: ['two', 'iso'],
  /**
   * Rounding of half a hundredth.
   *
   * @default 'half_up'
   */
  rounding: ['half_up', 'half_even', 'down'],
  /**
   * Offset of times: `+00:00`, `Z`, `+0000`, or `.000+00:00` with milliseconds.
   *
   * @default 'offset'
   */
  timestamps: ['offset', 'zulu', 'compactOffset', 'fraction'],
  /**
   * The `mode` in a 401 for an unknown API key: no field, null, or guessed from the prefix of the key.
   *
   * @default 'omit'
   */
  modeOn401: ['omit', 'null', 'guess'],
  /**
   * Different API keys in `Authorization` and `X-API-Key`: 401, the key that is used, or either valid one.
   *
   * @default 'reject'
   */
  bothKeys: ['reject', 'bearer', 'apiKey', 'either'],
  /**
   * Fee of a payment: taken out of the sent amount, added to it, hidden in the rate, or none.
   *
   * @default 'inside'
   */
  feeMode: ['inside', 'onTop', 'inRate', 'none'],
  /**
   * Status with which the wallet is debited. Until then the funds are reserved.
   *
   * @default 'create'
   */
  debitAt: ['create', 'processing', 'completed'],
  /**
   * Refund of a failed payment: the whole debit, all but the fee, or nothing.
   *
   * @default 'full'
   */
  refund: ['full', 'lessFee', 'none'],
  /**
   * Whether a payment is `processing` before it is completed (`walk`), or never (`skip`).
   *
   * @default 'walk'
   */
  transitions: ['walk', 'skip'],
  /**
   * Whether the undocumented status `under_review` comes between processing and completed.
   *
   * @default 'none'
   */
  unknownStatus: ['none', 'invented'],
  /**
   * Response statuses that acknowledge a webhook event.
   *
   * @default 200
   */
  ack: [200, '2xx'],
  /**
   * Body of a later attempt: the same bytes, or with the time of the attempt.
   *
   * @default 'same'
   */
  redelivery: ['same', 'newCreatedAt'],
  /**
   * Response for a payment of another account: 404 or 403.
   *
   * @default 'not_found'
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
   * An invalid page size, such as `per_page=0`: 422, the nearest allowed value, or the default size if it is too small.
   *
   * @default 'reject'
   */
  badPage: ['reject', 'clamp', 'default'],
  /**
   * A page after the last one, or an invalid page: no rows, or 404.
   *
   * @default 'empty'
   */
  pastEnd: ['empty', 'not_found'],
  /**
   * An unknown status or type in a filter: 422, no rows, or all rows.
   *
   * @default 'reject'
   */
  unknownFilter: ['reject', 'empty', 'ignore'],
  /**
   * A quote or payment from a currency to itself.
   *
   * @default 'allow'
   */
  sameCurrency: ['allow', 'reject'],
  /**
   * A currency in lowercase, such as `usd`: rejected, or read as `USD`.
   *
   * @default 'strict'
   */
  currencyCase: ['strict', 'normalise'],
  /**
   * An amount with more decimals than its currency has: rejected, rounded, truncated, or so only in quotes, and rejected in
   * payments.
   *
   * @default 'reject'
   */
  excessPrecision: ['reject', 'round', 'truncate', 'roundQuotes', 'truncateQuotes'],
  /**
   * An amount as decimal text in a request: 422, or read as the number.
   *
   * @default 'reject'
   */
  amountText: ['reject', 'accept'],
  /**
   * An optional text of a request that is empty or blank: 422, kept, or treated as if it were absent.
   *
   * @default 'reject'
   */
  emptyText: ['reject', 'keep', 'absent'],
  /**
   * `Content-Type` of a request body: only `application/json`, else 415, or any.
   *
   * @default 'json'
   */
  mediaTypes: ['json', 'any'],
  /**
   * Unknown fields of a request body.
   *
   * @default 'ignore'
   */
  unknownFields: ['ignore', 'reject'],
  /**
   * HTTP status for a body that is not JSON; `'empty'` reads it, and JSON that is not an object, as an empty object.
   *
   * @default 400
   */
  malformedBody: [400, 422, 'empty'],
  /**
   * A body that is not JSON with an invalid API key: 401, or the response to the body.
   *
   * @default 'afterKey'
   */
  bodyChecked: ['afterKey', 'beforeKey'],
  /**
   * A second create with the same `Idempotency-Key`: the first response, another payment, 409, or the first response
   * even to another request.
   *
   * @default 'replayed'
   */
  idempotency: ['replayed', 'ignored', 'conflict', 'replayedAny'],
  /**
   * HTTP status of a replayed create: that of the create, or 200.
   *
   * @default 'created'
   */
  replayStatus: ['created', 200],
  /**
   * Headers of a 429: `X-RateLimit-*` (`x`), `RateLimit` and `RateLimit-Policy` (`ietf`), only `Retry-After`, or none. All
   * but none have `Retry-After`.
   *
   * @default 'x'
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
   */
  paths: ['strict', 'redirect', 'lenient'],
  /**
   * An unknown path with an invalid API key: 401, or 404.
   *
   * @default 'authenticated'
   */
  unknownPath: ['authenticated', 'public'],
  /**
   * Money of a payment that is debited later: reserved from its create on, or free until the debit.
   *
   * @default 'reserve'
   */
  hold: ['reserve', 'none'],
  /**
   * Refund of a payment that fails after it was completed: as `refund`, the whole debit, all but the fee, or nothing.
   *
   * @default 'same'
   */
  returnRefund: ['same', 'full', 'lessFee', 'none'],
  /**
   * `Retry-After` as seconds or as a date.
   *
   * @default 'seconds'
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
     * The statuses that send a webhook event.
     *
     * @default all statuses
     */
    readonly events: readonly (typeof statuses)[number][];
    /**
     * The headers `Deprecation`, `Sunset` and `Link`; `'none'` sends none of them.
     *
     * @default 'none'
     */
    readonly deprecation: 'none' | DeprecationDates;
  };
