/** Tells time and sets timers; the one place where the client meets either. */
export type Clock = {
  /** Returns milliseconds that never run backwards. */
  now(): number;
  /** Returns the time of day. */
  date(): Date;
  /** Runs a function after some milliseconds, unless the returned function is called first. */
  schedule(run: () => void, milliseconds: number): () => void;
};

/** Tells the time of the machine; timers are looked up at each call. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  schedule: (run, milliseconds) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
