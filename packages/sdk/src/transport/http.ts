import {
  callUser,
  ConnectionError,
  isControlFlow,
  ServiceError,
  TimeoutError,
  UnreadableResponseError,
} from '../errors.ts';
import { resolveKey } from '../key.ts';
import { type HeaderFields, reserved } from '../options.ts';
import { outcomeOfFailure } from '../outcome.ts';
import { redactCause } from '../redact.ts';
import type { CheckDeadline } from './deadline.ts';
import {
  type Attempt,
  type CallContext,
  parseResponse,
  pickFacts,
  readRequestId,
  receiveBody,
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
  const { onRequest, onResponse } = settings;
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
    if (onRequest) {
      const extended = new Headers(headers);
      await callUser('The onRequest hook', () => onRequest({ ...facts, headers: extended }));
      headers = keepReserved(headers, extended);
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
    if (draft.isExpired?.() || (isRepeated && !isReplayed(call))) {
      // After a suspension, before any timer has fired.
      throw new TimeoutError(
        'Not sent: the lease or the keyRetention has ended.',
        pickFacts(call, 'not_sent'),
      );
    }
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
export function isReplayed({ sent, options, settings, clock }: CallContext): boolean {
  const { timeout = settings.timeout } = options;
  // The later one of two clocks: one stops while the machine sleeps, the other can be set back.
  const age = sent && Math.max(clock.now() - sent.now, clock.date().getTime() - sent.at.getTime());
  return Number(age) < settings.keyRetention - timeout;
}

/**
 * The number of empty chunks before the bytes of a body. Each `Request`, `clone()` or pipe in a wrapper of `fetch` reads one chunk
 * ahead, before there is a connection. undici 6 and 7 do that once themselves.
 */
const EMPTY_CHUNKS = 8;

/**
 * Streams a body so that the runtime cannot replay the request: Node replays on 421, Deno on a broken
 * keep-alive connection, and both only if they hold the bytes of the body. A stream whose bytes were not read
 * proves that no body was sent. With its bytes read, a failure to connect proves nothing: it can be that of a
 * second request of a wrapper.
 */
function toStream(body: string, bytes: Uint8Array, attempt: Attempt): ReadableStream {
  attempt.isBodyRead = false;
  let chunks = 0;
  const assertOpen = (): void => {
    // The outcome `not_sent` is final.
    if (attempt.phase === 'preparing') throw new Error('The call has ended.');
  };
  // Not `new Response(bytes).body`: Deno still holds the bytes of that stream.
  const stream = new ReadableStream(
    {
      pull: (controller) => {
        assertOpen();
        chunks += 1;
        if (chunks <= EMPTY_CHUNKS) return controller.enqueue(new Uint8Array());
        attempt.isBodyRead = true;
        controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  // node-fetch as the global `fetch` takes the text of an object that it does not know, once per request, before it connects.
  stream.toString = () => {
    assertOpen();
    attempt.isBodyRead = attempt.isBodyRead === false ? undefined : true;
    return body;
  };
  return stream;
}

/** Converts the failure of a request, except the control flow of a framework, to an error with its outcome. */
function toConnectionError(cause: unknown, attempt: Attempt): unknown {
  const outcome = outcomeOfFailure(attempt, cause);
  const { isSentOnce, operation } = attempt.draft;
  // `payments.create` reports its own unknown outcome.
  const isReported = outcome === 'not_sent' || !isSentOnce || operation === 'createPayment';
  if (isControlFlow(cause) && isReported) return cause;
  const address = new URL(attempt.draft.url).origin;
  const message =
    outcome === 'not_sent'
      ? `The service at ${address} could not be reached; nothing was sent.`
      : `The connection to ${address} failed before the response was complete.`;
  const facts = pickFacts(attempt.call, outcome);
  return new ConnectionError(message, { ...facts, address, cause: redactCause(cause) });
}
