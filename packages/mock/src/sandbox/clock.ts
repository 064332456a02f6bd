import type { Clock } from '../world/clock.ts';
import { type Duration, parseDuration } from '../world/duration.ts';
import { SandboxError } from '../world/sandbox-error.ts';

/** Reads and moves the time of a sandbox. */
export interface ClockControl {
  /** Returns the sandbox's time. */
  readonly now: () => Date;
  /**
   * Moves a manual clock on; fulfilled when all that fell due has happened, deliveries included. Called from within what it
   * caused (a webhook receiver, say), it does not wait for deliveries. Throws `SandboxError` on a clock that runs by itself.
   */
  readonly advance: (duration: Duration) => Promise<void>;
  /** Moves a manual clock on to a time, as `advance` does; a clock never goes back. */
  readonly set: (time: Date | string) => Promise<void>;
}

/** Creates the control of the clock; `settle` waits for the consequences of what fell due. */
export function createClockControl(clock: Clock, settle: () => Promise<void>): ClockControl {
  const requireManual = (): void => {
    if (clock.mode === 'manual') return;
    throw new SandboxError(
      'invalid_state',
      "This clock runs by itself; create the mock with clock: 'manual' to move it.",
    );
  };
  return {
    now: () => new Date(clock.now()),
    async advance(duration) {
      requireManual();
      await clock.moveTo(clock.now() + parseDuration(duration), settle);
    },
    async set(time) {
      requireManual();
      const target = new Date(time).getTime();
      if (Number.isNaN(target))
        throw new SandboxError('invalid_argument', `${JSON.stringify(time)} is no time.`);
      if (target < clock.now()) throw new SandboxError('invalid_argument', 'A clock never goes back.');
      await clock.moveTo(target, settle);
    },
  };
}
