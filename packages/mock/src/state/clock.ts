import { clearTimeout, monotonicNow, setTimeout, systemNow } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import { END_OF_TIME } from '../domain/time.ts';
import { ManualClock } from './manual-clock.ts';
import {
  addOrRun,
  createTimerQueue,
  refillQueue,
  replaceTimers,
  type Timer,
  type TimerQueue,
} from './timer-queue.ts';

/** The clock of a sandbox: system time, system time multiplied by `speed`, or manual. */
export type ClockMode =
  | 'real'
  | 'manual'
  | {
      /** Sandbox seconds per second of system time, above 0 and at most 1 000 000. */
      readonly speed: number;
    };

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
  /**
   * Advances a manual clock and runs each due timer at its own time. Calls `settle` first and after the timers of each
   * instant. Gives the event loop turns during long work.
   */
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
  /** Replaces the timers of some owners by others, of which none runs before the next `catchUp` or move. */
  readonly replace: (owners: ReadonlySet<object>, timers: readonly Timer[]) => void;
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

function createRunningClock(mode: Exclude<ClockMode, 'manual'>, start: Instant, source: TimeSource): Clock {
  const timerQueue = createTimerQueue();
  const running = createStopwatch(start, mode === 'real' ? 1 : mode.speed, source);
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
  const edits = createEdits(timerQueue, now, () => {
    // `catchUp` sets the alarm itself.
    if (!isCatchingUp) setAlarm();
  });
  const clock = { ...edits, mode, now, catchUp, moveTo: rejectMove, waitForTimers: noTimers, restart };
  return withSpeed(clock, (speed) => continueAt(running.read(), speed));
}

/** Creates the functions that change the queue of a running clock. */
function createEdits(
  timerQueue: TimerQueue,
  now: () => Instant,
  onEdit: () => void,
): Pick<Clock, 'schedule' | 'replace' | 'stop'> {
  const edit = (change: () => void): void => {
    change();
    onEdit();
  };
  return {
    schedule: (timer) => edit(() => addOrRun(timerQueue, timer, now())),
    replace: (owners, timers) => edit(() => replaceTimers(timerQueue, owners, timers)),
    stop: () => edit(timerQueue.close),
  };
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

function noTimers(): undefined {
  return undefined;
}

function rejectMove(): Promise<void> {
  return Promise.reject(new Error('only a manual clock can be moved'));
}

/** The time of a running clock. */
interface Stopwatch {
  readonly read: () => Instant;
  /** Continues at a time, with another speed if it is given. */
  readonly restart: (at: Instant, speed?: number) => void;
  /** Returns the milliseconds of real time until an instant. */
  readonly waitFor: (at: Instant) => number;
}

/**
 * Creates the time of a clock that starts at `start` with a speed factor. It follows the monotonic clock, and the system
 * clock where it is ahead: after the machine was suspended. A system clock that is set back has no effect.
 */
function createStopwatch(start: Instant, speed: number, { system, monotonic }: TimeSource): Stopwatch {
  const begin = (
    at: Instant,
    factor: number,
  ): { at: Instant; speed: number; system: number; monotonic: number } => ({
    at,
    speed: factor,
    system: system(),
    monotonic: monotonic(),
  });
  let started = begin(start, speed);
  let ahead = 0;
  const read = (): Instant => {
    const elapsed = monotonic() - started.monotonic;
    ahead = Math.max(ahead, system() - started.system - elapsed);
    return Math.min(Math.floor(started.at + (elapsed + ahead) * started.speed), END_OF_TIME);
  };
  return {
    read,
    restart(at, factor = started.speed) {
      started = begin(at, factor);
      ahead = 0;
    },
    waitFor: (at) => Math.ceil(Math.max(0, at - read()) / started.speed),
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
