import {
  clearTimeout,
  createDeferred,
  type Deferred,
  monotonicNow,
  setImmediate,
  setTimeout,
  systemNow,
} from '@service/internal';
import type { Instant } from '../domain/json.ts';
import { END_OF_TIME } from '../domain/time.ts';
import { SandboxError } from './sandbox-error.ts';

/** A function that runs at a time. */
export interface Timer {
  readonly at: Instant;
  /**
   * The id that orders timers of the same instant, so that a restored sandbox runs them in the same order.
   */
  readonly tieBreaker: string;
  /** The account state that the timer changes. */
  readonly owner?: object;
  readonly run: (timer: Timer) => void;
}

/** The clock of a sandbox: system time, system time multiplied by `speed`, or manual. */
export type ClockMode =
  | 'real'
  | 'manual'
  | {
      /** Sandbox seconds per second of system time, above 0 and at most 1 000 000. */
      readonly speed: number;
    };

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
  return new Clock(mode, start ?? source.system(), source);
}

const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** The number of timers that run without a turn of the event loop, however slow the machine is. */
const MIN_TIMERS = 50;

/** The maximum time of work without a turn of the event loop, in milliseconds. */
const MAX_WORK = 2;

/** Resolves in the next turn of the event loop, so that other work can run. */
export function takeTurn(): Promise<void> {
  // Browsers and jsdom lack `setImmediate`.
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve);
  });
}

/**
 * The clock and the timers of a sandbox. Time never decreases, except at a restart. A manual clock changes only when it is
 * moved. A running one follows the monotonic clock, and the system clock where it is ahead: after the machine was suspended.
 * A system clock that is set back has no effect.
 */
export class Clock {
  mode: ClockMode;
  readonly #source: TimeSource;
  readonly #timers = new TimerQueue();
  #latest: Instant;
  #started: { readonly at: Instant; readonly system: number; readonly monotonic: number };
  #ahead = 0;
  #isCatchingUp = false;
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #alarmAt: Instant | undefined;
  #moves = 0;
  #restarts = 0;
  #instant: Deferred<void> | undefined;

  constructor(mode: ClockMode, start: Instant, source: TimeSource) {
    this.mode = mode;
    this.#source = source;
    this.#started = { at: start, system: source.system(), monotonic: source.monotonic() };
    this.#latest = start;
  }

  /** Returns the time. While a timer runs, this is the time for which it was scheduled. */
  readonly now = (): Instant => {
    if (!this.#isCatchingUp && this.mode !== 'manual') this.#latest = Math.max(this.#latest, this.#read());
    return this.#latest;
  };

  /** Runs the due timers of a running clock. */
  catchUp(): void {
    if (this.#isCatchingUp || this.mode === 'manual') return;
    this.#isCatchingUp = true;
    const takeDue = (): Timer | undefined => this.#timers.takeDue(this.#read());
    for (let due = takeDue(); due !== undefined; due = takeDue()) {
      this.#latest = Math.max(this.#latest, due.at);
      due.run(due);
    }
    this.#isCatchingUp = false;
    this.#setAlarm();
  }

  /** Changes the speed of a running clock, which continues at its time. Throws `SandboxError` on a manual clock. */
  setSpeed(speed: number): void {
    if (this.mode === 'manual')
      throw new SandboxError(
        'invalid_state',
        'A manual clock has no speed. Advance it, or create the mock with another clock.',
      );
    const at = this.#read();
    this.mode = { speed };
    this.#continueAt(at);
  }

  /**
   * Advances a manual clock and runs each due timer at its own time. Calls `settle` first and after the timers of each
   * instant. Gives the event loop turns during long work.
   */
  async moveTo(target: Instant, settle: () => Promise<void>): Promise<void> {
    // A nested move must not wait for the timer that started it: that timer waits for the nested move.
    const isNested = this.#moves > 0;
    const wait = isNested ? async (): Promise<void> => {} : settle;
    // A restart ends a move that is in progress: its target belongs to the replaced state.
    const restarts = this.#restarts;
    const takeDue = (until: Instant): Timer | undefined =>
      restarts === this.#restarts ? this.#timers.takeDue(until) : undefined;
    let startedAt = monotonicNow();
    let count = 0;
    this.#moves += 1;
    try {
      await wait();
      for (let first = takeDue(target); first !== undefined; first = takeDue(target)) {
        this.#latest = Math.max(this.#latest, first.at);
        for (let due: Timer | undefined = first; due !== undefined; due = takeDue(first.at)) {
          due.run(due);
          count += 1;
          if (count < MIN_TIMERS || monotonicNow() - startedAt < MAX_WORK) continue;
          if (!isNested) this.#instant ??= createDeferred();
          await takeTurn();
          startedAt = monotonicNow();
        }
        if (!isNested) this.#endInstant();
        await wait();
      }
      if (restarts === this.#restarts) this.#latest = Math.max(this.#latest, target);
    } finally {
      this.#moves -= 1;
      if (!isNested) this.#endInstant();
    }
  }

  /**
   * Returns a promise of the end of the timers of this instant, if they have given the event loop a turn. Deliveries wait
   * for it, so that their order does not depend on the speed of the machine.
   */
  waitForTimers(): Promise<void> | undefined {
    return this.#instant?.promise;
  }

  /** Schedules a timer. Runs it immediately if its time has come. */
  schedule(timer: Timer): void {
    if (timer.at <= this.now()) timer.run(timer);
    else this.#timers.add(timer);
    this.#setAlarm();
  }

  /** Replaces the timers of some owners by others, of which none runs before the next `catchUp` or move. */
  replace(owners: ReadonlySet<object>, timers: readonly Timer[]): void {
    this.#timers.replace(({ owner }) => owner === undefined || !owners.has(owner), timers);
    this.#setAlarm();
  }

  /**
   * Replaces all timers. A manual clock continues at `at`, even if that is in the past; any other clock
   * continues at `at` or later. No timer runs before the next `catchUp`.
   */
  restart(at: Instant, timers: readonly Timer[]): void {
    this.#timers.replace(() => false, timers);
    this.#restarts += 1;
    this.#latest = at;
    if (this.mode !== 'manual') this.#continueAt(Math.max(at, this.#read()));
  }

  /** Removes all timers and ignores new ones. */
  stop(): void {
    this.#timers.close();
    this.#setAlarm();
  }

  #endInstant(): void {
    this.#instant?.resolve();
    this.#instant = undefined;
  }

  #speed(): number {
    return typeof this.mode === 'object' ? this.mode.speed : 1;
  }

  #read(): Instant {
    const { at, system, monotonic } = this.#started;
    const elapsed = this.#source.monotonic() - monotonic;
    this.#ahead = Math.max(this.#ahead, this.#source.system() - system - elapsed);
    return Math.min(Math.floor(at + (elapsed + this.#ahead) * this.#speed()), END_OF_TIME);
  }

  #continueAt(at: Instant): void {
    this.#started = { at, system: this.#source.system(), monotonic: this.#source.monotonic() };
    this.#ahead = 0;
    // The previous alarm was computed for the time or the speed before.
    this.#alarmAt = undefined;
    clearTimeout(this.#alarm);
    this.#setAlarm();
  }

  /** Sets the alarm of a running clock to the time of the first timer. `catchUp` sets it at its end. */
  #setAlarm(): void {
    const at = this.#timers.nextAt();
    if (this.mode === 'manual' || this.#isCatchingUp || at === this.#alarmAt) return;
    clearTimeout(this.#alarm);
    this.#alarmAt = at;
    if (at === undefined) return;
    const wait = Math.ceil(Math.max(0, at - this.#read()) / this.#speed());
    const ring = (): void => {
      this.#alarmAt = undefined;
      this.catchUp();
    };
    this.#alarm = setTimeout(ring, Math.min(wait, LONGEST_TIMEOUT));
    // An idle sandbox must not keep the process running; in browsers a timer is a number.
    if (typeof this.#alarm === 'object') this.#alarm.unref();
  }
}

/** Timers ordered by time, then by `tieBreaker`. Most are added at the end. */
class TimerQueue {
  /** Sorted from `#first` on. */
  #timers: (Timer | undefined)[] = [];
  #first = 0;
  #isClosed = false;

  add(timer: Timer): void {
    if (this.#isClosed) return;
    const timers = this.#timers;
    const last = timers.at(-1);
    if (last === undefined || isBefore(last, timer)) {
      timers.push(timer);
      return;
    }
    let [low, high] = [this.#first, timers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = timers[middle];
      if (other !== undefined && isBefore(timer, other)) high = middle;
      else low = middle + 1;
    }
    timers.splice(low, 0, timer);
  }

  /** Removes and returns the first timer at or before `until`, or undefined. */
  takeDue(until: Instant): Timer | undefined {
    const first = this.#timers[this.#first];
    if (first === undefined || first.at > until) return undefined;
    this.#timers[this.#first] = undefined;
    this.#first += 1;
    if (this.#first * 2 > this.#timers.length) this.#keep(() => true);
    return first;
  }

  /** Removes the timers that are not kept, and adds others. */
  replace(isKept: (timer: Timer) => boolean, timers: readonly Timer[]): void {
    this.#keep(isKept);
    for (const timer of timers) this.add(timer);
  }

  /** Removes all timers and ignores new ones. */
  close(): void {
    this.#isClosed = true;
    this.#keep(() => false);
  }

  /** Returns the time of the first timer, or undefined. */
  nextAt(): Instant | undefined {
    return this.#timers[this.#first]?.at;
  }

  #keep(isKept: (timer: Timer) => boolean): void {
    this.#timers = this.#timers.filter((timer) => timer !== undefined && isKept(timer));
    this.#first = 0;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.tieBreaker < b.tieBreaker);
}
