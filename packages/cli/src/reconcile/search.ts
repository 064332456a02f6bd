import {
  type Client,
  isAbortError,
  isConfigurationError,
  isConnectionError,
  isRateLimitError,
  isServerError,
  isTimeoutError,
  isValidationError,
  type PaymentIntent,
  type PaymentTrace,
  type Reconciliation,
  TimeoutError,
} from '@service/sdk';
import type { Clock } from '../clock.ts';
import { ReconciliationFailedError } from '../reconciliation-failed-error.ts';

/** Says what to look for, where, and how long; spans in milliseconds. */
export type Search = {
  readonly client: Client;
  readonly lost: PaymentTrace | PaymentIntent;
  readonly clockSkew: number;
  readonly exclude: readonly string[];
  /** Limits each look. */
  readonly timeout: number;
  /** Limits how long it is looked for again; 0 looks once. */
  readonly wait: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Tells whether anything was asked of the service yet. */
  readonly isAsked: () => boolean;
  /** Tells a person that it goes on. */
  readonly note: (line: string) => void;
};

const shortestPause = 1_000;
const longestPause = 30_000;

/**
 * Looks for a payment in doubt, and again while there is no record of it, or while the service does not answer.
 *
 * @throws ReconciliationFailedError when the records could not be read, whatever the reason.
 * @throws ValidationError, ConfigurationError for what is looked for, or a client, that is set up wrongly; nothing was sent.
 */
export async function search(plan: Search): Promise<Reconciliation> {
  const { clock, signal, wait, note } = plan;
  const deadline = clock.now() + wait;
  for (let pause = shortestPause; ; pause = Math.min(pause * 2, longestPause)) {
    const conclude = await look(plan);
    const rest = deadline - clock.now();
    if (conclude.isFinal || rest <= 0) return conclude.now();
    const span = Math.min(pause, rest);
    note(`${conclude.why}; looking again in ${Math.ceil(span / 1_000)} s.`);
    await clock.sleep(span, signal);
    if (signal.aborted) return conclude.now();
  }
}

/** Holds what a look came to: whether another can come to more, and what it gives or throws when there is none. */
type Conclusion = {
  readonly isFinal: boolean;
  readonly why: string;
  readonly now: () => Reconciliation;
};

async function look({
  client,
  lost,
  clockSkew,
  exclude,
  timeout,
  signal,
  isAsked,
}: Search): Promise<Conclusion> {
  const limit = AbortSignal.timeout(timeout);
  try {
    const options = { clockSkew, exclude, signal: AbortSignal.any([signal, limit]) };
    const answer = await client.payments.reconcile(lost, options);
    const isFinal = answer.result !== 'not_found_yet';
    return { isFinal, why: 'No record of it so far', now: () => answer };
  } catch (thrown) {
    // A record can name its payment in a form that the client refuses; only before the first request it refuses what the user wrote.
    if (!isAsked() && (isConfigurationError(thrown) || isValidationError(thrown))) throw thrown;
    const isLate = isAbortError(thrown) && limit.aborted && !signal.aborted;
    const error = isLate ? new TimeoutError('The records were not read to their end in time.') : thrown;
    const now = (): never => {
      throw new ReconciliationFailedError(error);
    };
    return { isFinal: !canPass(error), why: 'The records cannot be read', now };
  }
}

/** Tells whether a failure is one that may be over by the next look. */
function canPass(error: unknown): boolean {
  return isConnectionError(error) || isTimeoutError(error) || isServerError(error) || isRateLimitError(error);
}
