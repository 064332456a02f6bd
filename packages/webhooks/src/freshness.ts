import { WebhookError } from './errors.ts';
import { invalidEvent } from './event-parser.ts';
import type { WebhookEvent } from './event.ts';
import { assertKnownOptions, assertWholeNumber } from './options.ts';
import { parseTimestamp } from './timestamp.ts';

/** Bounds the age of an event by its signed `created_at`. */
export interface Freshness {
  /** Bounds the age, in milliseconds. Required. Example: `3 * 86_400_000`; the sender retries for more than a day. */
  readonly maxAge: number;
  /**
   * Bounds how far the clocks of sender and receiver may differ, in milliseconds.
   * @default 60_000
   */
  readonly skew?: number | undefined;
}

/** Holds a checked freshness option. */
export type FreshnessSettings = { readonly maxAge: number; readonly skew: number };

/** Parses the freshness option; off when it is not given. Throws `invalid_options`. */
export function parseFreshness(freshness: Freshness | undefined): FreshnessSettings | undefined {
  if (freshness === undefined) return undefined;
  assertKnownOptions(freshness, ['maxAge', 'skew'], 'freshness');
  const { maxAge, skew = 60_000 } = freshness;
  assertWholeNumber(maxAge, 'maxAge', 1);
  assertWholeNumber(skew, 'skew', 0);
  return { maxAge, skew };
}

/** Refuses an event whose `created_at` is too old, ahead, or missing. Throws `stale_event`, `event_from_future`, `invalid_event`. */
export function assertFresh(
  { created_at }: WebhookEvent,
  { maxAge, skew }: FreshnessSettings,
  now: number,
): void {
  // Of an unknown time nothing can be said: the sender must come again.
  if (!Number.isFinite(now)) throw new TypeError('now() must return milliseconds since 1970.');
  const age = now - (typeof created_at === 'string' ? parseTimestamp(created_at) : Number.NaN);
  if (Number.isNaN(age)) throw invalidEvent('created_at');
  if (age > maxAge + skew) throw new WebhookError('stale_event');
  if (age < -skew) throw new WebhookError('event_from_future');
}
