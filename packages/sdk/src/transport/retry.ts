import type { NotFoundError } from '../errors/answer-errors.ts';
import { isConnectionError, isNotFoundError, isTimeoutError } from '../errors/guards.ts';
import { isServiceError, type ServiceError } from '../errors/service-error.ts';
import { isRecord } from '../values/json.ts';
import type { Clock } from './clock.ts';

/** Tells whether a request that failed may be sent again, as far as the failure goes. */
export type RetryRule = (error: ServiceError) => boolean;

/** Holds what bounds the next try: how many were made, how many more may be, and milliseconds that are left. */
export type RetryBounds = {
  readonly mayRepeat: RetryRule;
  readonly attempts: number;
  readonly maxRetries: number;
  readonly left: number;
  readonly clock: Clock;
};

/** The longest wait between two requests of a call, in milliseconds. */
export const LONGEST_WAIT = 60_000;
const longestBackoff = 8_000;

/**
 * Returns how many milliseconds to wait before the request is sent again; undefined where it must not be, or where the
 * service asks for more patience than a call has: `Retry-After` is never undercut.
 */
export function planRetry(
  error: unknown,
  { mayRepeat, attempts, maxRetries, left, clock }: RetryBounds,
): number | undefined {
  // Whatever was refused here, or ended by its caller, fails again or is not wanted any more.
  if (attempts > maxRetries || !isServiceError(error) || error.attempts === 0) return undefined;
  if (!mayRepeat(error)) return undefined;
  const backoff = clock.random() * Math.min(longestBackoff, 500 * 2 ** (attempts - 1));
  const wait = error.retryAfter === undefined ? backoff : error.retryAfter * 1_000;
  return wait <= LONGEST_WAIT && wait < left ? wait : undefined;
}

/** The limits of reading a payment again that reads do not show yet; all times in milliseconds. */
export interface RereadContext {
  /** Time of the request that was answered with 404. */
  readonly sentAt: number;
  readonly unseenUntil: number | undefined;
  /** Number of times that the payment was read again. */
  readonly rereads: number;
  /** Time that is left of the call. */
  readonly left: number;
  readonly clock: Clock;
}

/**
 * Returns the milliseconds to wait before a payment is read again that exists, and that reads do not show yet. Returns undefined
 * for any other error, and once a request that was sent after the read lag got a 404.
 */
export function planReread(
  error: unknown,
  { sentAt, unseenUntil, rereads, left, clock }: RereadContext,
): number | undefined {
  if (unseenUntil === undefined || !isMissing(error) || sentAt >= unseenUntil) return undefined;
  const lag = Math.max(0, unseenUntil - clock.now());
  const wait = Math.max(Math.min(100 * 2 ** rereads, 1_000, lag), (error.retryAfter ?? 0) * 1_000);
  return wait <= lag && wait < left ? wait : undefined;
}

/** Returns true for a 404 of the service itself; a 404 of a proxy says nothing about a payment. */
export function isMissing(error: unknown): error is NotFoundError {
  return isNotFoundError(error) && error.outcome === 'rejected';
}

/** Allows what changes nothing, such as a read, wherever the failure may pass. */
export const mayRepeatSafely: RetryRule = (error) => {
  if (isConnectionError(error)) return true;
  if (isTimeoutError(error)) return error.outcome === 'unknown';
  // These name the status of an answer too, and say that something else went wrong.
  if (/^(UnreadableResponse|ModeMismatch|Configuration|Abort)Error$/.test(error.name)) return false;
  return [408, 429, 500, 502, 503, 504].includes(Number(error.status));
};

/**
 * Allows what must not be carried out twice only where it never left, or where the service itself, and no proxy before it,
 * said that it did nothing for now.
 */
export const mayRepeatCreate: RetryRule = (error) => {
  const { raw, status, outcome } = error;
  if (isConnectionError(error)) return outcome === 'not_sent';
  return (
    status === 429 && outcome === 'rejected' && isRecord(raw) && raw.success === false && isRecord(raw.error)
  );
};
