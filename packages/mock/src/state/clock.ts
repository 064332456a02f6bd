import { clearTimeout, monotonicNow, setTimeout, systemNow } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import { SandboxError } from './sandbox-error.ts';

/** The clock of a sandbox: system time, system time multiplied by `speed`, or manual. */
export type ClockMode = 'real' | 'manual' | { readonly speed: number };

/** The clock and the timers of a sandbox. Time never decreases, except at a restart. */
export interface Clock {
  readonly mode: ClockMode;
  /** Returns the time. While a timer runs, this is the time for which it was scheduled. */
  readonly now: () => Instant;
  /** Schedules a timer. Runs it immediately if its time has come. */
  readonly schedule: (timer: Timer) => void;
  /** Runs all due timers. */
  readonly catchUp: () => void;
  /** Changes the speed of a running clock, which continues at its time. Throws `SandboxError` on a manual clock. */
  readonly setSpeed: (speed: number) => void;
  /** Advances a manual clock and runs each due timer at its own time. Calls `settle` after each timer. */
  readonly moveTo: (target: Instant, settle: () => Promise<void>) => Promise<void>;
  /**
   * Returns a promise of the end of the timers of this instant, if they have given the event loop a turn. Deliveries wait
   * for it, so that their order does not depend on the speed of the machine.
   */
  readonly waitForTimers: () => Promise<void> | undefined;
  /**
   * Replaces all timers. A manual clock continues at `at`, even if that is in the past; any other clock
   * continues at `at` or later. No timer runs before the next `catchUp`.
   */
  readonly restart: (at: Instant, timers: readonly Timer[]) => void;
  /** Removes all timers and ignores new ones. */
  readonly stop: () => void;
}

const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** The clocks of the machine, in milliseconds. */
export interface TimeSource {
  /** The time since 1970. A user or a time server can set it back. */
  readonly system: () => number;
  /** The time since an arbitrary start. It never goes back, and some systems stop it while the machine is suspended. */
  readonly monotonic: () => number;
}

const machineTime: TimeSource = { system: systemNow, monotonic: monotonicNow };

/** Creates a clock. It starts at `start`, or at the system time without one. */
export function createClock(
  mode: ClockMode,
  start: Instant | undefined,
  source: TimeSource = machineTime,
): Clock {
  const startAt = start ?? source.system();
  return mode === 'manual' ? new ManualClock(startAt) : createRunningClock(mode, startAt, source);
}

function createManualClock(start: Instant): Clock {
  const timerQueue = createTimerQueue();
  let now = start;
  let moving = 0;
  let restarts = 0;
  return {
    mode: 'manual',
    now: () => now,
    schedule: (timer) => addOrRun(timerQueue, timer, now),
    catchUp: () => {},
    setSpeed: rejectSpeed,
    async moveTo(target, settle) {
      // A nested move must not wait for the timer that started it: that timer waits for the nested move.
      const wait = moving === 0 ? settle : async (): Promise<void> => {};
      // A restart ends a move that is in progress: its target belongs to the replaced state.
      const restartsBefore = restarts;
      const takeDue = (): Timer | undefined =>
        restartsBefore === restarts ? timerQueue.takeDue(target) : undefined;
      moving += 1;
      try {
        await wait();
        for (let due = takeDue(); due !== undefined; due = takeDue()) {
          now = Math.max(now, due.at);
          due.run();
          await wait();
        }
        if (restartsBefore === restarts) now = Math.max(now, target);
      } finally {
        moving -= 1;
      }
    },
    restart(at, timers) {
      refillQueue(timerQueue, timers);
      restarts += 1;
      now = at;
    },
    stop: () => timerQueue.close(),
  };
}

function createRunningClock(mode: Exclude<ClockMode, 'manual'>, start: Instant): Clock {
  const timerQueue = createTimerQueue();
  const running = createStopwatch(start, mode === 'real' ? 1 : mode.speed);
  const alarm = createAlarm(() => catchUp(), running.waitFor);
  let latest = start;
  let isCatchingUp = false;

  const now = (): Instant => {
    if (!isCatchingUp) latest = Math.max(latest, running.read());
    return latest;
  };
  const setAlarm = (): void => alarm.set(timerQueue.nextAt());
  const catchUp = (): void => {
    if (isCatchingUp) return;
    isCatchingUp = true;
    runDue(timerQueue, running.read, (at) => (latest = Math.max(latest, at)));
    isCatchingUp = false;
    setAlarm();
  };
  const schedule = (timer: Timer): void => {
    addOrRun(timerQueue, timer, now());
    if (!isCatchingUp) setAlarm();
  };
  const continueAt = (at: Instant, speed?: number): void => {
    running.restart(at, speed);
    // The previous alarm was computed for the time or the speed before.
    alarm.set(undefined);
    setAlarm();
  };
  const restart = (at: Instant, timers: readonly Timer[]): void => {
    refillQueue(timerQueue, timers);
    latest = at;
    continueAt(Math.max(at, running.read()));
  };
  const stop = (): void => {
    timerQueue.close();
    setAlarm();
  };
  const clock = { mode, now, schedule, catchUp, moveTo: rejectMove, restart, stop };
  return withSpeed(clock, (speed) => continueAt(running.read(), speed));
}

/** Adds the change of the speed to a clock. */
function withSpeed(clock: Omit<Clock, 'setSpeed'>, change: (speed: number) => void): Clock {
  const changed: { -readonly [Name in keyof Clock]: Clock[Name] } = {
    ...clock,
    setSpeed(speed) {
      change(speed);
      changed.mode = { speed };
    },
  };
  return changed;
}

/** Runs each due timer at its own time. */
function runDue(timerQueue: TimerQueue, readTime: () => Instant, setTime: (at: Instant) => void): void {
  for (let due = timerQueue.takeDue(readTime()); due !== undefined; due = timerQueue.takeDue(readTime())) {
    setTime(due.at);
    due.run();
  }
}

function rejectMove(): Promise<void> {
  return Promise.reject(new Error('only a manual clock can be moved'));
}

function rejectSpeed(): never {
  throw new SandboxError(
    'invalid_state',
    'A manual clock has no speed. Advance it, or create the mock with another clock.',
  );
}

/** The time of a clock with a speed factor. */
interface Stopwatch {
  readonly read: () => Instant;
  /** Continues at a time, with another speed if it is given. */
  readonly restart: (at: Instant, speed?: number) => void;
  /** Returns the milliseconds of real time until an instant. */
  readonly waitFor: (at: Instant) => number;
}

function createStopwatch(start: Instant, initialSpeed: number): Stopwatch {
  let [from, startedAt, speed] = [start, systemNow(), initialSpeed];
  const read = (): Instant => Math.min(Math.floor(from + (systemNow() - startedAt) * speed), END_OF_TIME);
  return {
    read,
    restart: (at, next = speed) => void ([from, startedAt, speed] = [at, systemNow(), next]),
    waitFor: (at) => Math.ceil(Math.max(0, at - read()) / speed),
  };
}

interface Alarm {
  /** Sets the alarm to a time and cancels the previous one. Undefined only cancels. */
  readonly set: (at: Instant | undefined) => void;
}

/** Creates an alarm. `waitFor` returns the milliseconds of real time until an instant. */
function createAlarm(onDue: () => void, waitFor: (at: Instant) => number): Alarm {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let setTo: Instant | undefined;
  const start = (at: Instant): void => {
    timer = setTimeout(
      () => {
        setTo = undefined;
        onDue();
      },
      Math.min(waitFor(at), LONGEST_TIMEOUT),
    );
    // An idle sandbox must not keep the process running; in browsers a timer is a number.
    if (typeof timer === 'object') timer.unref();
  };
  return {
    set(at) {
      if (at === setTo) return;
      clearTimeout(timer);
      setTo = at;
      if (at !== undefined) start(at);
    },
  };
}
