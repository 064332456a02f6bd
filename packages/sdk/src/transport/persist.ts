import { AbortError } from '../errors/local-errors.ts';
import { isServiceError, type ServiceError } from '../errors/service-error.ts';
import { runHook } from '../options/hooks.ts';
import type { Answer } from './answer.ts';
import { attempt, type Transport } from './attempt.ts';
import type { CallOptions } from './call-options.ts';
import { limit, sleep } from './limit.ts';
import { noteDoubt, type Progress } from './progress.ts';
import type { Draft } from './request.ts';
import { mayRepeatSafely, planReread, planRetry, type RetryRule } from './retry.ts';

/** Holds a call as it goes on over its attempts. */
export type Persistence = {
  readonly options: CallOptions;
  readonly draft: Draft;
  readonly mayRepeat: RetryRule | undefined;
  /** The time until which a 404 means that reads do not show the payment yet. */
  readonly unseenUntil: number | undefined;
  readonly progress: Progress;
};

/** Sends a request, and again where its rule, the number of attempts and the time allow, until `read` takes the answer. */
export async function persist<T>(
  call: Persistence,
  transport: Transport,
  read: (answer: Answer) => T | Promise<T>,
): Promise<T> {
  const { settings, clock } = transport;
  const { draft, progress, options, unseenUntil, mayRepeat = mayRepeatSafely } = call;
  const { signal, timeout = settings.timeout, totalTimeout = settings.totalTimeout } = options;
  const end = clock.now() + totalTimeout;
  for (let rereads = 0; ;) {
    const sentAt = clock.now();
    try {
      const most = Math.min(timeout, end - clock.now());
      return await attempt({ draft, progress, signal, timeout: most }, transport, read);
    } catch (error) {
      const outcome = isServiceError(error) ? error.outcome : undefined;
      if (outcome !== 'rejected' && outcome !== 'not_sent') noteDoubt(progress);
      const left = end - clock.now();
      const reread = planReread(error, { sentAt, unseenUntil, rereads, left, clock });
      if (reread !== undefined) rereads += 1;
      const retry = {
        mayRepeat,
        attempts: progress.attempts - rereads,
        maxRetries: options.maxRetries ?? settings.maxRetries,
        left,
        clock,
      };
      const delay = reread ?? planRetry(error, retry);
      if (delay === undefined) throw error;
      await pause(error as ServiceError, { call, transport, delay, end });
      // After a suspension, the pause can end before its own deadline is noticed.
      if (clock.now() >= end) throw error;
    }
  }
}

type Pause = {
  readonly call: Persistence;
  readonly transport: Transport;
  readonly delay: number;
  readonly end: number;
};

/** Waits before the next try, no longer than the call may take. */
function pause(error: ServiceError, { call, transport, delay, end }: Pause): Promise<void> {
  const { settings, clock } = transport;
  const { operation, method, url } = call.draft;
  const { signal } = call.options;
  const { attempts, outcome } = error;
  settings.log('warn', () => [
    `${method} ${url} is sent again in ${Math.round(delay)} ms`,
    { operation, attempt: attempts, error },
  ]);
  return limit(
    { timeout: end - clock.now(), signal, clock },
    async (over) => {
      await runHook(settings.hooks, 'onRetry', { operation, attempt: attempts, error, delay });
      await sleep(delay, over, clock);
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
