import { IdempotencyError } from '../errors/response-errors.ts';
import type { Clock } from '../transport/clock.ts';
import type { Intent } from './intent.ts';

/** Returns whether no payment of an intent exists, so that its create may be sent. */
export function isSendable({ state }: Intent): boolean {
  return state === 'planned' || state === 'rejected';
}

/** Returns whether an intent has its payment. */
export function isPaid(intent: Intent): intent is Intent & { readonly paymentId: string } {
  return intent.state === 'created' && intent.paymentId !== undefined;
}

/**
 * Returns whether the lease of a worker is valid by the clock of this machine.
 *
 * @param tolerance - in milliseconds
 */
export function isLeaseValid(holder: Intent['holder'], clock: Clock, tolerance = 0): boolean {
  return holder !== undefined && clock.date().getTime() < Date.parse(holder.until) + tolerance;
}

/**
 * Creates the error of a reference that must not be sent. `problem` follows "The reference" in its message.
 */
export function createReferenceError(problem: string, earlier?: Intent): IdempotencyError {
  return new IdempotencyError(`The reference ${problem}. Nothing was sent.`, {
    outcome: 'not_sent',
    reference: earlier?.reference,
    sentAt: earlier?.sends[0],
    paymentId: earlier?.paymentId,
  });
}
