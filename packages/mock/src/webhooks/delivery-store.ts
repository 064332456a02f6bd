import { type Delivery, openDelivery } from '../domain/delivery.ts';
import type { DeliveryFaultKind } from '../domain/delivery-fault.ts';
import { type PaymentEvent, writeEvent } from '../domain/event.ts';
import { type AccountState, nextDeliveryId } from '../state/account-state.ts';

/** Hears of a delivery each time that it has changed. */
export type DeliveryListener = (accountState: AccountState, delivery: Delivery) => void;

/** Keeps the deliveries of books up to date. */
export interface DeliveryStore {
  /** Enters the delivery of an event and returns its id. */
  readonly add: (accountState: AccountState, event: PaymentEvent, fault: DeliveryFaultKind | null) => string;
  /** Replaces a delivery by what it has become. */
  readonly change: (accountState: AccountState, id: string, decide: (delivery: Delivery) => Delivery) => void;
  /** Calls a listener after each change, until the function that it returns is called. */
  readonly watch: (listener: DeliveryListener) => () => void;
}

/** Creates the keeper of deliveries; nobody listens yet. */
export function createDeliveryStore(): DeliveryStore {
  const listeners = new Set<DeliveryListener>();
  return {
    add(accountState, event, fault) {
      const id = nextDeliveryId(accountState);
      const payment = accountState.payments.get(event.payment_id);
      if (payment === undefined) throw new Error('an event without a payment');
      const body = writeEvent(payment, event, accountState.profile);
      accountState.deliveries.set(id, { ...openDelivery(id, event, body), fault: fault });
      return id;
    },
    change(accountState, id, decide) {
      const delivery = accountState.deliveries.get(id);
      if (delivery === undefined) return;
      const changed = decide(delivery);
      accountState.deliveries.set(id, changed);
      for (const listener of listeners) listener(accountState, changed);
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
