/**
 * The payment statuses of a profile in order. `under_review` exists only with the setting `unknownStatus:
 * 'invented'`.
 */
export const statuses = ['pending', 'processing', 'under_review', 'completed', 'failed'] as const;

/** The values of each profile setting, the default first. */
export const profileSettings = {
  createStatus: [201, 200, 202],
  quoteStatus: [200, 201],
  absent: ['null', 'omit', 'empty'],
  numbers: ['number', 'string', 'floatTail'],
  minorUnits: ['two', 'iso'],
  rounding: ['half_up', 'half_even', 'down'],
  timestamps: ['offset', 'zulu', 'compactOffset', 'fraction'],
  modeOn401: ['omit', 'null', 'guess'],
  bothKeys: ['reject', 'bearer', 'apiKey'],
  feeMode: ['inside', 'onTop', 'inRate', 'none'],
  debitAt: ['create', 'processing', 'completed'],
  refund: ['full', 'lessFee', 'none'],
  transitions: ['walk', 'skip'],
  unknownStatus: ['none', 'invented'],
  ack: [200, '2xx'],
  retrySchedule: ['default', 'none'],
  redelivery: ['same', 'newCreatedAt'],
  foreignPayment: ['not_found', 'permission_error'],
  transactionShape: ['full', 'minimal'],
  pagination: ['page', 'laravel', 'cursor', 'array', 'link'],
  badPage: ['reject', 'clamp'],
  unknownFilter: ['reject', 'empty', 'ignore'],
  sameCurrency: ['allow', 'reject'],
  currencyCase: ['strict', 'normalise'],
  excessPrecision: ['reject', 'round', 'truncate'],
  unknownFields: ['ignore', 'reject'],
  malformedBody: [400, 422],
  idempotency: ['replayed', 'ignored', 'conflict'],
  rateLimitHeaders: ['x', 'ietf', 'none'],
  errorShape: ['envelope', 'extra', 'bare', 'html'],
  paths: ['strict', 'redirect'],
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
export type Profile = { readonly [Name in keyof Settings]: Settings[Name][number] } & {
  /** The statuses that send an event. */
  readonly events: readonly (typeof statuses)[number][];
  readonly deprecation: 'none' | DeprecationDates;
};
