import { AbortError } from '../errors/local-errors.ts';
import { isServiceError, type ServiceError } from '../errors/service-error.ts';
import { runHook } from '../hooks.ts';
import type { Answer } from './answer.ts';
import type { CallOptions } from './call-options.ts';
import { sleep, startDeadline } from './deadline.ts';
import { noteDoubt, type Progress } from './progress.ts';
import type { Draft } from './request.ts';
import { planRetry, type RetryRule } from './retry.ts';
import { send, type Transport } from './send.ts';

/** Holds a call as it goes on over its attempts. */
export type Persistence = CallOptions & {
  readonly drafted: Draft;
  readonly rule: RetryRule;
  readonly progress: Progress;
};

/** Sends a request, and again where its rule, the number of attempts and the time allow, until `read` takes the answer. */
export async function persist<T>(
  call: Persistence,
  transport: Transport,
  read: (answer: Answer) => T,
): Promise<T> {
  const { settings, clock } = transport;
  const { drafted, progress, signal, timeout = settings.timeout } = call;
  const end = clock.now() + (call.totalTimeout ?? settings.totalTimeout);
  for (;;) {
    try {
      const limit = Math.min(timeout, Math.max(1, end - clock.now()));
      return read(await send(drafted, { progress, signal, timeout: limit }, transport));
    } catch (error) {
      const isSettled =
        isServiceError(error) && (error.outcome === 'rejected' || error.outcome === 'not_sent');
      if (!isSettled) noteDoubt(progress);
      const delay = planRetry(error, {
        rule: call.rule,
        attempts: progress.attempts,
        maxRetries: call.maxRetries ?? settings.maxRetries,
        left: end - clock.now(),
        random: () => clock.random(),
      });
      if (delay === undefined) throw error;
      await pause(error as ServiceError, { call, transport, delay, end });
    }
  }
}

// A timer set for longer goes off at once.
const longestTimer = 2_147_483_647;

async function pause(
  error: ServiceError,
  { call, transport, delay, end }: { call: Persistence; transport: Transport; delay: number; end: number },
): Promise<void> {
  const { settings, clock } = transport;
  const { drafted, progress, signal } = call;
  const { operation, method, url } = drafted;
  const attempt = progress.attempts;
  settings.log('warn', () => [
    `${method} ${url} is sent again in ${Math.round(delay)} ms`,
    { operation, attempt, error },
  ]);
  const hook = runHook(settings.hooks, 'onRetry', { operation, attempt, error, delay });
  const deadline = startDeadline({ timeout: Math.min(end - clock.now(), longestTimer), signal }, clock);
  try {
    await deadline.race(hook);
  } catch (cause) {
    if (deadline.stopped()?.kind !== 'abort') throw deadline.stopped() === undefined ? cause : error;
  } finally {
    deadline.end();
  }
  const due = clock.now() + delay;
  const rest = async (): Promise<void> => {
    const left = due - clock.now();
    if (left <= 0 || signal?.aborted === true) return;
    await sleep(left, signal, clock);
    await rest();
  };
  await rest();
  if (signal?.aborted !== true) return;
  const { outcome, attempts } = error;
  throw new AbortError('The call was aborted by its signal.', { outcome, attempts, cause: signal.reason });
}
