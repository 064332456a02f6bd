import { monotonicNow, setImmediate, setTimeout } from './timers.ts';

/** The maximum time of work without a turn of the event loop, in milliseconds. */
const MAX_WORK = 2;

/** The time of work that only a garbage collection or a busy machine explains, in milliseconds. */
const SLOW_WORK = 2 * MAX_WORK;

/** The longest rest after slow work, in milliseconds. */
const MAX_REST = 25;

/** Called by long work after each step. Returns a promise of a turn of the event loop when one is due. */
export type TakeTurn = () => Promise<void> | undefined;

/** The time of some work, for tests. */
interface TurnOptions {
  /** Returns milliseconds since an arbitrary start. */
  readonly now?: () => number;
  /** Resolves after a time in milliseconds; after a turn of the event loop for 0. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/**
 * Creates the turns of one piece of work, which begins now. During a garbage collection of a large heap, V8 collects
 * for some milliseconds whenever the work allocates memory: the work rests after that, so that other work goes on.
 *
 * @param steps the number of steps before the first look at the time. Shorter work gives no turn, however slow the machine is.
 */
export function createTurns(steps = 1, { now = monotonicNow, wait = rest }: TurnOptions = {}): TakeTurn {
  let startedAt = now();
  let count = 0;
  const takeTurn = async (worked: number): Promise<void> => {
    await wait(worked < SLOW_WORK ? 0 : Math.min(3 * (worked - MAX_WORK), MAX_REST));
    startedAt = now();
  };
  return () => {
    count += 1;
    if (count < steps) return undefined;
    const worked = now() - startedAt;
    return worked < MAX_WORK ? undefined : takeTurn(worked);
  };
}

function rest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    // Browsers and jsdom lack `setImmediate`.
    if (milliseconds === 0 && typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, milliseconds);
  });
}
