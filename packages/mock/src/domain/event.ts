import { toAmount } from './money.ts';
import type { Payment } from './payment.ts';
import type { Profile } from './profile.ts';
import { type Status, statuses } from './status.ts';
import { type Instant, toJson, toTimestamp, type WithDecimals } from './json.ts';
import type { PaymentStatus, WebhookEvent } from '@service/contract';

/** The name of an event: a payment status of the contract, or the one that a profile adds. */
export type EventName = `payment.${Status}`;

/** The names of all events. */
export const eventNames: readonly EventName[] = statuses.map((status) => `payment.${status}` as const);

/** A status change of a payment. */
export interface PaymentEvent {
  readonly payment_id: string;
  readonly status: Status;
  readonly at: Instant;
}

/** Returns the events of a payment in order, from its status history. */
export function eventsOf({ id, history }: Payment): PaymentEvent[] {
  return statuses.flatMap((status) => {
    const at = history[status];
    return at === undefined ? [] : [{ payment_id: id, status, at }];
  });
}

/**
 * Serializes the body of an event: the compact JSON text that is signed and sent (docs/contract.md#webhooks).
 */
export function writeEvent(payment: Payment, event: PaymentEvent, profile: Profile): string {
  return toJson(toWireEvent(payment, event, profile), profile.numbers);
}

function toWireEvent(
  payment: Payment,
  event: PaymentEvent,
  { timestamps }: Profile,
): WithDecimals<WebhookEvent> {
  // A profile can add a status that the contract types do not include.
  const status = event.status as PaymentStatus;
  return {
    event: `payment.${status}`,
    created_at: toTimestamp(event.at, timestamps),
    data: {
      id: payment.id,
      status,
      from_currency: payment.from_currency,
      to_currency: payment.to_currency,
      send_amount: toAmount(payment.send_amount),
      receive_amount: toAmount(payment.receive_amount),
      mode: payment.mode,
    },
  };
}
