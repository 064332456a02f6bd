import { clearTimeout, setTimeout } from '@service/internal';
import type { Instant } from '../domain/json.ts';

/** The clock of a sandbox: system time, system time multiplied by `speed`, or manual. */
export type ClockMode = 'real' | 'manual' | { readonly speed: number };

/** A function that runs at a time. */
export interface Timer {
  readonly at: Instant;
  /**
   * The id that orders timers of the same instant, so that a restored sandbox runs them in the same order.
   */
  readonly tieBreaker: string;
  readonly run: () => void;
}

/** The clock and the timers of a sandbox. Time never decreases, except at a restart. */
export interface Clock {
  readonly mode: ClockMode;
  /** Returns the time. While a timer runs, this is the time for which it was scheduled. */
  readonly now: () => Instant;
  /** Schedules a timer. Runs it immediately if its time has come. */
  readonly schedule: (timer: Timer) => void;
  /** Runs all due timers. */
  readonly catchUp: () => void;
  /** Advances a manual clock and runs each due timer at its own time. Calls `settle` after each timer. */
  readonly moveTo: (target: Instant, settle: () => Promise<void>) => Promise<void>;
  /**
   * Replaces all timers. A manual clock continues at `at`, even if that is in the past; any other clock
   * continues at `at` or later. No timer runs before the next `catchUp`.
   */
  readonly restart: (at: Instant, timers: readonly Timer[]) => void;
  /** Removes all timers and ignores new ones. */
  readonly stop: () => void;
}

/** The last instant that a timestamp can represent. */
export const END_OF_TIME: Instant = Date.UTC(9999, 11, 31, 23, 59, 59);

// Captured at load time: a fake clock that a test installs later must not stop the sandbox.
const systemNow = Date.now;
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** Creates a clock. It starts at `start`, or at the system time without one. */
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
    refillQueue(timerQueue, timers);
    latest = at;
    if (running() < at) running = createStopwatch(at, speed);
    // The previous alarm was computed for the time before the restart.
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
  return Promise.reject(new Error('only a manual clock can be moved'));
}

/** Creates a function that returns the time of a clock that started at `start` with a speed factor. */
function createStopwatch(start: Instant, speed: number): () => Instant {
  const startedAt = systemNow();
  return () => Math.min(Math.floor(start + (systemNow() - startedAt) * speed), END_OF_TIME);
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

function refillQueue(timerQueue: TimerQueue, timers: readonly Timer[]): void {
  timerQueue.clear();
  for (const timer of timers) timerQueue.add(timer);
}

function addOrRun(timerQueue: TimerQueue, timer: Timer, now: Instant): void {
  if (timer.at <= now) timer.run();
  else timerQueue.add(timer);
}

/** Timers ordered by time, then by `tieBreaker`. */
interface TimerQueue {
  readonly add: (timer: Timer) => void;
  /** Removes and returns the first timer at or before `until`, or undefined. */
  readonly takeDue: (until: Instant) => Timer | undefined;
  /** Removes all timers. */
  readonly clear: () => void;
  /** Removes all timers and ignores new ones. */
  readonly close: () => void;
  /** Returns the time of the first timer, or undefined. */
  readonly nextAt: () => Instant | undefined;
}

/** Creates an empty queue: a binary heap with logarithmic cost. */
export function createTimerQueue(): TimerQueue {
  const heap: Timer[] = [];
  let isClosed = false;
  return {
    add(timer) {
      if (isClosed) return;
      heap.push(timer);
      siftUp(heap);
    },
    takeDue(until) {
      const first = heap[0];
      if (first === undefined || first.at > until) return undefined;
      const last = heap.pop();
      if (last !== undefined && last !== first) {
        heap[0] = last;
        siftDown(heap);
      }
      return first;
    },
    clear() {
      heap.length = 0;
    },
    close() {
      isClosed = true;
      heap.length = 0;
    },
    nextAt: () => heap[0]?.at,
  };
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.tieBreaker < b.tieBreaker);
}

function siftUp(heap: Timer[]): void {
  for (let child = heap.length - 1; child > 0;) {
    const parent = (child - 1) >> 1;
    if (!swapIfBefore(heap, child, parent)) return;
    child = parent;
  }
}

function siftDown(heap: Timer[]): void {
  for (let parent = 0; ;) {
    const left = 2 * parent + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    if (a === undefined) return;
    const child = b !== undefined && isBefore(b, a) ? left + 1 : left;
    if (!swapIfBefore(heap, child, parent)) return;
    parent = child;
  }
}

function swapIfBefore(heap: Timer[], child: number, parent: number): boolean {
  const [lower, upper] = [heap[child], heap[parent]];
  if (lower === undefined || upper === undefined || !isBefore(lower, upper)) return false;
  heap[child] = upper;
  heap[parent] = lower;
  return true;
}
