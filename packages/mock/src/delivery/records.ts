import { type Delivery, openDelivery } from '../domain/delivery.ts';
import type { DisturbanceKind } from '../domain/disturbance.ts';
import { type PaymentEvent, writeEvent } from '../domain/event.ts';
import { type Books, nextDeliveryId } from '../world/books.ts';

/** Hears of a delivery each time that it has changed. */
export type DeliveryListener = (books: Books, delivery: Delivery) => void;

/** Keeps the deliveries of books up to date. */
export interface Records {
  /** Enters the delivery of an event and returns its id. */
  readonly enter: (books: Books, event: PaymentEvent, disturbed: DisturbanceKind | null) => string;
  /** Replaces a delivery by what it has become. */
  readonly change: (books: Books, id: string, decide: (delivery: Delivery) => Delivery) => void;
  /** Calls a listener after each change, until the function that it returns is called. */
  readonly watch: (listener: DeliveryListener) => () => void;
}

/** Creates the keeper of deliveries; nobody listens yet. */
export function createRecords(): Records {
  const listeners = new Set<DeliveryListener>();
  return {
    enter(books, event, disturbed) {
      const id = nextDeliveryId(books);
      const payment = books.payments.get(event.payment_id);
      if (payment === undefined) throw new Error('an event without a payment');
      const body = writeEvent(payment, event, books.profile);
      books.deliveries.set(id, { ...openDelivery(id, event, body), disturbed });
      return id;
    },
    change(books, id, decide) {
      const delivery = books.deliveries.get(id);
      if (delivery === undefined) return;
      const changed = decide(delivery);
      books.deliveries.set(id, changed);
      for (const listener of listeners) listener(books, changed);
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
