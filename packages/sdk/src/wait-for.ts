import { type Field, abortSignal, callable, duration, oneOf } from '@service/internal';
import type { CallOptions } from './options.ts';
import type { ClientContext } from './transport/response.ts';
import type { Payment } from './models.ts';
import { addCallerStack, createAbortError, parseUsage, ServiceError, WaitTimeoutError } from './errors.ts';
import { isMissing } from './outcome.ts';
import { type CheckDeadline, sleep, withDeadline } from './transport/deadline.ts';
import { isTemporary } from './transport/retry.ts';

/** The options of `payments.waitFor`. */
export interface WaitOptions {
  /**
   * The status to wait for, or `'final'` for any final one. A final status ends the wait in every case.
   *
   * @default 'final'
   * @example 'processing'
   */
  readonly until?: 'final' | 'pending' | 'processing' | 'completed' | 'failed' | undefined;
  /**
   * Maximum time of the whole wait in milliseconds, including `onStatus`.
   *
   * @default 60_000
   * @example 10_000
   */
  readonly timeout?: number | undefined;
  /**
   * Aborts the wait.
   *
   * @default none
   * @example controller.signal
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with the payment after its first retrieval and after each change of status. A promise is awaited.
   *
   * @default none
   */
  readonly onStatus?: ((payment: Payment) => unknown) | undefined;
  /**
   * First pause between two requests, in milliseconds. Each further pause is twice as long, up to 1 s during
   * the first 30 s, and up to 5 s after that.
   *
   * @default 250
   */
  readonly pollInterval?: number | undefined;
}

const fields = {
  until: oneOf('final', 'pending', 'processing', 'completed', 'failed'),
  timeout: duration,
  signal: abortSignal,
  onStatus: callable<(payment: Payment) => unknown>(),
  pollInterval: duration,
} as const satisfies Record<keyof WaitOptions, Field>;

/** The time after which a payment is polled less often, in milliseconds. */
const FAST_POLLING_TIME = 30_000;

/**
 * Polls a payment until it has the requested status. See `payments.waitFor`.
 *
 * @param knownSince The time at which this client created the payment. Undefined if it did not.
 */
export async function waitForPayment(
  options: WaitOptions | undefined,
  { clock, settings }: ClientContext,
  retrieve: (options: CallOptions) => Promise<Payment>,
  knownSince: number | undefined,
): Promise<Payment> {
  try {
    const plan = parseUsage('The options of waitFor', options ?? {}, fields);
    const { timeout = 60_000, until = 'final', pollInterval = 250, signal } = plan;
    const start = clock.now();
    const unseenUntil = (knownSince ?? start) + settings.readLag;
    let last: Payment | undefined;
    let failure: unknown;
    let hint = '';
    const poll = async (over: AbortSignal, checkDeadline: CheckDeadline): Promise<Payment> => {
      for (let pause = pollInterval; ;) {
        const before = last?.status;
        checkDeadline();
        const sentAt = clock.now();
        hint = ' The last request received no response.';
        try {
          last = await retrieve({ signal: over, maxRetries: 0 });
          failure = undefined;
        } catch (error) {
          if (!(isMissing(error) && sentAt < unseenUntil) && !isTemporary(error)) throw error;
          failure = error;
        }
        hint = ' `onStatus` has not finished.';
        if (last && last.status !== before) await plan.onStatus?.(last);
        // An undocumented status is not final (docs/contract.md#profile-settings).
        if (last && (last.status === until || /^(completed|failed)$/.test(last.status))) return last;
        hint = '';
        const { retryDelay = 0 } = failure instanceof ServiceError ? failure : {};
        await sleep(Math.max(pause, retryDelay), over, clock);
        const longest = clock.now() - start < FAST_POLLING_TIME ? 1_000 : 5_000;
        pause = Math.max(pause, Math.min(pause * 2, longest));
      }
    };
    return await withDeadline({ timeout, signal, clock }, poll, (stop) => {
      if (stop === 'abort') return createAbortError(signal, { outcome: 'not_sent' }, 'waitFor');
      const status = last ? `Its last status was ${JSON.stringify(last.status)}.` : 'It was never retrieved.';
      return new WaitTimeoutError(
        `The payment did not become '${until}' before the timeout. ${status}${hint} It can still change: wait again, or retrieve it later.`,
        { last, cause: failure },
      );
    });
  } catch (error) {
    throw addCallerStack(error, waitForPayment);
  }
}
