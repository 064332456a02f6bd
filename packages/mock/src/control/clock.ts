import { type Clock, type ClockMode, END_OF_TIME } from '../state/clock.ts';
import { type Duration, parseDuration } from '../state/duration.ts';
import { SandboxError } from '../state/sandbox-error.ts';

/** The clock of a sandbox. */
export interface ClockControl {
  /** The clock mode of `createMock`. */
  readonly mode: ClockMode;
  /** Returns the time of the sandbox. */
  readonly now: () => Date;
  /**
   * Advances a manual clock. Resolves after all due timers and deliveries, or when a receiver has not
   * responded within 10 s of real time. Nested calls, and a second call during the first, do not wait for
   * deliveries. Do not await it in a webhook receiver: the receiver would count as not responding. Rejects
   * with `SandboxError` on a running clock.
   */
  readonly advance: (duration: Duration) => Promise<void>;
  /** Advances a manual clock to a time, like `advance`. Rejects with `SandboxError` for an earlier time. */
  readonly set: (time: Date | string) => Promise<void>;
}

// Captured at load time: fake timers that a test installs later must not block `advance`.
const { setTimeout, clearTimeout } = globalThis;

/** The deliveries that `advance` waits for, and the maximum waiting time. */
export interface SettleOptions {
  readonly idle: () => Promise<void>;
  /** In milliseconds of real time, per call. */
  readonly limit: number;
}

/** Creates the clock control of a sandbox. */
export function createClockControl(clock: Clock, settle: SettleOptions): ClockControl {
  const moveTo = async (target: number): Promise<void> => {
    if (target > END_OF_TIME)
      throw new SandboxError('invalid_argument', 'The clock cannot pass the year 9999.');
    if (target < clock.now()) throw new SandboxError('invalid_argument', 'The clock cannot go back in time.');
    const { promise: expired, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, settle.limit);
    try {
      await clock.moveTo(target, () => Promise.race([settle.idle(), expired]));
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    mode: clock.mode,
    now() {
      clock.catchUp();
      return new Date(clock.now());
    },
    async advance(duration) {
      requireManual(clock);
      await moveTo(clock.now() + parseDuration(duration));
    },
    async set(time) {
      requireManual(clock);
      const target = new Date(time).getTime();
      if (Number.isNaN(target))
        throw new SandboxError('invalid_argument', `${JSON.stringify(time)} is not a valid time.`);
      await moveTo(target);
    },
  };
}

function requireManual({ mode }: Clock): void {
  if (mode === 'manual') return;
  const message = "The clock is not manual. Create the mock with clock: 'manual' to move it.";
  throw new SandboxError('invalid_state', message);
}
