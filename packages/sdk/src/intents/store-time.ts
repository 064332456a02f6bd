import type { Clock } from '../transport/deadline.ts';
import type { CheckedStore } from './checked-store.ts';

/** The clock of a store, by which all workers compare leases. */
export interface StoreTime {
  /** Reads the clock of the store. Called before the first use, and at the start of each run. */
  readonly synchronize: () => Promise<void>;
  readonly date: () => Date;
}

/**
 * Creates the clock of a store, as a difference to the clocks of this machine. It takes the later one of the
 * monotonic and the wall clock: one stops while a machine sleeps, the other can be set back.
 */
export function createStoreTime(store: CheckedStore, clock: Clock): StoreTime {
  let base: { readonly time: number; readonly now: number; readonly date: number } | undefined;
  return {
    synchronize: async () => {
      const [now, date] = [clock.now(), clock.date().getTime()];
      // The clocks of this machine are read first, so that the time of the store is not late.
      base = { time: (await store.now()).getTime(), now, date };
    },
    date: () => {
      const { time, now, date } = base ?? { time: clock.date().getTime(), now: clock.now(), date: 0 };
      const elapsed = Math.max(clock.now() - now, base ? clock.date().getTime() - date : 0);
      return new Date(time + elapsed);
    },
  };
}
