import { AbortError } from '../errors/local-errors.ts';
import { isServiceError, type ServiceError } from '../errors/service-error.ts';
import { runHook } from '../options/hooks.ts';
import type { ServiceResponse } from './response.ts';
import { sendAttempt, type ClientContext } from './attempt.ts';
import type { CallOptions } from './call-options.ts';
import { withDeadline, sleep } from './deadline.ts';
import { markUnknown, type CallState } from './call-state.ts';
import type { RequestDraft } from './request.ts';
import { mayRepeatSafely, planReread, planRetry, type RetryRule } from './retry.ts';

/** A call and its retry rules. */
export interface RetryingCall {
  readonly options: CallOptions;
  readonly draft: RequestDraft;
  readonly mayRepeat: RetryRule | undefined;
  /** The time until which a 404 means that reads do not show the payment yet. */
  readonly unseenUntil: number | undefined;
  readonly callState: CallState;
}

/** Sends a request, and retries it within the limits of its retry rule, `maxRetries` and `totalTimeout`. */
export async function sendWithRetries<T>(
  call: RetryingCall,
  context: ClientContext,
  read: (response: ServiceResponse) => T | Promise<T>,
): Promise<T> {
  const { settings, clock } = context;
  const { draft, callState, options, unseenUntil, mayRepeat = mayRepeatSafely } = call;
  const { signal, timeout = settings.timeout, totalTimeout = settings.totalTimeout } = options;
  const end = clock.now() + totalTimeout;
  for (let rereads = 0; ;) {
    const sentAt = clock.now();
    try {
      const limit = Math.min(timeout, end - clock.now());
      return await sendAttempt({ draft, callState, signal, timeout: limit }, context, read);
    } catch (error) {
      const outcome = isServiceError(error) ? error.outcome : undefined;
      if (outcome !== 'rejected' && outcome !== 'not_sent') markUnknown(callState);
      const left = end - clock.now();
      const reread = planReread(error, { sentAt, unseenUntil, rereads, left, clock });
      if (reread !== undefined) rereads += 1;
      const retry = {
        mayRepeat,
        attempts: callState.attempts - rereads,
        maxRetries: options.maxRetries ?? settings.maxRetries,
        left,
        clock,
      };
      const delay = reread ?? planRetry(error, retry);
      if (delay === undefined) throw error;
      await pause(error as ServiceError, { call, context, delay, end });
      // After a suspension, the pause can end before its deadline is noticed.
      if (clock.now() >= end) throw error;
    }
  }
}

interface Pause {
  readonly call: RetryingCall;
  readonly context: ClientContext;
  readonly delay: number;
  readonly end: number;
}

/** Waits before a retry, at most until the end of the call. */
function pause(error: ServiceError, { call, context, delay, end }: Pause): Promise<void> {
  const { settings, clock } = context;
  const { operation, method, url } = call.draft;
  const { signal } = call.options;
  const { attempts, outcome } = error;
  settings.log('warn', () => [
    `Retrying ${method} ${url} in ${Math.round(delay)} ms`,
    { operation, attempt: attempts, error },
  ]);
  return withDeadline(
    { timeout: end - clock.now(), signal, clock },
    async (stopped) => {
      await runHook(settings.hooks, 'onRetry', { operation, attempt: attempts, error, delay });
      await sleep(delay, stopped, clock);
    },
    (stop) =>
      stop === 'timeout'
        ? error
        : new AbortError('The call was aborted by its signal.', {
            outcome,
            attempts,
            cause: signal?.reason,
          }),
  );
}
