import type { Mode } from '@service/contract';
import type { UnknownPhase } from '../errors/payment-outcome-unknown.ts';
import type { ErrorFacts } from '../errors/service-error.ts';

/** The progress of a request. */
export type Phase = 'preparing' | Exclude<UnknownPhase, 'recorded'>;

/**
 * The state of one request. Updated as the request proceeds, so that an aborted request can report its
 * progress.
 */
export interface AttemptState {
  phase: Phase;
  received: string;
  status?: number;
  requestId?: string | undefined;
  mode?: Mode | undefined;
}

/** The state of one call over all its requests. */
export interface CallState {
  attempts: number;
  /** The time at which the first request was sent. */
  sentAt: Date | undefined;
  /** The progress of the last request with an unknown outcome; undefined if there is none. */
  unknownPhase: Exclude<UnknownPhase, 'recorded'> | undefined;
  paymentId: string | undefined;
  /**
   * The state of the latest request. An earlier, aborted request updates only its own state, which is not
   * read again.
   */
  attemptState: AttemptState;
}

export function createCallState(): CallState {
  return {
    attempts: 0,
    sentAt: undefined,
    unknownPhase: undefined,
    paymentId: undefined,
    attemptState: createAttemptState(),
  };
}

export function createAttemptState(): AttemptState {
  return { phase: 'preparing', received: '' };
}

/** Returns the error fields of a call. */
export function pickFacts({ attempts, attemptState: { status, requestId, mode } }: CallState): ErrorFacts {
  return { attempts, status, requestId, mode };
}

/** Records that the latest request may have been carried out, and the payment id in its response. */
export function markUnknown(callState: CallState): void {
  const { phase, received } = callState.attemptState;
  if (phase === 'preparing') return;
  callState.unknownPhase = phase;
  // The closing quote is required, because a truncated response can end within the id.
  callState.paymentId ??= /"id"\s*:\s*"(pay_(?:test|live)_[\w-]+)"/.exec(received)?.[1];
}
