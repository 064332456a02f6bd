import { type Delivery, openDelivery } from '../domain/delivery.ts';
import type { DeliveryFaultKind } from '../domain/delivery-fault.ts';
import { type PaymentEvent, writeEvent } from '../domain/payment.ts';
import { type AccountState, nextDeliveryId } from '../state/account-state.ts';

/** Called after each change of a delivery. */
export type DeliveryListener = (accountState: AccountState, delivery: Delivery) => void;

/** Stores and updates deliveries. */
export interface DeliveryStore {
  /** Creates the delivery of an event and returns its id. */
  readonly add: (accountState: AccountState, event: PaymentEvent, fault: DeliveryFaultKind | null) => string;
  /** Updates a delivery and notifies the listeners. */
  readonly change: (accountState: AccountState, id: string, decide: (delivery: Delivery) => Delivery) => void;
  /** Calls a listener after each change. Returns a function that removes it. */
  readonly watch: (listener: DeliveryListener) => () => void;
}

/** Creates a delivery store without listeners. */
export function createDeliveryStore(): DeliveryStore {
  const listeners = new Set<DeliveryListener>();
  return {
    add(accountState, event, fault) {
      const id = nextDeliveryId(accountState);
      const payment = accountState.payments.get(event.payment_id);
      if (payment === undefined) throw new Error('an event without a payment');
      const body = writeEvent(payment, event, accountState.profile);
      accountState.deliveries.set(id, { ...openDelivery(id, event, body), fault });
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
