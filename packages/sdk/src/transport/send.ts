import type { Mode } from '@service/contract';
import { findStream } from '@service/internal';
import {
  ConfigurationError,
  ConnectionError,
  TimeoutError,
  UnreadableResponseError,
} from '../errors/error-classes.ts';
import type { UnknownPhase } from '../errors/payment-outcome-unknown.ts';
import { cleanText, redactCause, redactText } from '../errors/redact.ts';
import { type ErrorFacts, isControlFlow, type Outcome } from '../errors/service-error.ts';
import { runHook } from '../options/hooks.ts';
import { maskBody, warnOfDeprecation } from '../options/log.ts';
import type { ClientContext } from './client-context.ts';
import type { CheckDeadline } from './clock.ts';
import { outcomeOfFailure } from './outcome.ts';
import type { CallOptions, Draft, SignedRequest } from './request.ts';
import { isReplayed } from './retry.ts';

/**
 * The progress of one request, updated while it runs, so that a stopped request can report it. A stopped
 * request updates only its own progress, which is not read again.
 */
interface Progress {
  phase: 'preparing' | Exclude<UnknownPhase, 'recorded'>;
  received: string;
  /** Whether `fetch` has read the body; undefined for a body that is not a stream. */
  isBodyRead?: boolean;
  status?: number;
  requestId?: string | undefined;
  mode?: Mode | undefined;
}

/** The state of one call over all its requests. */
export interface CallState {
  attempts: number;
  /** The time at which the first request was sent. */
  sentAt: Date | undefined;
  /** The progress of the last request with an unknown outcome; undefined if there is none. */
  unknownPhase: Exclude<UnknownPhase, 'recorded'> | undefined;
  paymentId: string | undefined;
  /** The progress of the latest request. */
  progress: Progress;
}

/** A call: its parsed options and its state. */
export interface CallContext extends ClientContext {
  readonly options: CallOptions;
  readonly state: CallState;
}

/** One request of a call, and its limits. */
export interface Attempt extends CallContext {
  readonly draft: Draft;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly checkDeadline: CheckDeadline;
}

/** Returns the error fields of a call. */
export function pickFacts(
  { attempts, progress: { status, requestId, mode } }: CallState,
  outcome?: Outcome,
): ErrorFacts {
  return { attempts, status, requestId, mode, outcome };
}

/**
 * Sends a signed request and receives its whole response.
 *
 * @throws {ServiceError} when no complete response is received, or a hook throws. Its `outcome` is that of the
 * request.
 */
export async function sendRequest(signed: SignedRequest, attempt: Attempt): Promise<Response> {
  const { draft, state, progress, signal, settings, clock } = attempt;
  const { hooks, log } = settings;
  const { facts } = signed;
  const name = `${facts.method} ${facts.url}`;
  // The key function, a hook or a suspension can have used up the time. No other code may run before `fetch`.
  attempt.checkDeadline();
  if (isTooLate(attempt)) {
    throw new TimeoutError(
      'The request was not sent: the lease of its reference or the retention time of its idempotency key has ended.',
      pickFacts(state, 'not_sent'),
    );
  }
  progress.phase = 'waiting';
  state.attempts += 1;
  state.sentAt ??= clock.date();
  const start = clock.now();
  const exchange = receive(signed, attempt);
  log('debug', () => [`Sent ${name}`, { ...facts, body: maskBody(draft.body) }]);
  const response = await exchange;
  // After a stop, no hook runs for the response.
  if (signal.aborted) throw new Error('The call has ended.');
  const { status, headers } = response;
  warnOfDeprecation(headers, settings);
  const seen = { ...facts, status, requestId: progress.requestId, duration: clock.now() - start };
  log('info', () => [`Received ${status} for ${name}`, seen]);
  if (hooks.onResponse) {
    await runHook(hooks, 'onResponse', { ...seen, headers }).catch((error: Error) => {
      if (isControlFlow(error)) throw error;
      // The response was received but not read, so the outcome is unknown.
      const { message, cause } = error;
      throw new ConfigurationError(message, { ...pickFacts(state, 'unknown'), cause });
    });
  }
  return response;
}

/** After a suspension, the lease or the key retention can have ended before any timer has fired. */
function isTooLate({ draft, ...call }: Attempt): boolean {
  const isRepeated = draft.isSentOnce && call.state.unknownPhase !== undefined;
  return Boolean(draft.isExpired?.()) || (isRepeated && !isReplayed(call));
}

/** Receives a whole response. Converts a failure to an error with the outcome of the request. */
async function receive({ facts: { url }, init, key }: SignedRequest, attempt: Attempt): Promise<Response> {
  const { state, progress, signal, settings } = attempt;
  // The global `fetch` is looked up at each call, so that a later replacement applies.
  const { fetch = globalThis.fetch } = settings;
  let isComplete: boolean;
  let response: Response;
  try {
    response = await fetch(url, init);
    if (response.type === 'error') throw new Error('fetch returned an error response');
    // A `fetch` that ignores its signal can respond after the call was rejected.
    if (signal.aborted) await response.body?.cancel?.();
    progress.phase = 'reading';
    progress.status = response.status;
    const requestId = response.headers.get('x-request-id');
    progress.requestId = requestId === null ? undefined : cleanText(redactText(requestId, key.secret), 200);
    isComplete = await receiveBody(response, attempt);
  } catch (cause) {
    throw toConnectionError(cause, attempt, key.secret);
  }
  if (isComplete) return response;
  throw new UnreadableResponseError(
    'The response cannot be read: it is larger than 8 MiB.',
    pickFacts(state, 'unknown'),
  );
}

/** Returns the error of a request without a complete response, or the unchanged error of a framework. */
function toConnectionError(cause: unknown, { state, progress, draft }: Attempt, secret: string): unknown {
  const isProven = progress.isBodyRead === false || outcomeOfFailure(cause) === 'not_sent';
  const outcome = progress.phase === 'waiting' && isProven ? 'not_sent' : 'unknown';
  // A wrapper of the global `fetch` must not send the body later.
  if (outcome === 'not_sent') progress.phase = 'preparing';
  // `payments.create` reports its own unknown outcome.
  const isReported = outcome === 'not_sent' || !draft.isSentOnce || draft.operation === 'createPayment';
  if (isControlFlow(cause) && isReported) return cause;
  const message =
    outcome === 'not_sent'
      ? 'The service could not be reached; nothing was sent.'
      : 'The connection failed before the response was complete.';
  return new ConnectionError(message, { ...pickFacts(state, outcome), cause: redactCause(cause, secret) });
}

/** Maximum size of a response body in bytes, after decompression. A page of 100 rows has about 40 KiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Reads a response body into the progress of its request. Streams it if it can be large, and for a create, so
 * that an incomplete body is kept. Returns false for a body that is too large.
 */
async function receiveBody(
  response: Response,
  { draft: { isSentOnce }, progress, signal }: Attempt,
): Promise<boolean> {
  const stream = findStream(response);
  if (!stream || (!isSentOnce && isSmall(response))) {
    progress.received = await response.text();
    return progress.received.length <= MAX_BODY_BYTES;
  }
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    size += step.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      cancel();
      return false;
    }
    progress.received += decoder.decode(step.value, { stream: true });
  }
  progress.received += decoder.decode();
  return true;
}

/**
 * Returns true for a body with a small declared length, and for a response that was created in this process.
 */
function isSmall(response: Response): boolean {
  const length = response.headers.get('content-length');
  // Checked last, because reading `url` serializes it.
  if (length === null) return response.url === '';
  return Number(length) <= MAX_BODY_BYTES && !response.headers.has('content-encoding');
}
