import { type Status, statuses } from './status.ts';

/** Lists the values of each setting that the service's document leaves open, the default first (contract.md 8). */
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
  idempotency: ['on', 'off', 'conflictOnReplay'],
  rateLimitHeaders: ['x', 'ietf', 'none'],
  errorShape: ['envelope', 'extra', 'bare', 'html'],
  paths: ['strict', 'redirect'],
} as const;

type Settings = typeof profileSettings;

/** Names the dates that a deprecated version of the service announces (RFC 9745, RFC 8594). */
export interface DeprecationDates {
  /** Since when the version is deprecated, ISO 8601. */
  readonly deprecated: string;
  /** When it ends, ISO 8601. */
  readonly sunset: string;
  /**
   * Where it is explained.
   *
   * @default '/deprecation'
   */
  readonly link?: string;
}

/** Decides everything that the service's own document leaves open: one value for each setting (contract.md 8). */
export type Profile = { readonly [Name in keyof Settings]: Settings[Name][number] } & {
  /** The statuses that send an event. */
  readonly events: readonly Status[];
  readonly deprecation: 'none' | DeprecationDates;
};

/** Names the settings that money and statuses follow; a payment keeps those that it was made under. */
export type Terms = Pick<
  Profile,
  'minorUnits' | 'rounding' | 'feeMode' | 'debitAt' | 'refund' | 'transitions' | 'unknownStatus'
>;

/** Holds the default of every setting. */
export const defaultProfile: Profile = Object.freeze({
  ...firstValues(),
  events: Object.freeze([...statuses]),
  deprecation: 'none' as const,
});

function firstValues(): Pick<Profile, keyof Settings> {
  const values = Object.entries(profileSettings).map(([name, [first]]) => [name, first]);
  return Object.fromEntries(values) as Pick<Profile, keyof Settings>;
}

/** Shows an optional text that may be absent. */
export function formatOptional(text: string | null, absent: Profile['absent']): string | null {
  if (text !== null || absent === 'null') return text;
  // A field that is left out is undefined here; no type of the contract knows it.
  return absent === 'empty' ? '' : (undefined as never);
}
