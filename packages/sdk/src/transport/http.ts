import { findStream } from '@service/internal';
import {
  ConfigurationError,
  ConnectionError,
  type ErrorFacts,
  isControlFlow,
  ServiceError,
  TimeoutError,
  UnreadableResponseError,
} from '../errors.ts';
import { resolveKey } from '../key.ts';
import { type HeaderFields, reserved, type Settings } from '../options.ts';
import { outcomeOfFailure } from '../outcome.ts';
import { cleanText, redactCause, redactText } from '../redact.ts';
import type { CheckDeadline } from './deadline.ts';
import {
  type Attempt,
  type CallContext,
  parseResponse,
  pickFacts,
  type ServiceResponse,
} from './response.ts';

/**
 * Sends the request of an attempt and reads its response: resolves the API key, checks the request for its mode,
 * runs the `onRequest` hook, and passes the request to `fetch`.
 *
 * @throws {ServiceError} when no valid response is received. Its `outcome` is that of the request.
 */
export async function exchange<T>(
  attempt: Attempt,
  read: (received: ServiceResponse) => T,
  signal: AbortSignal,
  checkDeadline: CheckDeadline,
): Promise<T> {
  const { call, draft } = attempt;
  const { settings, clock } = call;
  try {
    let { apiKey: key } = settings;
    if (typeof key === 'function') {
      key = await resolveKey(key, settings);
      checkDeadline();
    }
    draft.check?.(key.mode);
    if (draft.needsKey) call.idempotencyKey ??= clock.unique();
    const { operation, method, url, body } = draft;
    const facts = { operation, method, url, attempt: call.attempts + 1 };
    let headers: Record<string, string> = { ...draft.headers };
    if (call.idempotencyKey !== undefined) headers['idempotency-key'] = call.idempotencyKey;
    if (settings.onRequest) {
      const extended = new Headers(headers);
      await runHook(settings, 'onRequest', { ...facts, headers: extended });
      headers = keepReserved(headers, extended);
    }
    headers.accept = 'application/json';
    headers.authorization = `Bearer ${key.secret}`;
    const init: RequestInit = { method, headers, signal, redirect: 'manual' };
    // The `fetch` of a framework, such as Next, caches reads.
    if (settings.hasNoStore) init.cache = 'no-store';
    if (body !== undefined && draft.isSentOnce && settings.hasStreams) {
      Object.assign(init, toStream(body, headers, attempt));
    } else if (body !== undefined) init.body = body;
    // The key function, a hook or a suspension can have used up the time. No other code may run before `fetch`.
    checkDeadline();
    const isRepeated = draft.isSentOnce && call.unknownPhase !== undefined;
    if (draft.isExpired?.() || (isRepeated && !isReplayed(call))) {
      // After a suspension, before any timer has fired.
      throw new TimeoutError(
        'The request was not sent: the lease of its reference or the retention time of its idempotency key has ended.',
        pickFacts(call, 'not_sent'),
      );
    }
    attempt.phase = 'waiting';
    call.attempts += 1;
    call.sentAt ??= clock.date();
    const start = clock.now();
    const response = await receive(url, init, attempt, key.secret);
    // After a stop, no hook runs for the response.
    if (signal.aborted) throw new Error('The call has ended.');
    if (settings.onResponse) {
      const { status, headers: received } = response;
      const requestId = attempt.readRequestId?.();
      const seen = { ...facts, status, headers: received, requestId, duration: clock.now() - start };
      // The response was received but not read, so the outcome is unknown.
      await runHook(settings, 'onResponse', seen, pickFacts(call, 'unknown'));
    }
    return read(parseResponse(response, key, attempt));
  } catch (error) {
    if (error instanceof ServiceError || isControlFlow(error)) throw error;
    // The runtime lacks a function, for example.
    const facts = pickFacts(call, outcomeOfFailure(attempt));
    throw new ServiceError('The request failed.', { ...facts, cause: redactCause(error) });
  }
}

type Hooks = Pick<Settings, 'onRequest' | 'onResponse' | 'onRetry'>;

/**
 * Runs a hook.
 *
 * @throws {ConfigurationError} when the hook throws. `cause` is the error of the hook.
 */
export async function runHook<Name extends keyof Hooks>(
  hooks: Hooks,
  name: Name,
  seen: Parameters<NonNullable<Hooks[Name]>>[0],
  facts?: ErrorFacts,
): Promise<void> {
  try {
    await (hooks[name] as ((seen: unknown) => unknown) | undefined)?.(seen);
  } catch (cause) {
    if (isControlFlow(cause)) throw cause;
    throw new ConfigurationError(`The ${name} hook failed.`, { ...facts, cause: redactCause(cause) });
  }
}

/**
 * Returns the headers that a hook set, with those of the client. The hook does not see the API key, and
 * cannot change reserved headers: with another idempotency key, a retry would create a second payment.
 */
function keepReserved(fixed: HeaderFields, set: Headers): Record<string, string> {
  return Object.fromEntries([
    ...[...set].filter(([name]) => !reserved.test(name)),
    ...Object.entries(fixed).filter(([name]) => reserved.test(name)),
  ]);
}

/**
 * Returns whether the service replays the key of the first request of a create, and still knows it when the
 * next request has ended.
 */
export function isReplayed({ sentAt, options, settings, clock }: CallContext): boolean {
  const { timeout = settings.timeout } = options;
  const age = clock.date().getTime() - (sentAt?.getTime() ?? 0);
  return age < settings.keyRetention - timeout;
}

/**
 * Streams a body so that the runtime cannot replay the request: Node replays on 421, Deno on a broken
 * keep-alive connection, and both only if they hold the bytes of the body. A stream that was not read proves
 * that no body was sent.
 */
function toStream(
  body: string,
  headers: HeaderFields,
  attempt: Attempt,
): RequestInit & { readonly duplex: 'half' } {
  const bytes = new TextEncoder().encode(body);
  attempt.isBodyRead = false;
  const read = (): void => {
    // The outcome `not_sent` is final.
    if (attempt.phase === 'preparing') throw new Error('The call has ended.');
    attempt.isBodyRead = true;
  };
  // Not `new Response(bytes).body`: Deno still holds the bytes of that stream.
  const stream = new ReadableStream(
    {
      pull: (controller) => {
        read();
        controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return {
    duplex: 'half',
    // Without a length, Node sends the body in chunks, which some servers reject. Deno always sends chunks.
    headers: { ...headers, 'content-length': String(bytes.byteLength) },
    // node-fetch as the global `fetch` sends the text of an object that it does not know.
    body: Object.assign(stream, {
      toString: () => {
        read();
        return body;
      },
    }),
  };
}

/**
 * Receives a whole response. Converts a failure, except the control flow of a framework, to an error with the outcome
 * of the request.
 */
async function receive(url: string, init: RequestInit, attempt: Attempt, secret: string): Promise<Response> {
  const { call } = attempt;
  // The global `fetch` is looked up at each call, so that a later replacement applies.
  const { fetch = globalThis.fetch } = call.settings;
  let isComplete: boolean;
  let response: Response;
  try {
    response = await fetch(url, init);
    if (response.type === 'error') throw new Error('fetch returned an error response');
    // A `fetch` that ignores its signal can respond after the call was rejected.
    if (init.signal?.aborted) await response.body?.cancel?.();
    attempt.phase = 'reading';
    attempt.status = response.status;
    const requestId = response.headers.get('x-request-id');
    if (requestId !== null) attempt.readRequestId = () => cleanText(redactText(requestId, secret), 200);
    isComplete = await receiveBody(response, attempt, init.signal);
  } catch (cause) {
    const outcome = outcomeOfFailure(attempt, cause);
    const { isSentOnce, operation } = attempt.draft;
    // `payments.create` reports its own unknown outcome.
    const isReported = outcome === 'not_sent' || !isSentOnce || operation === 'createPayment';
    if (isControlFlow(cause) && isReported) throw cause;
    const message =
      outcome === 'not_sent'
        ? 'The service could not be reached; nothing was sent.'
        : 'The connection failed before the response was complete.';
    throw new ConnectionError(message, { ...pickFacts(call, outcome), cause: redactCause(cause, secret) });
  }
  if (isComplete) return response;
  throw new UnreadableResponseError(
    'The response cannot be read: it is larger than 8 MiB.',
    pickFacts(call, 'unknown'),
  );
}

/** Maximum size of a response body in bytes, after decompression. A page of 100 rows has about 40 KiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Reads a response body into its attempt. Streams it if it can be large, and for a create, so that an incomplete
 * body is kept. Returns false for a body that is too large.
 */
async function receiveBody(
  response: Response,
  attempt: Attempt,
  signal: AbortSignal | null | undefined,
): Promise<boolean> {
  const stream = findStream(response);
  if (!stream || (!attempt.draft.isSentOnce && isSmall(response))) {
    attempt.received = await response.text();
    return attempt.received.length <= MAX_BODY_BYTES;
  }
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    size += step.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      cancel();
      return false;
    }
    attempt.received += decoder.decode(step.value, { stream: true });
  }
  attempt.received += decoder.decode();
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
