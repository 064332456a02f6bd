import { PAYMENT_STATUSES } from './event.ts';
import type { PaymentEvent, PaymentStatus } from './event.ts';

/**
 * Checks whether `next` comes before `previous` in the order of statuses: pending, processing, completed,
 * failed. An unknown status is never stale. A receiver does not use this order and dispatches stale events.
 */
export function isStale(
  previous: PaymentStatus | PaymentEvent | undefined,
  next: PaymentStatus | PaymentEvent,
): boolean {
  return rankOf(next) >= 0 && rankOf(next) < rankOf(previous);
}

function rankOf(event: PaymentStatus | PaymentEvent | undefined): number {
  const status = typeof event === 'object' ? event.data.status : event;
  return PAYMENT_STATUSES.findIndex((each) => each === status);
}
