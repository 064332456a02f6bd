import { clearTimeout, monotonicNow, setTimeout, systemNow } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import { END_OF_TIME } from '../domain/time.ts';

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

/**
 * The clock and the timers of a sandbox. Time never decreases, except at a restart. A manual clock changes only when it is
 * moved. A running one follows the monotonic clock, and the system clock where it is ahead: after the machine was suspended.
 * A system clock that is set back has no effect.
 */
export class Clock {
  readonly mode: ClockMode;
  readonly #source: TimeSource;
  #timers = new TimerQueue();
  #latest: Instant;
  #started: { readonly at: Instant; readonly system: number; readonly monotonic: number };
  #ahead = 0;
  #isCatchingUp = false;
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #alarmAt: Instant | undefined;
  #moves = Promise.resolve();
  #isStopped = false;
  #restarts = 0;

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

  /**
   * Advances a manual clock and runs each due timer at its own time. Calls `settle` first and after the timers of each
   * instant. Starts after earlier moves have ended.
   */
  moveTo(target: Instant, settle: () => Promise<void>): Promise<void> {
    // A restart ends a move: its target belongs to the replaced state.
    const restarts = this.#restarts;
    const takeDue = (until: Instant): Timer | undefined =>
      restarts === this.#restarts ? this.#timers.takeDue(until) : undefined;
    const move = async (): Promise<void> => {
      await settle();
      for (let first = takeDue(target); first !== undefined; first = takeDue(target)) {
        this.#latest = Math.max(this.#latest, first.at);
        for (let due: Timer | undefined = first; due !== undefined; due = takeDue(first.at)) due.run(due);
        await settle();
      }
      if (restarts === this.#restarts) this.#latest = Math.max(this.#latest, target);
    };
    // Moves run one after another.
    return (this.#moves = this.#moves.then(move));
  }

  /** Schedules a timer. Runs it immediately if its time has come. */
  schedule(timer: Timer): void {
    if (timer.at <= this.now()) timer.run(timer);
    else if (!this.#isStopped) this.#timers.add(timer);
    this.#setAlarm();
  }

  /**
   * Replaces all timers. A manual clock continues at `at`, even if that is in the past; any other clock
   * continues at `at` or later. No timer runs before the next `catchUp`.
   */
  restart(at: Instant, timers: readonly Timer[]): void {
    this.#timers = new TimerQueue();
    if (!this.#isStopped) for (const timer of timers) this.#timers.add(timer);
    this.#restarts += 1;
    this.#latest = at;
    if (this.mode === 'manual') return;
    const { system, monotonic } = this.#source;
    this.#started = { at: Math.max(at, this.#read()), system: system(), monotonic: monotonic() };
    this.#ahead = 0;
    // The previous alarm was computed for the time before.
    this.#alarmAt = undefined;
    clearTimeout(this.#alarm);
    this.#setAlarm();
  }

  /** Removes all timers and ignores new ones. */
  stop(): void {
    this.#isStopped = true;
    this.#timers = new TimerQueue();
    this.#setAlarm();
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
  #timers: Timer[] = [];
  #first = 0;

  add(timer: Timer): void {
    let [low, high] = [this.#first, this.#timers.length];
    while (low < high) {
      // The last one first.
      const middle = high === this.#timers.length ? high - 1 : (low + high) >> 1;
      const other = this.#timers[middle];
      if (other !== undefined && isBefore(timer, other)) high = middle;
      else low = middle + 1;
    }
    this.#timers.splice(low, 0, timer);
  }

  /** Removes and returns the first timer at or before `until`, or undefined. */
  takeDue(until: Instant): Timer | undefined {
    const first = this.#timers[this.#first];
    if (first === undefined || first.at > until) return undefined;
    this.#first += 1;
    if (this.#first * 2 > this.#timers.length) {
      this.#timers.splice(0, this.#first);
      this.#first = 0;
    }
    return first;
  }

  /** Returns the time of the first timer, or undefined. */
  nextAt(): Instant | undefined {
    return this.#timers[this.#first]?.at;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.tieBreaker < b.tieBreaker);
}
