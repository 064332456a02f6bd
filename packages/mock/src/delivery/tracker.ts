/** Knows what is under way. */
export interface Tracker {
  /** Counts a promise as under way until it is settled; it must not reject. */
  readonly track: (promise: Promise<void>) => Promise<void>;
  /** Fulfilled when nothing is under way, what came to be under way in the meantime included. */
  readonly idle: () => Promise<void>;
  /** Counts nothing as under way any more. */
  readonly forget: () => void;
}

/** Creates a tracker of nothing yet. */
export function createTracker(): Tracker {
  const underWay = new Set<Promise<void>>();
  return {
    async track(promise) {
      underWay.add(promise);
      await promise;
      underWay.delete(promise);
    },
    forget: () => underWay.clear(),
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
