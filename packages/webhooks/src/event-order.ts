import { PAYMENT_STATUSES } from './event.ts';
import type { PaymentEvent, PaymentStatus } from './event.ts';

/**
 * Tells whether `next` is behind what is known of its payment (contract.md 5: pending, processing, completed, failed in
 * this order). It is advice: a receiver dispatches such an event all the same, and a status that is nobody's is never stale.
 */
export function isStale(
  previous: PaymentStatus | PaymentEvent | undefined,
  next: PaymentStatus | PaymentEvent,
): boolean {
  return rankOf(next) >= 0 && rankOf(next) < rankOf(previous);
}

function rankOf(known: PaymentStatus | PaymentEvent | undefined): number {
  const status = typeof known === 'object' ? known.data.status : known;
  return PAYMENT_STATUSES.findIndex((each) => each === status);
}
