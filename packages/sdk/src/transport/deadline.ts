import { createUsageError } from '../errors.ts';

/** The source of time, timers and randomness. The client uses no other source. */
export interface Clock {
  /** Returns monotonic time in milliseconds. */
  now(): number;
  /** Returns wall-clock time. */
  date(): Date;
  /** Runs a function after some milliseconds. Returns a function that cancels this. */
  schedule(run: () => void, milliseconds: number): () => void;
  /** Returns a random number from 0 to 1, without 1. */
  random(): number;
  /** Returns a random UUID (version 4), a form of idempotency key that strict services accept. */
  unique(): string;
}

/** The clock of the machine. Looks up timers at each call, so that fake timers apply. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  schedule: (run, milliseconds) => {
    // A timer with a longer delay fires immediately.
    const timer = setTimeout(run, Math.min(milliseconds, 2_147_483_647));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  unique: () => {
    const { crypto } = globalThis as { crypto?: Partial<Crypto> };
    // It does not exist on pages over plain http.
    if (crypto?.randomUUID) return crypto.randomUUID();
    throw createUsageError(
      "Idempotency keys need crypto.randomUUID. Pass an idempotencyKey, or idempotencyKeys: 'omit'.",
    );
  },
};

/** The reason for which work was stopped: its timeout, or an abort by the caller. */
export type StopReason = 'timeout' | 'abort';

/**
 * Throws if the deadline has passed or the caller has aborted. Called synchronously before each step that
 * must not start late: after a suspension of the process, it throws before any timer has fired.
 */
export type CheckDeadline = () => void;

/** Maximum time in milliseconds for reading responses that the sockets buffered during a suspension. */
const MAX_SOCKET_WAIT = 5_000;

/** Maximum number of such waits per timeout. */
const MAX_SOCKET_WAITS = 4;

/** Lateness of a timer, in milliseconds, above which the process was suspended or blocked. */
const LATE_TIMER = 100;

/**
 * Runs work until it settles, its deadline passes or its caller aborts, even if it ignores the signal that it
 * receives. A timeout is reported one turn of I/O after its timer, and later after a suspension: then timers
 * fire before the sockets are read, and the response can already be buffered. Does not start work if the
 * signal is already aborted.
 *
 * @throws {unknown} the result of `toError` when the deadline passes or the signal is aborted.
 */
export function withDeadline<T>(
  { timeout, signal, clock }: { timeout: number; signal: AbortSignal | undefined; clock: Clock },
  work: (signal: AbortSignal, checkDeadline: CheckDeadline) => Promise<T>,
  toError: (stop: StopReason) => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const deadline = clock.now() + timeout;
    let cancelTimer: (() => void) | undefined;
    let unwatch: (() => void) | undefined;
    let isStopped = false;
    const end = (): void => {
      cancelTimer?.();
      unwatch?.();
    };
    const stop = (why: StopReason): void => {
      isStopped = true;
      end();
      reject(toError(why));
      controller.abort();
    };
    const checkDeadline: CheckDeadline = () => {
      if (!isStopped && signal?.aborted) stop('abort');
      else if (!isStopped && clock.now() >= deadline) stop('timeout');
      if (isStopped) throw new Error('The call has ended.');
    };
    if (signal?.aborted) return stop('abort');
    if (timeout < Infinity) cancelTimer = scheduleTimeout(() => stop('timeout'), timeout, clock);
    unwatch = signal && onAbort(signal, () => stop('abort'));
    work(controller.signal, checkDeadline).finally(end).then(resolve, reject);
  });
}

/**
 * Runs a function one turn of I/O after a timeout, so that a buffered response is read first. A late timer
 * means a suspended process or a blocked event loop: then the sockets get as much time as the timer was late. The process
 * can be suspended again while they are read.
 */
function scheduleTimeout(run: () => void, timeout: number, clock: Clock, waits = 0): () => void {
  const due = clock.now() + timeout;
  let cancel = clock.schedule(() => {
    const late = Math.max(0, clock.now() - due);
    const isLast = waits > 0 && (late <= LATE_TIMER || waits === MAX_SOCKET_WAITS);
    if (isLast) run();
    else cancel = scheduleTimeout(run, Math.min(late, MAX_SOCKET_WAIT), clock, waits + 1);
  }, timeout);
  return () => cancel();
}

/** Waits at least some milliseconds, or until the signal is aborted. */
export async function sleep(milliseconds: number, signal: AbortSignal, clock: Clock): Promise<void> {
  const due = clock.now() + milliseconds;
  // Timers can fire slightly early.
  for (let left = milliseconds; left > 0 && !signal.aborted; left = due - clock.now()) {
    let stops: (() => void)[] = [];
    await new Promise<void>((resolve) => {
      stops = [onAbort(signal, resolve), clock.schedule(resolve, left)];
    });
    for (const stop of stops) stop();
  }
}

// One listener per signal: with eleven listeners on one signal, Node 20 warns of a leak.
const listeners = new WeakMap<AbortSignal, ReturnType<typeof listen>>();

/** Runs a function when a signal is aborted. Returns a function that cancels this. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const { callbacks, notify } = listeners.get(signal) ?? listen(signal);
  callbacks.add(run);
  return () => {
    // A second call must not remove the listener of other callbacks that were added in between.
    if (!callbacks.delete(run) || callbacks.size > 0) return;
    signal.removeEventListener('abort', notify);
    listeners.delete(signal);
  };
}

function listen(signal: AbortSignal) {
  const callbacks = new Set<() => void>();
  const notify = (): void => callbacks.forEach((run) => run());
  signal.addEventListener('abort', notify, { once: true });
  listeners.set(signal, { callbacks, notify });
  return { callbacks, notify };
}
