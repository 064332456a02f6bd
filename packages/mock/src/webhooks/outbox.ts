import { stopDelivery } from '../domain/delivery.ts';
import type { PaymentEvent } from '../domain/payment.ts';
import type { AccountState } from '../state/account-state.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { DeliveryFaults } from './delivery-faults.ts';
import type { DeliveryStore } from './delivery-store.ts';

/** The order in which events are sent, including duplicate, reordered and delayed ones. */
export interface Outbox {
  /**
   * Adds an event. Returns the deliveries to send now, in groups: one group after another, each group at the
   * same time.
   */
  readonly add: (accountState: AccountState, event: PaymentEvent) => readonly (readonly string[])[];
  /** Skips an event that is not sent. Returns the deliveries that waited for it. */
  readonly skip: (event: PaymentEvent) => readonly (readonly string[])[];
  /** Adds a restored delivery that waits until the next event of its payment. */
  readonly hold: (payment_id: string, id: string) => void;
  /** Removes all held deliveries. */
  readonly clear: () => void;
  /** Discards an event without an endpoint, and stops the deliveries that waited for it. */
  readonly discard: (accountState: AccountState, event: PaymentEvent) => void;
}

/** The parts of the sandbox that the outbox uses. */
interface OutboxParts {
  readonly dispatcher: Dispatcher;
  readonly faults: DeliveryFaults;
  readonly store: DeliveryStore;
}

/** Creates an empty outbox. */
export function createOutbox({ dispatcher, faults, store }: OutboxParts): Outbox {
  const held = new Map<string, string[]>();
  /** Releases the deliveries that wait for the next event of a payment, last one first. */
  const release = (payment: string): string[] => {
    const ids = held.get(payment) ?? [];
    held.delete(payment);
    return ids.toReversed();
  };
  const hold = (payment: string, id: string): void => {
    held.set(payment, [...(held.get(payment) ?? []), id]);
  };
  return {
    hold,
    add(accountState, event) {
      const { kind = null, by = 0 } = faults.match(accountState, event) ?? {};
      const id = store.add(accountState, event, kind === 'duplicate' ? null : kind);
      if (kind === 'reorder') {
        hold(event.payment_id, id);
        return [];
      }
      const late = release(event.payment_id).map((each) => [each]);
      if (kind === 'delay') {
        dispatcher.postpone(accountState, id, by);
        return late;
      }
      const copies = kind === 'duplicate' ? [id, store.add(accountState, event, kind)] : [id];
      return [copies, ...late];
    },
    skip: ({ payment_id }) => release(payment_id).map((each) => [each]),
    clear: () => held.clear(),
    discard(accountState, { payment_id }) {
      for (const id of release(payment_id)) store.change(accountState, id, stopDelivery);
    },
  };
}
