import { onAbort } from './abort.ts';
import type { Clock } from './clock.ts';

/** Says what ended a request early. */
export type Stop = { readonly kind: 'timeout' } | { readonly kind: 'abort'; readonly reason: unknown };

/** Ends work that takes too long or that its caller gives up. */
export type Deadline = {
  /** Fires when the work is ended; for `fetch`. */
  readonly signal: AbortSignal;
  /** Says why the work was ended; undefined while it was not. */
  stopped(): Stop | undefined;
  /** Waits for a step, but no longer than the deadline, even where the step does not listen to `signal`. */
  race<T>(step: Promise<T>): Promise<T>;
  /** Removes the timer and the listener; the work is over. */
  end(): void;
};

/** Lists what a deadline watches: milliseconds, and the caller's signal. */
export type DeadlineOptions = { readonly timeout: number; readonly signal: AbortSignal | undefined };

/** Starts a deadline; a signal that was aborted before stops it at once. */
export function startDeadline({ timeout, signal }: DeadlineOptions, clock: Clock): Deadline {
  const controller = new AbortController();
  let stop: Stop | undefined;
  let giveUp: (reason: Error) => void = ignore;
  const over = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  over.catch(ignore);
  const stopWith = (reason: Stop): void => {
    stop ??= reason;
    giveUp(new Error(reason.kind));
    controller.abort();
  };
  const abort = (): void => stopWith({ kind: 'abort', reason: signal?.reason });
  const cancelTimer = clock.schedule(() => stopWith({ kind: 'timeout' }), timeout);
  const ignoreSignal = onAbort(signal, abort);
  if (signal?.aborted === true) abort();
  return {
    signal: controller.signal,
    stopped: () => stop,
    race: (step) => Promise.race([over, step]),
    end: () => {
      cancelTimer();
      ignoreSignal();
    },
  };
}

/** Waits some milliseconds, or less when the signal is aborted or something else comes first. */
export async function sleep(
  milliseconds: number,
  signal: AbortSignal | undefined,
  { until = new Promise(ignore), ...clock }: Clock & { readonly until?: Promise<void> },
): Promise<void> {
  const deadline = startDeadline({ timeout: milliseconds, signal }, clock);
  await deadline.race(until).catch(ignore);
  deadline.end();
}

function ignore(): void {}
