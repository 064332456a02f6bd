import { isConnectionError, isTimeoutError } from '../errors/guards.ts';
import { isServiceError, type ServiceError } from '../errors/service-error.ts';
import { isRecord } from '../json.ts';

/**
 * Names what may be sent again: `safe` what changes nothing, `create` what must not be carried out twice, `assumed` a create
 * whose idempotency key the caller trusts the service to honour, `never` nothing.
 */
export type RetryRule = 'safe' | 'create' | 'assumed' | 'never';

/** Holds what bounds the next try: how many were made, how many more may be, and milliseconds that are left. */
export type RetryBounds = {
  readonly rule: RetryRule;
  readonly attempts: number;
  readonly maxRetries: number;
  readonly left: number;
  readonly random: () => number;
};

const passing: ReadonlySet<unknown> = new Set([408, 429, 500, 502, 503, 504]);
const longestWait = 60_000;
const longestBackoff = 8_000;

/**
 * Returns how many milliseconds to wait before the request is sent again; undefined where it must not be, or where the
 * service asks for more patience than a call has: `Retry-After` is never undercut.
 */
export function planRetry(
  error: unknown,
  { rule, attempts, maxRetries, left, random }: RetryBounds,
): number | undefined {
  if (attempts > maxRetries || !mayRepeat(error, rule)) return undefined;
  const retryAfter = isServiceError(error) ? error.retryAfter : undefined;
  const backoff = random() * Math.min(longestBackoff, 500 * 2 ** (attempts - 1));
  const wait = retryAfter === undefined ? backoff : retryAfter * 1_000;
  return wait <= longestWait && wait < left ? wait : undefined;
}

function mayRepeat(error: unknown, rule: RetryRule): boolean {
  // Whatever was refused here, or ended by its caller, fails again or is not wanted any more.
  if (rule === 'never' || !isServiceError(error) || error.attempts === 0) return false;
  if (rule === 'create') return isUntouched(error) || isPolite(error);
  if (isConnectionError(error)) return true;
  if (isTimeoutError(error)) return error.outcome === 'unknown';
  return (
    error.name !== 'UnreadableResponseError' &&
    error.name !== 'ModeMismatchError' &&
    passing.has(error.status)
  );
}

/** Tells whether the request never left. */
function isUntouched(error: ServiceError): boolean {
  return isConnectionError(error) && error.outcome === 'not_sent';
}

/** Tells whether the service itself, and no proxy before it, said that it did nothing for now. */
function isPolite({ raw, status, outcome }: ServiceError): boolean {
  return (
    status === 429 && outcome === 'rejected' && isRecord(raw) && raw.success === false && isRecord(raw.error)
  );
}
