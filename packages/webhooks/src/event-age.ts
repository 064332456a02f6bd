import { WebhookError } from './errors.ts';
import { invalidEvent } from './event-parser.ts';
import type { WebhookEvent } from './event.ts';
import { assertWholeNumber, invalidOptions } from './options.ts';
import { parseTimestamp } from './timestamp.ts';

/** The limits of the age of an event by its signed `created_at`. */
export interface EventAgeOptions {
  /**
   * Maximum age of an event, in milliseconds. The sender retries for 27 hours and `created_at` stays the
   * same.
   *
   * @default unlimited
   * @example 3 * 86_400_000
   */
  readonly maxEventAge?: number | undefined;
  /**
   * Maximum difference between the clocks of sender and receiver, in milliseconds.
   *
   * @default 60_000
   */
  readonly clockTolerance?: number | undefined;
}

/** Checked limits of the age of an event. */
export interface EventAgeLimits {
  readonly maxEventAge: number;
  readonly clockTolerance: number;
}

/**
 * Parses the limits of the age of an event. Returns undefined if the age is not limited.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function parseEventAge(options: EventAgeOptions): EventAgeLimits | undefined {
  const { maxEventAge, clockTolerance = 60_000 } = options;
  if (maxEventAge === undefined) {
    if (options.clockTolerance === undefined) return undefined;
    throw invalidOptions('clockTolerance requires maxEventAge.');
  }
  assertWholeNumber(maxEventAge, 'maxEventAge', 1);
  assertWholeNumber(clockTolerance, 'clockTolerance', 0);
  return { maxEventAge, clockTolerance };
}

/**
 * Checks the age of an event.
 *
 * @throws {WebhookError} `stale_event`, `event_from_future`, or `invalid_event` without a readable
 * `created_at`
 */
export function assertEventAge(
  { created_at }: WebhookEvent,
  { maxEventAge, clockTolerance }: EventAgeLimits,
  now: number,
): void {
  // Not a `WebhookError`: a receiver responds 500, and the sender retries.
  if (!Number.isFinite(now)) throw new TypeError('now() must return milliseconds since 1970.');
  const age = now - (typeof created_at === 'string' ? parseTimestamp(created_at) : Number.NaN);
  if (Number.isNaN(age)) throw invalidEvent('created_at');
  if (age > maxEventAge + clockTolerance) throw new WebhookError('stale_event');
  if (age < -clockTolerance) throw new WebhookError('event_from_future');
}
