import type { NotFoundError } from '../errors/error-classes.ts';
import { isConnectionError, isNotFoundError, isTimeoutError } from '../errors/guards.ts';
import { isServiceError, type ServiceError } from '../errors/service-error.ts';
import type { Draft } from './request.ts';
import type { CallContext } from './send.ts';

/** A failed request and the limits of its retry. All times are in milliseconds. */
export interface RetryContext extends CallContext {
  readonly draft: Draft;
  /** The time of the failed request. */
  readonly sentAt: number;
  /** Number of retries because of the read lag. */
  readonly rereads: number;
  /** Remaining time of the call. */
  readonly left: number;
}

/** The retry of a request. */
export interface RetryPlan {
  /** The wait before the retry, in milliseconds. */
  readonly delay: number;
  /** Whether the retry is for a payment that exists, but that reads do not show yet. */
  readonly isReread: boolean;
}

/** Maximum wait between two requests of a call, in milliseconds. */
const LONGEST_WAIT = 60_000;
const MAX_BACKOFF = 8_000;

/**
 * Decides the retry of a failed request. Returns undefined if the request must not be retried, or if
 * `Retry-After` exceeds the limits: the wait is never shorter than `Retry-After`.
 */
export function planRetry(error: unknown, context: RetryContext): RetryPlan | undefined {
  const { state, rereads, left, clock, options, settings } = context;
  const lag = planReread(error, context);
  if (lag !== undefined) return { delay: lag, isReread: true };
  const { maxRetries = settings.maxRetries } = options;
  const attempts = state.attempts - rereads;
  // 0 attempts: the client rejected the call, which would fail again, or the caller aborted it.
  if (attempts > maxRetries || !isServiceError(error) || error.attempts === 0) return undefined;
  if (!mayRepeat(error, context)) return undefined;
  const backoff = clock.random() * Math.min(MAX_BACKOFF, 500 * 2 ** (attempts - 1));
  const delay = error.retryAfter === undefined ? backoff : error.retryAfter * 1_000;
  return delay <= LONGEST_WAIT && delay < left ? { delay, isReread: false } : undefined;
}

/**
 * Returns the wait in milliseconds before a payment that exists, but that reads do not show yet, is retrieved
 * again. Returns undefined for any other error, and for a 404 to a request that was sent after the read lag.
 */
function planReread(
  error: unknown,
  { draft: { unseenUntil }, sentAt, rereads, left, clock }: RetryContext,
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

function mayRepeat(error: ServiceError, { draft, ...call }: RetryContext): boolean {
  if (!draft.isSentOnce) return isTemporary(error);
  // No request of the call has an unknown outcome, so no payment can exist.
  const isProven = call.state.unknownPhase === undefined;
  if (isProven && (isConnectionError(error) || error.status === 429)) return true;
  return isReplayed(call) && isTemporary(error);
}

/**
 * Returns whether the service replays the key of the first request of a create, and still knows it when the
 * next request has ended.
 */
export function isReplayed({ state, options, settings, clock }: CallContext): boolean {
  const { timeout = settings.timeout } = options;
  const age = clock.date().getTime() - (state.sentAt?.getTime() ?? 0);
  return age < settings.keyRetention - timeout;
}

/** Returns true for a temporary failure. Requests that change nothing, such as reads, are then repeated. */
function isTemporary(error: ServiceError): boolean {
  if (isConnectionError(error)) return true;
  if (isTimeoutError(error)) return error.outcome === 'unknown';
  // These errors can have a status too, but it is not their cause.
  if (/^(UnreadableResponse|ModeMismatch|Configuration|Abort)Error$/.test(error.name)) return false;
  return [408, 429, 500, 502, 503, 504].includes(Number(error.status));
}
