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
 * Does work until it is done, but no longer than its bounds, even where it does not listen to the signal that it is given.
 * Work whose caller gave it up before is not begun.
 *
 * @throws what `toError` makes, when the time is up or the signal is aborted.
 */
export function limit<T>(
  { timeout, signal, clock }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
  toError: (stop: Stop) => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
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
    if (signal?.aborted) return stop('abort');
    if (timeout < Infinity) cancelTimer = clock.schedule(() => stop('timeout'), timeout);
    unwatch = signal && onAbort(signal, () => stop('abort'));
    const finish =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        settle(value);
        end();
      };
    work(controller.signal).then(finish(resolve), finish(reject));
  });
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
