import type { NotFoundError } from '../errors/response-errors.ts';
import { isConnectionError, isNotFoundError, isTimeoutError } from '../errors/guards.ts';
import { isServiceError, type ServiceError } from '../errors/service-error.ts';
import { isRecord } from '@service/internal';
import type { Clock } from './clock.ts';

/** Returns true if the error of a request permits a retry. */
export type RetryRule = (error: ServiceError) => boolean;

/** The limits of the next retry. */
export interface RetryBounds {
  readonly mayRepeat: RetryRule;
  readonly attempts: number;
  readonly maxRetries: number;
  /** Remaining time of the call in milliseconds. */
  readonly left: number;
  readonly clock: Clock;
}

/** Maximum wait between two requests of a call, in milliseconds. */
export const LONGEST_WAIT = 60_000;
const MAX_BACKOFF = 8_000;

/**
 * Returns the wait in milliseconds before the retry of a request. Returns undefined if the request must not
 * be retried, or if `Retry-After` exceeds the limits: the wait is never shorter than `Retry-After`.
 */
export function planRetry(
  error: unknown,
  { mayRepeat, attempts, maxRetries, left, clock }: RetryBounds,
): number | undefined {
  // 0 attempts: the client rejected the call, which would fail again, or the caller aborted it.
  if (attempts > maxRetries || !isServiceError(error) || error.attempts === 0) return undefined;
  if (!mayRepeat(error)) return undefined;
  const backoff = clock.random() * Math.min(MAX_BACKOFF, 500 * 2 ** (attempts - 1));
  const wait = error.retryAfter === undefined ? backoff : error.retryAfter * 1_000;
  return wait <= LONGEST_WAIT && wait < left ? wait : undefined;
}

/** The limits of retrieving a payment again that reads do not show yet. All times are in milliseconds. */
export interface RereadContext {
  /** The time of the request that got a 404. */
  readonly sentAt: number;
  readonly unseenUntil: number | undefined;
  /** Number of retries because of the read lag. */
  readonly rereads: number;
  /** Remaining time of the call. */
  readonly left: number;
  readonly clock: Clock;
}

/**
 * Returns the wait in milliseconds before a payment that exists, but that reads do not show yet, is retrieved
 * again. Returns undefined for any other error, and for a 404 to a request that was sent after the read lag.
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

/** Returns true for a 404 of the service itself. A 404 of a proxy proves nothing about a payment. */
export function isMissing(error: unknown): error is NotFoundError {
  return isNotFoundError(error) && error.outcome === 'rejected';
}

/** Permits a retry after every temporary failure. For requests that change nothing, such as reads. */
export const mayRepeatSafely: RetryRule = (error) => {
  if (isConnectionError(error)) return true;
  if (isTimeoutError(error)) return error.outcome === 'unknown';
  // These errors can have a status too, but it is not their cause.
  if (/^(UnreadableResponse|ModeMismatch|Configuration|Abort)Error$/.test(error.name)) return false;
  return [408, 429, 500, 502, 503, 504].includes(Number(error.status));
};

/**
 * Permits a retry if the request was not sent, or if the service itself, not a proxy, responded with 429. For
 * requests that must not be carried out twice.
 */
export const mayRepeatCreate: RetryRule = (error) => {
  const { raw, status, outcome } = error;
  if (isConnectionError(error)) return outcome === 'not_sent';
  return (
    status === 429 && outcome === 'rejected' && isRecord(raw) && raw.success === false && isRecord(raw.error)
  );
};
