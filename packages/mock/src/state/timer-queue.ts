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

/** Replaces all timers of a queue. */
export function refillQueue(timerQueue: TimerQueue, timers: readonly Timer[]): void {
  timerQueue.clear();
  for (const timer of timers) timerQueue.add(timer);
}

/** Replaces the timers of some owners. */
export function replaceTimers(
  timerQueue: TimerQueue,
  owners: ReadonlySet<object>,
  timers: readonly Timer[],
): void {
  timerQueue.remove(({ owner }) => owner !== undefined && owners.has(owner));
  for (const timer of timers) timerQueue.add(timer);
}

/** Adds a timer, or runs it if its time has come. */
export function addOrRun(timerQueue: TimerQueue, timer: Timer, now: Instant): void {
  if (timer.at <= now) timer.run();
  else timerQueue.add(timer);
}

/** Timers ordered by time, then by `tieBreaker`. */
export interface TimerQueue {
  readonly add: (timer: Timer) => void;
  /** Removes and returns the first timer at or before `until`, or undefined. */
  readonly takeDue: (until: Instant) => Timer | undefined;
  /** Removes some timers. */
  readonly remove: (isRemoved: (timer: Timer) => boolean) => void;
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
    remove(isRemoved) {
      const kept = heap.filter((timer) => !isRemoved(timer));
      if (kept.length === heap.length) return;
      heap.length = 0;
      for (const timer of kept) {
        heap.push(timer);
        siftUp(heap);
      }
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
