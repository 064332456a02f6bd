import { onAbort } from './abort.ts';
import type { Clock } from './clock.ts';

/** Says what ended work early: its time, or whoever asked for it. */
export type Stop = 'timeout' | 'abort';

/** Bounds work: milliseconds, and the caller's signal. */
export type Bounds = {
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
};

/**
 * Throws once the deadline has passed or the caller has aborted. After a suspension of the process this is true before any
 * timer has fired, so it is called synchronously before each step that must not start late.
 */
export type CheckDeadline = () => void;

/** Maximum time in milliseconds for reading what the sockets buffered during a suspension. */
const LONGEST_GRACE = 1_000;

/**
 * Runs work until it settles, its deadline passes or its caller aborts, even if it ignores the signal that it receives. A
 * timeout is reported one turn of I/O after its timer, and later after a suspension: then timers fire before the sockets are
 * read, and the response can be there. Does not start work that was aborted before.
 *
 * @throws the result of `toError` when the deadline passes or the signal is aborted.
 */
export function limit<T>(
  { timeout, signal, clock }: Bounds,
  work: (signal: AbortSignal, checkDeadline: CheckDeadline) => Promise<T>,
  toError: (stop: Stop) => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const deadline = clock.now() + timeout;
    let cancelTimer: (() => void) | undefined;
    let unwatch: (() => void) | undefined;
    const end = (): void => {
      cancelTimer?.();
      unwatch?.();
    };
    const stop = (why: Stop): void => {
      end();
      reject(toError(why));
      controller.abort();
    };
    const checkDeadline: CheckDeadline = () => {
      const { aborted } = controller.signal;
      if (!aborted && signal?.aborted) stop('abort');
      else if (!aborted && clock.now() >= deadline) stop('timeout');
      if (controller.signal.aborted) throw new Error('The call has ended.');
    };
    if (signal?.aborted) return stop('abort');
    if (timeout < Infinity) cancelTimer = scheduleTimeout(() => stop('timeout'), timeout, clock);
    unwatch = signal && onAbort(signal, () => stop('abort'));
    const finish =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        settle(value);
        end();
      };
    work(controller.signal, checkDeadline).then(finish(resolve), finish(reject));
  });
}

/**
 * Runs a function one turn of I/O after a timeout, so that a response that is there is read first. A timer that is late tells of a
 * suspended process or a blocked event loop: the sockets get as much time as it was late.
 */
function scheduleTimeout(run: () => void, timeout: number, clock: Clock): () => void {
  const deadline = clock.now() + timeout;
  let cancel = clock.schedule(() => {
    const late = Math.max(0, clock.now() - deadline);
    cancel = clock.schedule(run, Math.min(late, LONGEST_GRACE));
  }, timeout);
  return () => cancel();
}

/** Waits some milliseconds, never less, or until the signal is aborted. */
export async function sleep(milliseconds: number, signal: AbortSignal, clock: Clock): Promise<void> {
  const due = clock.now() + milliseconds;
  // Timers may run a little early.
  for (let left = milliseconds; left > 0 && !signal.aborted; left = due - clock.now()) {
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(resolve, left);
      const give = (): void => {
        cancel();
        resolve();
      };
      signal.addEventListener('abort', give, { once: true });
    });
  }
}
