import { ConnectionError, createAbortError, ServiceError, TimeoutError } from '../errors.ts';
import { isMissing } from '../outcome.ts';
import { sleep, withDeadline } from './deadline.ts';
import type { Attempt, CallContext } from './call.ts';
import type { Draft } from './response.ts';

/** Maximum wait between two requests of a call, in milliseconds. */
const LONGEST_WAIT = 60_000;
const MAX_BACKOFF = 8_000;

/** Returns the wait before the retry of a failed request in milliseconds; undefined if it must not be retried. */
export function planRetry(
  error: ServiceError,
  { call, draft }: Attempt,
  attempts: number,
): number | undefined {
  const { settings, clock, options } = call;
  const { maxRetries = settings.maxRetries } = options;
  // 0 attempts: the client rejected the call, which would fail again, or the caller aborted it.
  if (attempts > maxRetries || error.attempts === 0 || !mayRepeat(error, draft, call)) return undefined;
  const { retryDelay = clock.random() * Math.min(MAX_BACKOFF, 500 * 2 ** (attempts - 1)) } = error;
  return retryDelay <= LONGEST_WAIT ? retryDelay : undefined;
}

/**
 * Returns the wait in milliseconds before a payment that exists, but that reads do not show yet, is retrieved
 * again. Returns undefined for any other error, and for a 404 to a request that was sent after the read lag.
 */
export function planReread(
  error: ServiceError,
  { call, draft: { unseenUntil }, startedAt }: Attempt,
  rereads: number,
): number | undefined {
  if (unseenUntil === undefined || !isMissing(error) || startedAt >= unseenUntil) return undefined;
  const lag = Math.max(0, unseenUntil - call.clock.now());
  const wait = Math.max(Math.min(100 * 2 ** rereads, 1_000, lag), error.retryDelay ?? 0);
  return wait <= lag ? wait : undefined;
}

function mayRepeat(error: ServiceError, { isSentOnce }: Draft, call: CallContext): boolean {
  if (!isSentOnce) return isTemporary(error);
  // No request of the call has an unknown outcome, so no payment can exist.
  const isProven = call.unknownPhase === undefined;
  if (isProven && (error instanceof ConnectionError || error.status === 429)) return true;
  return isReplayed(call) && isTemporary(error);
}

/** Returns true for a temporary failure. Requests that change nothing, such as reads, are then repeated. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof TimeoutError) return error.outcome === 'unknown';
  // These errors can have a status too, but it is not their cause.
  const others = /^(UnreadableResponse|ModeMismatch|Configuration|Abort)Error$/;
  if (!(error instanceof ServiceError) || others.test(error.name)) return false;
  return [408, 429, 500, 502, 503, 504].includes(Number(error.status));
}

/**
 * Returns whether the service replays the key of the first request of a create, and still knows it when the
 * next request has ended.
 */
export function isReplayed({ sent, options, settings, clock }: CallContext): boolean {
  const { timeout = settings.timeout } = options;
  // The later one of two clocks: one stops while the machine sleeps, the other can be set back.
  const age = sent && Math.max(clock.now() - sent.now, clock.date().getTime() - sent.at.getTime());
  return Number(age) < settings.keyRetention - timeout;
}

/** Waits before a retry. Ends when the call is aborted. */
export function pause({ outcome, attempts }: ServiceError, delay: number, call: CallContext): Promise<void> {
  const { clock, options } = call;
  const { signal } = options;
  return withDeadline(
    { timeout: Infinity, signal, clock },
    (stopped) => sleep(delay, stopped, clock),
    () => createAbortError(signal, { outcome, attempts }),
  );
}
