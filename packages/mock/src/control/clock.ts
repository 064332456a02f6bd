import { type Clock, type ClockMode, END_OF_TIME } from '../state/clock.ts';
import { type Duration, parseDuration } from '../state/duration.ts';
import { SandboxError } from '../state/sandbox-error.ts';

/** Reads and moves the time of a sandbox. */
export interface ClockControl {
  /** How time passes, as `createMock` was told. */
  readonly mode: ClockMode;
  /** Returns the sandbox's time. */
  readonly now: () => Date;
  /**
   * Moves a manual clock on; fulfilled when all that fell due has happened, deliveries included, or when a receiver has
   * kept it waiting for 10 s of real time. Called from within what a move caused, it does not wait; do not await it in a
   * receiver of any other delivery, which cannot be told from one that hangs. Two moves at once both start from the time that
   * it is, and the second does not wait. Rejects with `SandboxError` on a clock that
   * runs by itself.
   */
  readonly advance: (duration: Duration) => Promise<void>;
  /** Moves a manual clock on to a time, as `advance` does; a clock never goes back. */
  readonly set: (time: Date | string) => Promise<void>;
}

// Kept from load time, so that fake timers installed later cannot freeze a move.
const { setTimeout, clearTimeout } = globalThis;

/** Says what a move of the clock waits for, and for how long at most (contract.md 5). */
export interface SettleOptions {
  readonly idle: () => Promise<void>;
  /** In milliseconds of real time, for all of a move. */
  readonly limit: number;
}

/** Creates the control of the clock. */
export function createClockControl(clock: Clock, settle: SettleOptions): ClockControl {
  const moveTo = async (target: number): Promise<void> => {
    if (target > END_OF_TIME)
      throw new SandboxError('invalid_argument', 'A clock stays before the year 10000.');
    if (target < clock.now()) throw new SandboxError('invalid_argument', 'A clock never goes back.');
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
        throw new SandboxError('invalid_argument', `${JSON.stringify(time)} is no time.`);
      await moveTo(target);
    },
  };
}

function requireManual({ mode }: Clock): void {
  if (mode === 'manual') return;
  const message = "This clock runs by itself; create the mock with clock: 'manual' to move it.";
  throw new SandboxError('invalid_state', message);
}
