import { toAmount } from './money.ts';
import type { Payment } from './payment.ts';
import type { Profile } from './profile.ts';
import { type Status, statuses } from './status.ts';
import { type Instant, toTimestamp } from './timestamp.ts';
import { toJson, type WithDecimals } from './json.ts';
import type { PaymentStatus, WebhookEvent } from '@service/contract';

/** Names an event: of a status of the contract, or of the one that a profile can invent. */
export type EventName = `payment.${Status}`;

/** Lists the names of events. */
export const eventNames: readonly EventName[] = statuses.map((status) => `payment.${status}` as const);

/** Says that a payment took a status. */
export interface PaymentEvent {
  readonly payment_id: string;
  readonly status: Status;
  readonly at: Instant;
}

/** Lists the events of a payment, first to last: its status history. */
export function eventsOf({ id, history }: Payment): PaymentEvent[] {
  return statuses.flatMap((status) => {
    const at = history[status];
    return at === undefined ? [] : [{ payment_id: id, status, at }];
  });
}

/** Writes the body of an event: compact JSON as spec §6 shows it, the very text that is signed and delivered. */
export function writeEvent(payment: Payment, event: PaymentEvent, profile: Profile): string {
  return toJson(toWireEvent(payment, event, profile), profile.numbers);
}

function toWireEvent(
  payment: Payment,
  event: PaymentEvent,
  { timestamps }: Profile,
): WithDecimals<WebhookEvent> {
  // A profile can invent a status that the contract does not know.
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
