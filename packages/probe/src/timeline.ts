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
export function createTimeline({ now, sleep }: RunClock, signal: AbortSignal): Timeline {
  const sleepers = new Set<Sleeper>();
  let inFlight = 0;
  let sent = 0;
  let isRunning = false;
  let pause: { readonly due: number; readonly end: AbortController } | undefined;
  const wakeUntil = (time: number): void => {
    for (const sleeper of sleepers) {
      if (sleeper.due > time && !signal.aborted) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  const sleepUntilNext = async (): Promise<void> => {
    const due = Math.min(...Array.from(sleepers, (sleeper) => sleeper.due));
    const end = new AbortController();
    pause = { due, end };
    const rest = Math.ceil(due - now());
    if (rest > 0) await sleep(rest, AbortSignal.any([signal, end.signal]));
    pause = undefined;
    wakeUntil(end.signal.aborted ? now() : Math.max(due, now()));
  };
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    for (;;) {
      await settle();
      if (sleepers.size === 0 || inFlight > 0) break;
      try {
        await sleepUntilNext();
      } catch (error) {
        for (const { fail } of sleepers) fail(error);
        sleepers.clear();
      }
    }
    isRunning = false;
  };
  return {
    sleep: async (milliseconds) => {
      signal.throwIfAborted();
      const due = now() + milliseconds;
      await new Promise<void>((wake, fail) => {
        sleepers.add({ due, wake, fail });
        if (pause !== undefined && due < pause.due) pause.end.abort();
        void run();
      });
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
        wakeUntil(now());
        void run();
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
