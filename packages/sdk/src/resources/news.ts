/** Names a payment that something happened to, as a webhook event does (spec §6). */
export type PaymentNews = { readonly data: { readonly id: string } };

/** Passes news of payments on to those who wait for them. */
export type News = {
  readonly tell: (news: PaymentNews) => void;
  /** Calls back at each news of a payment, until the returned function is called. */
  readonly listen: (id: string, wake: () => void) => () => void;
};

/** Makes the news of a client. */
export function createNews(): News {
  const listeners = new Set<{ readonly id: string; readonly wake: () => void }>();
  return {
    tell: (news) => {
      for (const { id, wake } of listeners) if (id === news?.data?.id) wake();
    },
    listen: (id, wake) => {
      const listener = { id, wake };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
