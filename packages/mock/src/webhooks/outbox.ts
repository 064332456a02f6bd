import { stopDelivery } from '../domain/delivery.ts';
import type { PaymentEvent } from '../domain/event.ts';
import type { AccountState } from '../state/account-state.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { DeliveryFaults } from './delivery-faults.ts';
import type { DeliveryStore } from './delivery-store.ts';

/** Decides what leaves for the endpoint of books, and in which order. */
export interface Outbox {
  /** Enters an event, and returns what leaves now, one group after another; the deliveries of a group leave together. */
  readonly add: (accountState: AccountState, event: PaymentEvent) => readonly (readonly string[])[];
  /** Passes over an event that is not sent, and returns what waited for it: it leaves now. */
  readonly skip: (event: PaymentEvent) => readonly (readonly string[])[];
  /** Holds back again what a restored world brings along as waiting for the next event of its payment. */
  readonly hold: (payment_id: string, id: string) => void;
  /** Forgets what waits for a next event. */
  readonly clear: () => void;
  /** Passes over an event that nobody listens to; what waited for it is given up. */
  readonly discard: (accountState: AccountState, event: PaymentEvent) => void;
}

/** Names what departures work with. */
interface OutboxParts {
  readonly dispatcher: Dispatcher;
  readonly faults: DeliveryFaults;
  readonly store: DeliveryStore;
}

/** Creates the one place where events are duplicated, held back or put off on purpose. */
export function createOutbox({ dispatcher, faults, store }: OutboxParts): Outbox {
  const held = new Map<string, string[]>();
  /** Lets go what waits for the next event of a payment, the last one first. */
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
