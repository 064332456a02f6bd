import type { Mode } from '@service/contract';
import { createAbortError, TimeoutError } from '../errors/error-classes.ts';
import { redactCause } from '../errors/redact.ts';
import {
  addCallerStack,
  type ErrorFacts,
  isControlFlow,
  isServiceError,
  ServiceError,
} from '../errors/service-error.ts';
import { runHook } from '../options/hooks.ts';
import type { ClientContext } from './client-context.ts';
import { type StopReason, sleep, withDeadline } from './clock.ts';
import {
  type CallOptions,
  type Draft,
  type OperationRequest,
  parseCallOptions,
  prepareRequest,
  signRequest,
} from './request.ts';
import {
  type CallResult,
  parseResponse,
  type ReadData,
  readResult,
  type ServiceResponse,
} from './response.ts';
import { planRetry, type RetryContext } from './retry.ts';
import { type Attempt, type CallContext, type CallState, pickFacts, sendRequest } from './send.ts';

/**
 * A promise of the result of a call. The request is sent when the call is made, and not again when the
 * promise is awaited twice. A failed call that is awaited neither directly nor with
 * `withResponse()` is an unhandled rejection, so that no failed payment goes unnoticed.
 *
 * @example
 * const payment = await client.payments.retrieve(id);
 * const { data, requestId } = await client.payments.retrieve(id).withResponse();
 */
export type Call<T, M extends Mode = Mode> = Promise<T> & {
  /** Returns the result together with the response and metadata. Sends no further request. */
  readonly withResponse: () => Promise<CallResult<T, M>>;
};

/** Starts a call. `work` sends its requests, and an error of `work` rejects the call. */
export function startCall<T, M extends Mode>(
  context: ClientContext,
  options: CallOptions | undefined,
  work: (call: CallContext) => Promise<CallResult<T, M>>,
): Call<T, M> {
  const start = async (): Promise<CallResult<T, M>> => {
    try {
      return await work(createCallContext(context, parseCallOptions(options)));
    } catch (error) {
      context.settings.log('error', () => [
        `The call failed: ${String(error)}`,
        { error: redactCause(error) },
      ]);
      throw addCallerStack(error, start);
    }
  };
  let result: CallResult<T, M>;
  // A single chain of promises, so that async stack traces reach the awaiting code.
  const data = start().then((whole) => {
    result = whole;
    return whole.data;
  });
  const withResponse = (): Promise<CallResult<T, M>> => data.then(() => result);
  return Object.assign(data, { withResponse });
}

/** Creates the context of a call that has sent nothing. */
export function createCallContext(context: ClientContext, options: CallOptions): CallContext {
  const progress = { phase: 'preparing', received: '' } as const;
  const state = { attempts: 0, sentAt: undefined, unknownPhase: undefined, paymentId: undefined, progress };
  return { ...context, options, state };
}

/**
 * Sends the request of an operation, and retries it within the limits of its retry rules, `maxRetries` and
 * `totalTimeout`.
 *
 * @param read Converts `data` to the result.
 */
export async function callOperation<T, M extends Mode>(
  call: CallContext,
  request: OperationRequest,
  read: ReadData<T>,
): Promise<CallResult<T, M>> {
  const { settings, clock, options, state } = call;
  const { timeout = settings.timeout, totalTimeout = settings.totalTimeout } = options;
  const draft = prepareRequest(request, options, settings);
  const end = clock.now() + totalTimeout;
  for (let rereads = 0; ;) {
    const sentAt = clock.now();
    try {
      return await runAttempt(
        draft,
        { ...call, timeout: Math.min(timeout, end - sentAt) },
        (received, attempt) => readResult<T, M>(received, attempt, read),
      );
    } catch (error) {
      recordFailure(error, state);
      const failed = { ...call, draft, sentAt, rereads, left: end - clock.now() };
      const retry = planRetry(error, failed);
      if (retry === undefined) throw error;
      rereads += Number(retry.isReread);
      await pause(error as ServiceError, retry.delay, failed);
      // After a suspension, the pause can end before its deadline is noticed.
      if (clock.now() >= end) throw error;
    }
  }
}

/**
 * Sends one request within its timeout: signs it, sends it, and reads its response.
 *
 * @throws {ServiceError} when the request fails. Its `outcome` is that of the request.
 */
export function runAttempt<T>(
  draft: Draft,
  call: CallContext & { readonly timeout: number },
  read: (received: ServiceResponse, attempt: Attempt) => T | Promise<T>,
): Promise<T> {
  const { state, clock, timeout, options } = call;
  const progress = (state.progress = { phase: 'preparing', received: '' });
  return withDeadline(
    { timeout, signal: options.signal, clock },
    async (signal, checkDeadline) => {
      const attempt = { ...call, draft, progress, signal, checkDeadline };
      try {
        const signed = await signRequest(attempt);
        const response = await sendRequest(signed, attempt);
        return await read(parseResponse(response, signed.key, attempt), attempt);
      } catch (error) {
        if (isServiceError(error) || isControlFlow(error)) throw error;
        // The runtime lacks a function, for example.
        throw new ServiceError('The request failed.', { ...pickEndFacts(call), cause: redactCause(error) });
      }
    },
    (stop) => toStopError(stop, call),
  );
}

/** Returns the error fields of a call that ends during a request. */
function pickEndFacts({ state }: CallContext): ErrorFacts {
  const { progress } = state;
  if (progress.phase === 'waiting' && progress.isBodyRead === false) progress.phase = 'preparing';
  return pickFacts(state, progress.phase === 'preparing' ? 'not_sent' : 'unknown');
}

function toStopError(stop: StopReason, call: CallContext): ServiceError {
  const facts = pickEndFacts(call);
  if (stop === 'abort') return createAbortError(call.options.signal, facts);
  return new TimeoutError(
    facts.outcome === 'not_sent'
      ? 'The timeout passed before the request could be sent; nothing was sent. Check the apiKey function and the onRequest hook, if you use them.'
      : 'The response did not arrive before the timeout.',
    facts,
  );
}

/** Records a request that may have been carried out, and the payment id in its response. */
function recordFailure(error: unknown, state: CallState): void {
  const { phase, received } = state.progress;
  const outcome = isServiceError(error) ? error.outcome : undefined;
  if (phase === 'preparing' || outcome === 'rejected' || outcome === 'not_sent') return;
  state.unknownPhase = phase;
  // The closing quote is required, because a truncated response can end within the id.
  state.paymentId ??= /"id"\s*:\s*"(pay_(?:test|live)_[\w-]+)"/.exec(received)?.[1];
}

/** Waits before a retry, at most until the end of the call. */
function pause(
  error: ServiceError,
  delay: number,
  { draft, left, settings, clock, options }: RetryContext,
): Promise<void> {
  const { operation, method, url } = draft;
  const { attempts: attempt, outcome } = error;
  const { signal } = options;
  settings.log('warn', () => [
    `Retrying ${method} ${url} in ${Math.round(delay)} ms`,
    { operation, attempt, error },
  ]);
  return withDeadline(
    { timeout: left, signal, clock },
    async (stopped) => {
      await runHook(settings.hooks, 'onRetry', { operation, attempt, error, delay });
      await sleep(delay, stopped, clock);
    },
    (stop) => (stop === 'timeout' ? error : createAbortError(signal, { outcome, attempts: attempt })),
  );
}
