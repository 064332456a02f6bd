import { type RunClock, setImmediate, setTimeout } from '@service/internal';

/** The waits of measurements that run at the same time. */
export interface Timeline {
  /** Waits some milliseconds. Rejects when the run is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /**
   * Sends a request. The clock does not sleep while a response is due. `isAlone` returns whether no other request was in
   * flight so far.
   */
  readonly request: <Response>(send: (isAlone: () => boolean) => Promise<Response>) => Promise<Response>;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Joins the waits of all measurements into one sleep of the clock, up to the next one that ends. It starts when every
 * measurement waits, so that a clock of a test does not advance during the requests of one because another one waits.
 */
export function createTimeline(clock: RunClock, signal: AbortSignal): Timeline {
  const { now } = clock;
  const sleepers = createSleepers(clock, signal);
  let inFlight = 0;
  let sent = 0;
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    for (;;) {
      await settle();
      if (sleepers.isEmpty() || inFlight > 0) break;
      await sleepers.sleepUntilNext();
    }
    isRunning = false;
  };
  return {
    sleep: async (milliseconds) => {
      signal.throwIfAborted();
      const woken = sleepers.add(now() + milliseconds);
      void run();
      await woken;
      signal.throwIfAborted();
    },
    request: async (send) => {
      inFlight += 1;
      sent += 1;
      const [wasIdle, number] = [inFlight === 1, sent];
      try {
        return await send(() => wasIdle && sent === number);
      } finally {
        inFlight -= 1;
        sleepers.wakeUntil(now());
        void run();
      }
    },
  };
}

interface Sleepers {
  /** Adds a sleeper. Resolves when it is woken. */
  readonly add: (due: number) => Promise<void>;
  readonly isEmpty: () => boolean;
  /** Wakes the sleepers that are due, and all after an abort. */
  readonly wakeUntil: (time: number) => void;
  /** Sleeps until the next sleeper is due, and wakes it. A sleeper that is added with an earlier time ends it. */
  readonly sleepUntilNext: () => Promise<void>;
}

function createSleepers({ now, sleep }: RunClock, signal: AbortSignal): Sleepers {
  const sleepers = new Set<Sleeper>();
  let pause: { readonly due: number; readonly end: AbortController } | undefined;
  const wakeUntil = (time: number): void => {
    for (const sleeper of sleepers) {
      if (sleeper.due > time && !signal.aborted) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  return {
    add: (due) =>
      new Promise<void>((wake, fail) => {
        sleepers.add({ due, wake, fail });
        if (pause !== undefined && due < pause.due) pause.end.abort();
      }),
    isEmpty: () => sleepers.size === 0,
    wakeUntil,
    sleepUntilNext: async () => {
      const due = Math.min(...Array.from(sleepers, (sleeper) => sleeper.due));
      const end = new AbortController();
      pause = { due, end };
      try {
        const rest = Math.ceil(due - now());
        if (rest > 0) await sleep(rest, AbortSignal.any([signal, end.signal]));
        wakeUntil(end.signal.aborted ? now() : Math.max(due, now()));
      } catch (error) {
        for (const { fail } of sleepers) fail(error);
        sleepers.clear();
      } finally {
        pause = undefined;
      }
    },
  };
}

/** Waits until the callers that got a response or were woken have continued. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    // Browsers have no setImmediate.
    if (setImmediate === undefined) setTimeout(resolve, 0);
    else setImmediate(resolve);
  });
}
