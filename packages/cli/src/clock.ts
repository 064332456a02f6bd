/** Tells the time and lets it pass; in tests a value that does both at once. */
export type Clock = {
  /** Returns the milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after some milliseconds, or as soon as the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

// Kept from load time, so that fake timers installed later cannot freeze a run.
const { setTimeout, clearTimeout } = globalThis;

/** Is the clock of the machine; its timers keep the process alive, since the run waits for them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    }),
};
