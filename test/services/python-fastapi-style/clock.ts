/** Time of the service. All durations are in seconds before the speed factor. */
export interface Clock {
  /** Returns the time in milliseconds since 1970, with microseconds as a fraction. */
  readonly now: () => number;
  /** Returns the seconds between two times of `now`, in service time. */
  readonly secondsBetween: (start: number, end: number) => number;
  /** Runs the callback after the delay. Returns a function that cancels it. */
  readonly after: (seconds: number, callback: () => void) => () => void;
}

export function createSystemClock(speed: number): Clock {
  return {
    now: () => performance.timeOrigin + performance.now(),
    secondsBetween: (start, end) => ((end - start) * speed) / 1_000,
    after: (seconds, callback) => {
      const timer = setTimeout(callback, (seconds * 1_000) / speed);
      return () => clearTimeout(timer);
    },
  };
}

/** Formats a time as `datetime.isoformat()` does: microseconds, and no fraction at a full second. */
export function formatIsoTime(time: number): string {
  const microseconds = Math.floor(time * 1_000) % 1_000_000;
  const seconds = new Date(time).toISOString().slice(0, 19);
  const fraction = microseconds === 0 ? '' : `.${String(microseconds).padStart(6, '0')}`;
  return `${seconds}${fraction}+00:00`;
}
