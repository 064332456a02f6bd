import type { Clock } from '../src/transport/deadline.ts';

interface Timer {
  at: number;
  run: () => void;
}

/** Creates a clock that stands still until it is advanced. */
export function createManualClock(): Clock & {
  advance(milliseconds: number): Promise<void>;
  /** Advances the time without running a timer, as in a suspended process; `advance` then runs them late. */
  suspend(milliseconds: number): void;
  pending(): number;
} {
  let now = 0;
  const timers = new Set<Timer>();
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    date: () => new Date(Date.UTC(2026, 0, 31, 12) + now),
    schedule: (run, milliseconds) => {
      const timer = { at: now + milliseconds, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    random: () => 0.5,
    unique: () => 'unique-1',
    pending: () => timers.size,
    suspend: (milliseconds) => {
      now += milliseconds;
    },
    advance: async (milliseconds) => {
      const end = now + milliseconds;
      await settle();
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
        await settle();
      }
      now = end;
    },
  };
}
