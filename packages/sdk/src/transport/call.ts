import type { OperationId } from '@service/contract';
import {
  addCallerStack,
  callUser,
  ConnectionError,
  createAbortError,
  ServiceError,
  TimeoutError,
} from '../errors.ts';
import { type CallOptions, noOptions, parseCallOptions } from '../options.ts';
import { findUnknownPhase, isMissing, outcomeOfFailure } from '../outcome.ts';
import { sleep, type StopReason, withDeadline } from './deadline.ts';
import { exchange, isReplayed } from './http.ts';
import {
  type Attempt,
  type CallContext,
  type CallResult,
  type ClientContext,
  type Draft,
  pickFacts,
  type ReadData,
  readResult,
  toCallResult,
  type ServiceResponse,
} from './response.ts';

/**
 * A promise of the result of a call. The request is sent when the call is made, and not again when the
 * promise is awaited twice. A failed call that is awaited neither directly nor with
 * `withResponse()` is an unhandled rejection, so that no failed payment goes unnoticed.
 *
 * @example
 * const payment = await client.payments.retrieve(id);
 * const { data, requestId } = await client.payments.retrieve(id).withResponse();
 */
export type Call<T> = Promise<T> & {
  /** Returns the result together with the response and metadata. Sends no further request. */
  readonly withResponse: () => Promise<CallResult<T>>;
};

/** Starts a call. `work` sends its requests, and an error of `work` rejects the call. */
export function startCall<T>(
  context: ClientContext,
  options: CallOptions | undefined,
  work: (call: CallContext) => Promise<T>,
): Call<T> {
  let call: CallContext;
  // A single chain of promises, so that async stack traces reach the awaiting code.
  const start = async (): Promise<T> => {
    try {
      call = createCall(context, options === undefined ? noOptions : parseCallOptions(options));
      return await work(call);
    } catch (error) {
      throw addCallerStack(error, start);
    }
  };
  const data = start();
  return Object.assign(data, { withResponse: () => data.then((result) => toCallResult(result, call)) });
}

/** Creates a call that has sent nothing. */
export function createCall(context: ClientContext, options: CallOptions): CallContext {
  // All fields are own ones: a polluted prototype must not add any.
  return {
    ...context,
    options,
    attempts: 0,
    sent: undefined,
    idempotencyKey: options.idempotencyKey,
    unknownPhase: undefined,
    paymentId: undefined,
    attempt: undefined,
    received: undefined,
  };
}

/** The fields that most requests do not have. Own properties, so that a polluted prototype adds none. */
export const noFields = {
  query: undefined,
  body: undefined,
  amount: undefined,
  check: undefined,
  isSentOnce: false,
  isExpired: undefined,
  needsKey: false,
  unseenUntil: undefined,
} as const;

/** The request of an operation, with {@link noFields}. See {@link Draft}. */
export type OperationRequest = Omit<Draft, 'url' | 'headers' | 'read'> & {
  readonly operation: OperationId;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>> | undefined;
};

/**
 * Sends the request of an operation, and retries it within the limits of its retry rules, `maxRetries` and
 * `totalTimeout`.
 *
 * @param read Converts `data` to the result.
 */
export async function callOperation<T>(
  call: CallContext,
  request: OperationRequest,
  read: ReadData<T>,
): Promise<T> {
  const { settings, clock, options } = call;
  const headers: Record<string, string> = { ...settings.headers, ...options.headers };
  const { path, query } = request;
  const search = query ? String(new URLSearchParams(query as Record<string, string>)) : '';
  const url = settings.baseUrl + path + (search && `?${search}`);
  const draft: Draft = { ...request, read, url, headers };
  if (draft.body !== undefined) headers['content-type'] = 'application/json';
  const { totalTimeout = settings.totalTimeout } = options;
  const end = totalTimeout === Infinity ? Infinity : clock.now() + totalTimeout;
  for (let rereads = 0; ;) {
    try {
      return (await runAttempt(call, draft, readResult, end)) as T;
    } catch (error) {
      const attempt = call.attempt as Attempt;
      const phase = findUnknownPhase(attempt, error);
      if (phase) {
        call.unknownPhase = phase;
        // The closing quote is required, because a truncated response can end within the id.
        call.paymentId ??= /"id"\s*:\s*"(pay_(?:test|live)_[\w-]+)"/.exec(attempt.readText())?.[1];
      }
      if (!(error instanceof ServiceError)) throw error;
      const left = end - clock.now();
      const lag = planReread(error, attempt, rereads);
      const delay = lag ?? planRetry(error, attempt, call.attempts - rereads);
      // The wait is never shorter than `Retry-After`.
      if (delay === undefined || delay >= left) throw error;
      if (lag !== undefined) rereads += 1;
      await pause(error, delay, left, attempt);
      // After a suspension, the pause can end before its deadline is noticed.
      if (clock.now() >= end) throw error;
    }
  }
}

/**
 * Sends one request within its timeout and reads its response.
 *
 * @param end The monotonic time at which the call ends.
 * @throws {ServiceError} when the request fails. Its `outcome` is that of the request.
 */
export function runAttempt<T>(
  call: CallContext,
  draft: Draft,
  read: (received: ServiceResponse) => T,
  end: number,
): Promise<T> {
  const { settings, clock, options } = call;
  const { timeout = settings.timeout, signal } = options;
  const startedAt = clock.now();
  const attempt: Attempt = {
    call,
    draft,
    startedAt,
    phase: 'preparing',
    isBodyRead: undefined,
    readText: () => '',
    cancelBody: undefined,
    response: undefined,
    mode: undefined,
  };
  call.attempt = attempt;
  return withDeadline(
    { timeout: Math.min(timeout, end - startedAt), signal, clock },
    (exchange<T>).bind(undefined, attempt, read),
    (stop) => toStopError(stop, attempt),
  );
}

function toStopError(stop: StopReason, attempt: Attempt): ServiceError {
  const { call } = attempt;
  // A `fetch` that ignores its signal would go on reading.
  attempt.cancelBody?.();
  const facts = pickFacts(call, outcomeOfFailure(attempt));
  if (stop === 'abort') return createAbortError(call.options.signal, facts);
  return new TimeoutError(
    facts.outcome === 'not_sent'
      ? 'The timeout passed; nothing was sent. Check the apiKey function and the onRequest hook.'
      : 'The response did not arrive before the timeout.',
    facts,
  );
}

/** Waits before a retry, at most until the end of the call. */
function pause(error: ServiceError, delay: number, left: number, { call, draft }: Attempt): Promise<void> {
  const { settings, clock, options } = call;
  const { attempts, outcome } = error;
  const { signal } = options;
  return withDeadline(
    { timeout: left, signal, clock },
    async (stopped) => {
      const retry = { operation: draft.operation, attempt: attempts, error, delay };
      await callUser('The onRetry hook', () => settings.onRetry?.(retry));
      await sleep(delay, stopped, clock);
    },
    (stop) => (stop === 'timeout' ? error : createAbortError(signal, { outcome, attempts })),
  );
}

/** Maximum wait between two requests of a call, in milliseconds. */
const LONGEST_WAIT = 60_000;
const MAX_BACKOFF = 8_000;

/** Returns the wait before the retry of a failed request in milliseconds; undefined if it must not be retried. */
function planRetry(error: ServiceError, { call, draft }: Attempt, attempts: number): number | undefined {
  const { settings, clock, options } = call;
  const { maxRetries = settings.maxRetries } = options;
  // 0 attempts: the client rejected the call, which would fail again, or the caller aborted it.
  if (attempts > maxRetries || error.attempts === 0 || !mayRepeat(error, draft, call)) return undefined;
  const { retryDelay = clock.random() * Math.min(MAX_BACKOFF, 500 * 2 ** (attempts - 1)) } = error;
  return retryDelay <= LONGEST_WAIT ? retryDelay : undefined;
}

/**
 * Returns the wait in milliseconds before a payment that exists, but that reads do not show yet, is retrieved
 * again. Returns undefined for any other error, and for a 404 to a request that was sent after the read lag.
 */
function planReread(
  error: ServiceError,
  { call, draft: { unseenUntil }, startedAt }: Attempt,
  rereads: number,
): number | undefined {
  if (unseenUntil === undefined || !isMissing(error) || startedAt >= unseenUntil) return undefined;
  const lag = Math.max(0, unseenUntil - call.clock.now());
  const wait = Math.max(Math.min(100 * 2 ** rereads, 1_000, lag), error.retryDelay ?? 0);
  return wait <= lag ? wait : undefined;
}

function mayRepeat(error: ServiceError, { isSentOnce }: Draft, call: CallContext): boolean {
  if (!isSentOnce) return isTemporary(error);
  // No request of the call has an unknown outcome, so no payment can exist.
  const isProven = call.unknownPhase === undefined;
  if (isProven && (error instanceof ConnectionError || error.status === 429)) return true;
  return isReplayed(call) && isTemporary(error);
}

/** Returns true for a temporary failure. Requests that change nothing, such as reads, are then repeated. */
function isTemporary(error: ServiceError): boolean {
  if (error instanceof ConnectionError) return true;
  if (error instanceof TimeoutError) return error.outcome === 'unknown';
  // These errors can have a status too, but it is not their cause.
  if (/^(UnreadableResponse|ModeMismatch|Configuration|Abort)Error$/.test(error.name)) return false;
  return [408, 429, 500, 502, 503, 504].includes(Number(error.status));
}
