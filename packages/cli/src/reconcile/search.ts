import type { RunClock } from '@service/internal';
import {
  type Client,
  AbortError,
  ConfigurationError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
  type PaymentIntent,
  type PaymentTrace,
  type Reconciliation,
} from '@service/sdk';
import { ReconciliationFailedError } from '../errors.ts';

/** The options of a search; durations in milliseconds. */
export interface Search {
  readonly client: Client;
  readonly lost: PaymentTrace | PaymentIntent;
  readonly clockSkew: number;
  readonly exclude: readonly string[];
  /** Maximum time per attempt. */
  readonly timeout: number;
  /** Maximum time for further attempts; 0 makes one attempt. */
  readonly wait: number;
  readonly signal: AbortSignal;
  readonly clock: RunClock;
  /** Returns true once a request was sent to the service. */
  readonly isAsked: () => boolean;
  /** Prints progress to stderr. */
  readonly note: (line: string) => void;
}

const MIN_DELAY = 1_000;
const MAX_DELAY = 30_000;

/**
 * Searches for a payment whose outcome is unknown. Tries again while there is no transaction for it, or while
 * the service does not respond.
 *
 * @throws {ReconciliationFailedError} when the transactions cannot be read.
 * @throws {ValidationError} when the payment to search for is invalid; no request was sent.
 * @throws {ConfigurationError} when the client is configured incorrectly; no request was sent.
 */
export async function search(plan: Search): Promise<Reconciliation> {
  const { clock, signal, wait, note } = plan;
  const deadline = clock.now() + wait;
  for (let delay = MIN_DELAY; ; delay = Math.min(delay * 2, MAX_DELAY)) {
    const attempt = await runAttempt(plan);
    const remaining = deadline - clock.now();
    if (attempt.isFinal || remaining <= 0) return attempt.conclude();
    const pause = Math.min(delay, remaining);
    note(`${attempt.reason}; checking again in ${Math.ceil(pause / 1_000)} s.`);
    await clock.sleep(pause, signal);
    if (signal.aborted) return attempt.conclude();
  }
}

/** The result of one attempt: whether it is final, else the reason, and a function that returns or throws it. */
interface Attempt {
  readonly isFinal: boolean;
  readonly reason: string;
  readonly conclude: () => Reconciliation;
}

async function runAttempt({
  client,
  lost,
  clockSkew,
  exclude,
  timeout,
  signal,
  isAsked,
}: Search): Promise<Attempt> {
  const limit = AbortSignal.timeout(timeout);
  try {
    const options = { clockSkew, exclude, signal: AbortSignal.any([signal, limit]) };
    const reconciliation = await client.payments.reconcile(lost, options);
    const { result } = reconciliation;
    const isFinal =
      result === 'cannot_tell' ? reconciliation.reason !== 'read_lag' : result !== 'not_found_yet';
    return { isFinal, reason: 'No transaction found yet', conclude: () => reconciliation };
  } catch (failure) {
    // After the first request, a validation error is about the id in a transaction, not the user's input.
    if (!isAsked() && (failure instanceof ConfigurationError || failure instanceof ValidationError))
      throw failure;
    const isLate = failure instanceof AbortError && limit.aborted && !signal.aborted;
    const error = isLate ? new TimeoutError('Not all transactions were read within --timeout.') : failure;
    const conclude = (): never => {
      throw new ReconciliationFailedError(error);
    };
    return { isFinal: !isTransient(error), reason: 'The transactions cannot be read', conclude };
  }
}

/** Returns true for an error that may not recur in the next attempt. */
function isTransient(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof ServerError ||
    error instanceof RateLimitError
  );
}
