/** Time in units of 100 nanoseconds, since the Unix epoch or as a duration. */
export type Ticks = bigint;

const ticksPerMillisecond = 10_000n;
const ticksPerSecond = 10_000_000n;

export interface TimeProvider {
  getUtcNow(): Ticks;
  /** Runs `callback` every `period` milliseconds. */
  createTimer(callback: () => void, period: number): void;
}

export function createSystemTimeProvider(): TimeProvider {
  const startedAt = BigInt(Date.now()) * ticksPerMillisecond;
  const origin = process.hrtime.bigint();
  return {
    getUtcNow: () => startedAt + (process.hrtime.bigint() - origin) / 100n,
    createTimer: (callback, period) => {
      setInterval(callback, period);
    },
  };
}

export function toTicks(milliseconds: number): Ticks {
  return BigInt(Math.round(milliseconds * Number(ticksPerMillisecond)));
}

/** Converts to whole milliseconds, rounded down. */
export function toMilliseconds(ticks: Ticks): number {
  return Number(ticks / ticksPerMillisecond);
}

/** Converts a duration to whole seconds, rounded up. */
export function toSeconds(ticks: Ticks): number {
  return Number((ticks + ticksPerSecond - 1n) / ticksPerSecond);
}

/** Formats like `DateTimeOffset.ToString("O")`, always with 7 fractional digits. */
export function formatDateTimeOffset(ticks: Ticks): string {
  const seconds = new Date(toMilliseconds(ticks)).toISOString().slice(0, 19);
  const fraction = String(ticks % ticksPerSecond).padStart(7, '0');
  return `${seconds}.${fraction}+00:00`;
}
