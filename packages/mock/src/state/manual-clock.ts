import { createDeferred, createTurns, type Deferred } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import type { Clock } from './clock.ts';
import { SandboxError } from './sandbox-error.ts';
import { addOrRun, createTimerQueue, refillQueue, replaceTimers, type Timer } from './timer-queue.ts';

/** The number of timers that run without a turn of the event loop, however slow the machine is. */
const MIN_TIMERS = 50;

/** A clock that changes only when it is moved. */
export class ManualClock implements Clock {
  readonly mode = 'manual';
  readonly #timers = createTimerQueue();
  #now: Instant;
  #moves = 0;
  #restarts = 0;
  #instant: Deferred<void> | undefined;

  constructor(start: Instant) {
    this.#now = start;
  }

  readonly now = (): Instant => this.#now;

  readonly waitForTimers = (): Promise<void> | undefined => this.#instant?.promise;

  schedule(timer: Timer): void {
    addOrRun(this.#timers, timer, this.#now);
  }

  catchUp(): void {}

  setSpeed(): never {
    throw new SandboxError(
      'invalid_state',
      'A manual clock has no speed. Advance it, or create the mock with another clock.',
    );
  }

  async moveTo(target: Instant, settle: () => Promise<void>): Promise<void> {
    // A nested move must not wait for the timer that started it: that timer waits for the nested move.
    const isNested = this.#moves > 0;
    const wait = isNested ? async (): Promise<void> => {} : settle;
    // A restart ends a move that is in progress: its target belongs to the replaced state.
    const restarts = this.#restarts;
    const takeDue = (until: Instant): Timer | undefined =>
      restarts === this.#restarts ? this.#timers.takeDue(until) : undefined;
    const takeTurn = createTurns(MIN_TIMERS);
    this.#moves += 1;
    try {
      await wait();
      for (let first = takeDue(target); first !== undefined; first = takeDue(target)) {
        this.#now = Math.max(this.#now, first.at);
        for (let due: Timer | undefined = first; due !== undefined; due = takeDue(first.at)) {
          due.run();
          const turn = takeTurn();
          if (turn === undefined) continue;
          if (!isNested) this.#instant ??= createDeferred();
          await turn;
        }
        if (!isNested) this.#endInstant();
        await wait();
      }
      if (restarts === this.#restarts) this.#now = Math.max(this.#now, target);
    } finally {
      this.#moves -= 1;
      if (!isNested) this.#endInstant();
    }
  }

  restart(at: Instant, timers: readonly Timer[]): void {
    refillQueue(this.#timers, timers);
    this.#restarts += 1;
    this.#now = at;
  }

  replace(owners: ReadonlySet<object>, timers: readonly Timer[]): void {
    replaceTimers(this.#timers, owners, timers);
  }

  stop(): void {
    this.#timers.close();
  }

  #endInstant(): void {
    this.#instant?.resolve();
    this.#instant = undefined;
  }
}
