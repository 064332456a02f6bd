import { UnreadableResponseError } from '../errors/response-errors.ts';
import { AbortError, ConfigurationError, ConnectionError, TimeoutError } from '../errors/local-errors.ts';
import { cleanText } from '../errors/clean-text.ts';
import { redactCause, redactText } from '../errors/redact.ts';
import type { ServiceError } from '../errors/service-error.ts';
import { type HeaderFields, reserved } from '../options/headers.ts';
import { type RequestFacts, runHook } from '../options/hooks.ts';
import { maskBody } from '../options/log.ts';
import type { Settings } from '../options/options.ts';
import { warnOfDeprecation } from '../options/warnings.ts';
import { resolveKey } from './resolve-key.ts';
import { type ServiceResponse, toServiceResponse } from './response.ts';
import type { Clock } from './clock.ts';
import type { KnownPayments } from './known-payments.ts';
import { type CheckDeadline, withDeadline, type StopReason } from './deadline.ts';
import { outcomeOfFailure } from './outcome.ts';
import { pickFacts, type CallState, type AttemptState, createAttemptState } from './call-state.ts';
import { receiveBody } from './response-body.ts';
import { type RequestDraft, toInit } from './request.ts';

/** The parts that all requests of a client share. */
export interface ClientContext {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly known: KnownPayments;
}

/** A request to send once, its limits, and the state of its call. */
export interface Attempt {
  readonly draft: RequestDraft;
  readonly callState: CallState;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends one request within its timeout: resolves the API key, checks the URL, runs the hooks, signs, sends,
 * and reads the response.
 *
 * @throws {ServiceError} when the request fails. Its `outcome` is that of the request.
 */
export function sendAttempt<T>(
  attempt: Attempt,
  context: ClientContext,
  read: (response: ServiceResponse) => T | Promise<T>,
): Promise<T> {
  const attemptState = (attempt.callState.attemptState = createAttemptState());
  return withDeadline(
    { timeout: attempt.timeout, signal: attempt.signal, clock: context.clock },
    async (signal, checkDeadline) =>
      read(await sendSigned(attempt, { attemptState, signal, checkDeadline, ...context })),
    (stop) => toStopError(stop, attempt),
  );
}

interface AttemptContext extends ClientContext {
  readonly attemptState: AttemptState;
  readonly signal: AbortSignal;
  readonly checkDeadline: CheckDeadline;
}

async function sendSigned({ draft, callState }: Attempt, context: AttemptContext): Promise<ServiceResponse> {
  const { attemptState, signal, checkDeadline, settings, clock } = context;
  const { apiKey, hooks, log } = settings;
  const key = typeof apiKey === 'function' ? await resolveKey(settings) : apiKey;
  checkDeadline();
  draft.check?.(key.mode);
  const { operation, method, url } = draft;
  const facts = { operation, method, url, attempt: callState.attempts + 1 };
  const headers = hooks.onRequest ? await runRequestHook(draft.headers, facts, settings) : draft.headers;
  const send = settings.toSend(url, toInit(draft, sign(headers, key.secret, settings), signal));
  // The key function, a hook or a suspension can have used up the time. No other code may run before `fetch`.
  checkDeadline();
  // After a suspension, the lease or the key retention can have ended before any timer has fired.
  if (draft.isTooLate?.()) throw toLateError(callState);
  attemptState.phase = 'waiting';
  callState.attempts += 1;
  callState.sentAt ??= clock.date();
  const start = clock.now();
  const exchange = fetchResponse(send, { draft, callState, secret: key.secret, ...context });
  log('debug', () => [`Sent ${method} ${url}`, { ...facts, body: maskBody(draft.body) }]);
  const response = await exchange;
  throwIfEnded(signal);
  warnOfDeprecation(response.headers, settings);
  const { status } = response;
  const seen = { ...facts, status, requestId: attemptState.requestId, duration: clock.now() - start };
  log('info', () => [`Received ${status} for ${method} ${url}`, seen]);
  if (hooks.onResponse) {
    await runHook(hooks, 'onResponse', { ...seen, headers: response.headers }).catch(({ message, cause }) => {
      // The response was received but not read, so the outcome is unknown.
      throw new ConfigurationError(message, { ...pickFacts(callState), outcome: 'unknown', cause });
    });
  }
  return toServiceResponse(response, callState, { key, sent: draft.body });
}

function toLateError(callState: CallState): TimeoutError {
  return new TimeoutError(
    'The request was not sent: the lease of its reference or the retention time of its idempotency key has ended.',
    { ...pickFacts(callState), outcome: 'not_sent' },
  );
}

/** Throws if the call was already rejected, so that no hook runs for its response. */
function throwIfEnded(signal: AbortSignal): void {
  if (signal.aborted) throw new Error('The call has ended.');
}

/**
 * Runs the `onRequest` hook and returns the headers with its changes. The hook does not see the API key, and
 * cannot change reserved headers: with another idempotency key, a retry would create a second payment.
 */
async function runRequestHook(
  fields: HeaderFields,
  facts: RequestFacts,
  { hooks }: Settings,
): Promise<HeaderFields> {
  const headers = new Headers(fields);
  await runHook(hooks, 'onRequest', { ...facts, headers });
  return { ...pickFields([...headers], false), ...pickFields(Object.entries(fields), true) };
}

function pickFields(entries: [string, string][], isReserved: boolean): HeaderFields {
  return Object.fromEntries(entries.filter(([name]) => reserved.test(name) === isReserved));
}

/** Converts headers to fields and removes API keys: the service rejects two different ones. */
export function toFields(headers: Headers): HeaderFields {
  headers.delete('authorization');
  headers.delete('x-api-key');
  return Object.fromEntries(headers);
}

function sign(headers: HeaderFields, secret: string, { auth }: Settings): HeaderFields {
  const accept = 'application/json';
  return auth === 'bearer'
    ? { ...headers, accept, authorization: `Bearer ${secret}` }
    : { ...headers, accept, 'x-api-key': secret };
}

interface FetchContext extends AttemptContext {
  readonly draft: RequestDraft;
  readonly callState: CallState;
  readonly secret: string;
}

/**
 * Sends a request and receives its whole response. Converts a failure to an error with the outcome of the
 * request.
 */
async function fetchResponse(
  send: () => Promise<Response>,
  { draft, callState, secret, attemptState, signal }: FetchContext,
): Promise<Response> {
  let isComplete: boolean;
  let response: Response;
  try {
    response = await send();
    if (response.type === 'error') throw new Error('fetch returned an error response');
    // A `fetch` that ignores its signal can respond after the call was rejected.
    if (signal.aborted) await response.body?.cancel();
    attemptState.phase = 'reading';
    attemptState.status = response.status;
    const requestId = response.headers.get('x-request-id');
    attemptState.requestId = requestId === null ? undefined : cleanText(redactText(requestId, secret), 200);
    isComplete = await receiveBody(response, attemptState, {
      signal,
      isStreamed: draft.preventReplay !== undefined,
    });
  } catch (cause) {
    const outcome = attemptState.phase === 'waiting' ? outcomeOfFailure(cause) : 'unknown';
    const message =
      outcome === 'not_sent'
        ? 'The service could not be reached; nothing was sent.'
        : 'The connection failed before the response was complete.';
    throw new ConnectionError(message, {
      ...pickFacts(callState),
      outcome,
      cause: redactCause(cause, secret),
    });
  }
  if (isComplete) return response;
  const facts = { ...pickFacts(callState), outcome: 'unknown' } as const;
  throw new UnreadableResponseError('The response cannot be read: it is larger than 8 MiB.', facts);
}

function toStopError(stop: StopReason, { callState, signal }: Attempt): ServiceError {
  const isUnsent = callState.attemptState.phase === 'preparing';
  const facts = { ...pickFacts(callState), outcome: isUnsent ? 'not_sent' : 'unknown' } as const;
  if (stop === 'abort') {
    return new AbortError('The call was aborted by its signal.', { ...facts, cause: signal?.reason });
  }
  return new TimeoutError(
    isUnsent
      ? 'The timeout passed before the request could be sent; nothing was sent. Check the apiKey function and the onRequest hook, if you use them.'
      : 'The response did not arrive before the timeout.',
    facts,
  );
}
