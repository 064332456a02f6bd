import type { Clock } from './clock.ts';

/** The ids of the payments that a client created, with the time at which each id became known. */
export interface KnownPayments {
  /** Adds an id. A known id keeps its time. */
  readonly add: (id: string) => void;
  /**
   * Returns the time at which an id became known, by the clock of the client; undefined for an unknown id.
   */
  readonly since: (id: string) => number | undefined;
}

/** Maximum number of ids. The oldest ones are dropped first. */
const MAX_IDS = 1_000;

export function createKnownPayments(clock: Clock): KnownPayments {
  const times = new Map<string, number>();
  return {
    add: (id) => {
      if (!times.has(id)) times.set(id, clock.now());
      for (const oldest of times.keys()) {
        if (times.size <= MAX_IDS) return;
        times.delete(oldest);
      }
    },
    since: (id) => times.get(id),
  };
}
