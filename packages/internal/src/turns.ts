import { monotonicNow, setImmediate, setTimeout } from './timers.ts';

/** The maximum time of work without a turn of the event loop, in milliseconds. */
const MAX_WORK = 2;

/** Called by long work after each step. Returns a promise of a turn of the event loop when one is due. */
export type TakeTurn = () => Promise<void> | undefined;

/**
 * Creates the turns of one piece of work, which begins now.
 *
 * @param steps the number of steps between two looks at the time. Shorter work gives no turn, however slow the machine is.
 */
export function createTurns(steps = 1, now: () => number = monotonicNow): TakeTurn {
  let startedAt = now();
  let count = 0;
  const takeTurn = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      // Browsers and jsdom lack `setImmediate`.
      if (typeof setImmediate === 'function') setImmediate(resolve);
      else setTimeout(resolve, 0);
    });
    startedAt = now();
  };
  return () => {
    count = (count + 1) % steps;
    return count > 0 || now() - startedAt < MAX_WORK ? undefined : takeTurn();
  };
}
