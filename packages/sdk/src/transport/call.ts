import type { Mode } from '@service/contract';
import { copyOwn } from '@service/internal';
import {
  addCallerStack,
  callUser,
  ConnectionError,
  createAbortError,
  isControlFlow,
  type RequestPhase,
  ServiceError,
  TimeoutError,
  UnreadableResponseError,
} from '../errors.ts';
import { resolveKey } from '../key.ts';
import { type CallOptions, noOptions, parseCallOptions, reserved, type Settings } from '../options.ts';
import { findUnknownPhase, outcomeOfFailure, type Progress } from '../outcome.ts';
import { redactCause } from '../redact.ts';
import { type CheckDeadline, type Clock, type StopReason, withDeadline } from './deadline.ts';
import {
  type CallResult,
  type ClientContext,
  type Draft,
  parseResponse,
  pickFacts,
  type ReadData,
  readRequestId,
  readResult,
  receiveBody,
  type ServiceResponse,
  toCallResult,
} from './response.ts';
import { isReplayed, pause, planReread, planRetry } from './retry.ts';
import { toStream } from './stream.ts';

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
      call = new CallContext(context, options === undefined ? noOptions : parseCallOptions(options));
      return await work(call);
    } catch (error) {
      throw addCallerStack(error, start);
    }
  };
  const data = start();
  return Object.assign(data, { withResponse: () => data.then((result) => toCallResult(result, call)) });
}

/** A call: its options, and what its requests have done so far. All fields are own ones: a polluted prototype adds none. */
export class CallContext implements ClientContext {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly options: CallOptions;
  /** Number of requests that were passed to `fetch`. */
  attempts = 0;
  /** The time at which the first request was sent, by both clocks. */
  sent: { readonly at: Date; readonly now: number } | undefined;
  /** The idempotency key of all requests; undefined if they have none, or before the first one. */
  idempotencyKey: string | undefined;
  /** The progress of the last request with an unknown outcome; undefined if there is none. */
  unknownPhase: RequestPhase | undefined;
  /** The payment id in the response to such a request. */
  paymentId: string | undefined;
  /** The latest request. */
  attempt: Attempt | undefined;
  /** The response of the result. */
  received: ServiceResponse | undefined;

  constructor({ settings, clock }: ClientContext, options: CallOptions) {
    this.settings = settings;
    this.clock = clock;
    this.options = options;
    this.idempotencyKey = options.idempotencyKey;
  }
}

/**
 * One request of a call, updated while it runs. A stopped request updates only itself, and is not read again.
 */
export class Attempt implements Progress {
  readonly call: CallContext;
  readonly draft: Draft;
  /** The monotonic time at which the request began. */
  readonly startedAt: number;
  phase: Progress['phase'] = 'preparing';
  isBodyRead: boolean | undefined;
  /** Returns the received part of the response body. */
  readText: () => string = () => '';
  /** Ends the reading of the body. */
  cancelBody: (() => void) | undefined;
  response: Response | undefined;
  mode: Mode | undefined;

  constructor(call: CallContext, draft: Draft) {
    this.call = call;
    this.draft = copyOwn(draft) as unknown as Draft;
    this.startedAt = call.clock.now();
  }
}

/**
 * Sends the request of an operation, and retries it within the limits of its retry rules, `maxRetries` and
 * `totalTimeout`.
 *
 * @param read Converts `data` to the result.
 */
export async function callOperation<T>(
  call: CallContext,
  request: Omit<Draft, 'read'>,
  read: ReadData<T>,
): Promise<T> {
  const { settings, clock, options } = call;
  const draft: Draft = { ...request, read };
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
      await pause(error, delay, call);
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
  const attempt = new Attempt(call, draft);
  call.attempt = attempt;
  return withDeadline(
    { timeout: Math.min(timeout, end - attempt.startedAt), signal, clock },
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

/**
 * Sends the request of an attempt and reads its response: resolves the API key, checks the request for its mode,
 * runs the `onRequest` hook, and passes the request to `fetch`.
 *
 * @throws {ServiceError} when no valid response is received. Its `outcome` is that of the request.
 */
async function exchange<T>(
  attempt: Attempt,
  read: (received: ServiceResponse) => T,
  signal: AbortSignal,
  checkDeadline: CheckDeadline,
): Promise<T> {
  const { call, draft } = attempt;
  const { settings, clock } = call;
  const { onRequest, onResponse } = settings;
  try {
    let { apiKey: key } = settings;
    if (typeof key === 'function') {
      key = await resolveKey(key, settings);
      checkDeadline();
    }
    draft.check?.(key.mode);
    if (draft.operation === 'createPayment' && settings.idempotencyKeys === 'send')
      call.idempotencyKey ??= clock.unique();
    const { operation, method, path, query, body } = draft;
    const search = query ? String(new URLSearchParams(query as Record<string, string>)) : '';
    const url = settings.baseUrl + path + (search && `?${search}`);
    const facts = { operation, method, url, attempt: call.attempts + 1 };
    const headers: Record<string, string> = {};
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
    if (onRequest) {
      const extended = new Headers(headers);
      await callUser('The onRequest hook', () => onRequest({ ...facts, headers: extended }));
      // With another idempotency key, a retry would create a second payment.
      for (const [name, value] of extended) if (!reserved.test(name)) headers[name] = value;
    }
    headers.accept = 'application/json';
    headers.authorization = `Bearer ${key.secret}`;
    const init: RequestInit & { duplex?: 'half' } = { method, headers, signal, redirect: 'manual' };
    // The `fetch` of a framework, such as Next, caches reads.
    if (settings.hasNoStore) init.cache = 'no-store';
    if (body !== undefined && draft.isSentOnce && settings.hasStreams) {
      const bytes = new TextEncoder().encode(body);
      // Without a length, Node sends the body in chunks, which some servers reject. Deno always sends chunks.
      headers['content-length'] = String(bytes.byteLength);
      init.duplex = 'half';
      init.body = toStream(body, bytes, attempt);
    } else if (body !== undefined) init.body = body;
    // The key function, a hook or a suspension can have used up the time. No other code may run before `fetch`.
    checkDeadline();
    const isRepeated = draft.isSentOnce && call.unknownPhase !== undefined;
    // After a suspension, before any timer has fired.
    const ended = 'Not sent: the lease or the keyRetention has ended.';
    if (draft.isExpired?.() || (isRepeated && !isReplayed(call)))
      throw new TimeoutError(ended, pickFacts(call, 'not_sent'));
    attempt.phase = 'waiting';
    call.attempts += 1;
    const start = clock.now();
    call.sent ??= { at: clock.date(), now: start };
    // The global `fetch` is looked up at each call, so that a later replacement applies.
    const { fetch = globalThis.fetch } = settings;
    let isComplete: boolean;
    try {
      isComplete = await receiveBody(await fetch(url, init), attempt, signal);
    } catch (cause) {
      throw toConnectionError(cause, attempt);
    }
    if (!isComplete) {
      const problem = 'The response cannot be read: it is larger than 8 MiB.';
      throw new UnreadableResponseError(problem, pickFacts(call, 'unknown'));
    }
    // After a stop, no hook runs for the response.
    if (signal.aborted) throw new Error('The call has ended.');
    if (onResponse) {
      const { status, headers: received } = attempt.response as Response;
      const timed = { requestId: readRequestId(attempt), duration: clock.now() - start };
      const seen = { ...facts, status, headers: received, ...timed };
      // The response was received but not read, so the outcome is unknown.
      await callUser('The onResponse hook', () => onResponse(seen), pickFacts(call, 'unknown'));
    }
    return read(parseResponse(key, attempt));
  } catch (error) {
    if (error instanceof ServiceError || isControlFlow(error)) throw error;
    // The runtime lacks a function, for example.
    const facts = pickFacts(call, outcomeOfFailure(attempt));
    throw new ServiceError('The request failed.', { ...facts, cause: redactCause(error) });
  }
}

/** Converts the failure of a request, except the control flow of a framework, to an error with its outcome. */
function toConnectionError(cause: unknown, attempt: Attempt): unknown {
  const outcome = outcomeOfFailure(attempt, cause);
  const { isSentOnce, operation } = attempt.draft;
  // `payments.create` reports its own unknown outcome.
  const isReported = outcome === 'not_sent' || !isSentOnce || operation === 'createPayment';
  if (isControlFlow(cause) && isReported) return cause;
  const address = new URL(attempt.call.settings.baseUrl).origin;
  const message =
    outcome === 'not_sent'
      ? `The service at ${address} could not be reached; nothing was sent.`
      : `The connection to ${address} failed before the response was complete.`;
  const facts = pickFacts(attempt.call, outcome);
  return new ConnectionError(message, { ...facts, address, cause: redactCause(cause) });
}
