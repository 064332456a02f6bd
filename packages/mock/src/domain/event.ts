import { toAmount } from './money.ts';
import type { Payment } from './payment.ts';
import { type Instant, toJson, toTimestamp, type Written } from './wire.ts';
import type { PaymentStatus, WebhookEvent } from '@service/contract';

/** Records that a payment took a status; the body is the snapshot that is signed and delivered. */
export interface PaymentEvent {
  readonly payment_id: string;
  readonly status: PaymentStatus;
  readonly at: Instant;
  /** Compact JSON as spec §6 shows it; the same text over all deliveries. */
  readonly body: string;
}

/** Records the present status of a payment as an event. */
export function recordEvent(payment: Payment, at: Instant): PaymentEvent {
  const { id, status } = payment;
  return { payment_id: id, status, at, body: toJson(toWireEvent(payment, at)) };
}

function toWireEvent(payment: Payment, at: Instant): Written<WebhookEvent> {
  return {
    event: `payment.${payment.status}`,
    created_at: toTimestamp(at),
    data: {
      id: payment.id,
      status: payment.status,
      from_currency: payment.from_currency,
      to_currency: payment.to_currency,
      send_amount: toAmount(payment.send_amount),
      receive_amount: toAmount(payment.receive_amount),
      mode: payment.mode,
    },
  };
}
