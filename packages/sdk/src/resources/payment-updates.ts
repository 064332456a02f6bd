/** An update of a payment, such as a webhook event. */
export interface PaymentUpdate {
  readonly data: { readonly id: string };
}

/** A publisher of payment updates to running `waitFor` calls. */
export interface PaymentUpdates {
  readonly publish: (update: PaymentUpdate) => void;
  /** Calls `listener` at each update of a payment, until the returned function is called. */
  readonly subscribe: (id: string, listener: () => void) => () => void;
}

/** Creates the payment updates of a client. */
export function createPaymentUpdates(): PaymentUpdates {
  const subscriptions = new Set<{ readonly id: string; readonly listener: () => void }>();
  return {
    publish: (update) => {
      for (const { id, listener } of subscriptions) if (id === update?.data?.id) listener();
    },
    subscribe: (id, listener) => {
      const subscription = { id, listener };
      subscriptions.add(subscription);
      return () => subscriptions.delete(subscription);
    },
  };
}
