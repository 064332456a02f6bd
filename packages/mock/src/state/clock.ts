import { type TimerQueue, type Timer, createTimerQueue } from './timer-queue.ts';
import type { Instant } from '../domain/timestamp.ts';

/** Says how time passes: by the system, faster than the system by a factor, or only when it is told to. */
export type ClockMode = 'real' | 'manual' | { readonly speed: number };

/** Tells the time of the sandbox and makes things happen on it; it never runs backwards. */
export interface Clock {
  readonly mode: ClockMode;
  /** Returns the time; while something that fell due happens, the time at which it fell due. */
  readonly now: () => Instant;
  /** Makes something happen at a time; at once, within this call, when that time has come. */
  readonly schedule: (timer: Timer) => void;
  /** Makes happen what has fallen due by now, however late the system is. */
  readonly catchUp: () => void;
  /** Moves a manual clock to a time, running all that falls due, each at its own time. `settle` waits for its consequences. */
  readonly moveTo: (target: Instant, settle: () => Promise<void>) => Promise<void>;
  /**
   * Starts anew with other appointments: a manual clock at the given time, be it earlier; any other goes on, from then at the
   * earliest. Nothing happens before the next `catchUp`.
   */
  readonly restart: (at: Instant, timers: readonly Timer[]) => void;
  /** Stops the clock for what happens by itself: what is not due yet never will be, and nothing is added to it. */
  readonly stop: () => void;
}

/** The last instant that a timestamp can show. */
export const END_OF_TIME: Instant = Date.UTC(9999, 11, 31, 23, 59, 59);

// Kept from load time, so that fake timers installed later cannot freeze the sandbox.
const { setTimeout, clearTimeout } = globalThis;
const systemNow = Date.now;
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** Creates a clock that starts at `start` (a manual one stands there) or, without it, at the system's time. */
export function createClock(mode: ClockMode, start: Instant | undefined): Clock {
  return mode === 'manual'
    ? createManualClock(start ?? systemNow())
    : createRunningClock(mode, start ?? systemNow());
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
    async moveTo(target, settle) {
      // Whoever moves the clock from within a consequence of a move must not wait for that consequence: it waits for them.
      const wait = moving === 0 ? settle : async (): Promise<void> => {};
      // A move ends where the clock is restarted under it: the time that it was to reach is no longer to come.
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
      refill(timerQueue, timers);
      restarts += 1;
      now = at;
    },
    stop: () => timerQueue.close(),
  };
}

function createRunningClock(mode: Exclude<ClockMode, 'manual'>, start: Instant): Clock {
  const timerQueue = createTimerQueue();
  const speed = mode === 'real' ? 1 : mode.speed;
  let running = createStopwatch(start, speed);
  const waitFor = (at: Instant): number => Math.ceil(Math.max(0, at - running()) / speed);
  const alarm = createAlarm(() => catchUp(), waitFor);
  let latest = start;
  let isCatchingUp = false;

  const now = (): Instant => {
    if (!isCatchingUp) latest = Math.max(latest, running());
    return latest;
  };
  const setAlarm = (): void => alarm.set(timerQueue.nextAt());
  const catchUp = (): void => {
    if (isCatchingUp) return;
    isCatchingUp = true;
    for (let due = timerQueue.takeDue(running()); due !== undefined; due = timerQueue.takeDue(running())) {
      latest = Math.max(latest, due.at);
      due.run();
    }
    isCatchingUp = false;
    setAlarm();
  };
  const schedule = (timer: Timer): void => {
    addOrRun(timerQueue, timer, now());
    if (!isCatchingUp) setAlarm();
  };
  const restart = (at: Instant, timers: readonly Timer[]): void => {
    refill(timerQueue, timers);
    latest = at;
    if (running() < at) running = createStopwatch(at, speed);
    // Set for the time as it was before, which need not come when it would have.
    alarm.set(undefined);
    setAlarm();
  };
  const stop = (): void => {
    timerQueue.close();
    setAlarm();
  };
  return { mode, now, schedule, catchUp, moveTo: rejectMove, restart, stop };
}

function rejectMove(): Promise<void> {
  return Promise.reject(new Error('only a manual clock is moved'));
}

/** Creates a function that tells the time of a clock that started at `start` and runs `speed` times as fast as the system. */
function createStopwatch(start: Instant, speed: number): () => Instant {
  const startedAt = systemNow();
  return () => Math.min(Math.floor(start + (systemNow() - startedAt) * speed), END_OF_TIME);
}

interface Alarm {
  /** Rings when a time has come, and no longer at the time set before; never when there is none. */
  readonly set: (at: Instant | undefined) => void;
}

/** Creates an alarm that is not set; `waitFor` tells how many milliseconds of real time are left until an instant. */
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
    // A sandbox alone keeps no process alive; in browsers a timer is a number.
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

function refill(timerQueue: TimerQueue, timers: readonly Timer[]): void {
  timerQueue.clear();
  for (const timer of timers) timerQueue.add(timer);
}

function addOrRun(timerQueue: TimerQueue, timer: Timer, now: Instant): void {
  if (timer.at <= now) timer.run();
  else timerQueue.add(timer);
}
