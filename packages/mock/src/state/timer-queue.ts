import type { Instant } from '../domain/json.ts';

/** A function that runs at a time. */
export interface Timer {
  readonly at: Instant;
  /**
   * The id that orders timers of the same instant, so that a restored sandbox runs them in the same order.
   */
  readonly tieBreaker: string;
  /** The account state that the timer changes. */
  readonly owner?: object;
  readonly run: () => void;
}

/** Timers ordered by time, then by `tieBreaker`: a binary heap with logarithmic cost. */
export class TimerQueue {
  #heap: Timer[] = [];
  #isClosed = false;

  add(timer: Timer): void {
    if (this.#isClosed) return;
    const heap = this.#heap;
    heap.push(timer);
    for (let child = heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1;
      if (!this.#swapIfBefore(child, parent)) return;
      child = parent;
    }
  }

  /** Removes and returns the first timer at or before `until`, or undefined. */
  takeDue(until: Instant): Timer | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > until) return undefined;
    const last = heap.pop();
    if (last === undefined || last === first) return first;
    heap[0] = last;
    for (let parent = 0; ;) {
      const left = 2 * parent + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      const child = a !== undefined && b !== undefined && isBefore(b, a) ? left + 1 : left;
      if (!this.#swapIfBefore(child, parent)) return first;
      parent = child;
    }
  }

  /** Replaces the timers of some owners, or all timers. */
  replace(owners: ReadonlySet<object> | undefined, timers: readonly Timer[]): void {
    const kept =
      owners === undefined ? [] : this.#heap.filter(({ owner }) => owner === undefined || !owners.has(owner));
    this.#heap = [];
    for (const timer of [...kept, ...timers]) this.add(timer);
  }

  /** Removes all timers and ignores new ones. */
  close(): void {
    this.#isClosed = true;
    this.#heap = [];
  }

  /** Returns the time of the first timer, or undefined. */
  nextAt(): Instant | undefined {
    return this.#heap[0]?.at;
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const heap = this.#heap;
    const [lower, upper] = [heap[child], heap[parent]];
    if (lower === undefined || upper === undefined || !isBefore(lower, upper)) return false;
    heap[child] = upper;
    heap[parent] = lower;
    return true;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.tieBreaker < b.tieBreaker);
}
