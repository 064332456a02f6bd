import type { Clock } from './clock.ts';

/** The payments whose ids a client got from its own creates, and since when it knows each of them. */
export interface KnownPayments {
  /** Remembers an id; one that is known keeps its time. */
  readonly add: (id: string) => void;
  /** Returns the time at which an id became known, by the clock of the client. */
  readonly since: (id: string) => number | undefined;
}

/** Number of ids that a client remembers; the oldest goes first. */
const MOST_IDS = 1_000;

/** Creates the memory of a client. */
export function createKnownPayments(clock: Clock): KnownPayments {
  const times = new Map<string, number>();
  return {
    add: (id) => {
      if (!times.has(id)) times.set(id, clock.now());
      for (const oldest of times.keys()) {
        if (times.size <= MOST_IDS) return;
        times.delete(oldest);
      }
    },
    since: (id) => times.get(id),
  };
}
