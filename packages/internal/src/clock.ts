import { clearTimeout, setTimeout } from './timers.ts';

/** The time and timers of a run. Tests inject their own. */
export interface RunClock {
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after the given milliseconds, or when the signal is aborted. Never rejects. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** The system clock. Its timers keep the process alive. */
export const runClock: RunClock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise<void>((resolve) => {
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
