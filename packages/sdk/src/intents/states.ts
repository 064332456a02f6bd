import { IdempotencyError } from '../errors/answer-errors.ts';
import type { Clock } from '../transport/clock.ts';
import type { Intent } from './intent.ts';

/** Whether no payment of an intent exists, so that its create may be sent. */
export function isFree({ state }: Intent): boolean {
  return state === 'planned' || state === 'rejected';
}

/** Whether an intent has its payment. */
export function isPaid(intent: Intent): intent is Intent & { readonly paymentId: string } {
  return intent.state === 'created' && intent.paymentId !== undefined;
}

/** Whether the lease of a worker has not ended by the clock of this machine. `tolerance` in milliseconds. */
export function isRunning(holder: Intent['holder'], clock: Clock, tolerance = 0): boolean {
  return holder !== undefined && clock.date().getTime() < Date.parse(holder.until) + tolerance;
}

/** Creates the error of a reference that must not be sent now. */
export function refuseReference(why: string, earlier?: Intent): IdempotencyError {
  return new IdempotencyError(`The reference ${why}. Nothing was sent.`, {
    outcome: 'not_sent',
    reference: earlier?.reference,
    sentAt: earlier?.sends[0],
    paymentId: earlier?.paymentId,
  });
}
