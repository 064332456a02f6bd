/** Knows what is under way. */
export interface PendingSet {
  /** Counts a promise as under way until it is settled; it must not reject. */
  readonly track: (promise: Promise<void>) => Promise<void>;
  /** Fulfilled when nothing is under way, what came to be under way in the meantime included. */
  readonly idle: () => Promise<void>;
  /** Counts nothing as under way any more. */
  readonly forget: () => void;
}

/** Creates a tracker of nothing yet. */
export function createPendingSet(): PendingSet {
  const pending = new Set<Promise<void>>();
  return {
    async track(promise) {
      pending.add(promise);
      await promise;
      pending.delete(promise);
    },
    forget: () => pending.clear(),
    async idle() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
