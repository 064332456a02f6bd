import type { MockResponse } from '../http/request.ts';

/** Fails as the `fetch` of Node does when the peer resets the connection (contract.md 7). */
export function connectionLost(): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), {
    code: 'ECONNRESET',
    errno: -104,
    syscall: 'read',
  });
  return new TypeError('fetch failed', { cause });
}

/** Fails as the `fetch` of Node does when bytes come back that are no HTTP. */
export function invalidHttp(): TypeError {
  return new TypeError('fetch failed', {
    cause: nodeError(
      'HTTPParserError',
      'HPE_INVALID_CONSTANT',
      'Response does not match the HTTP/1.1 protocol',
    ),
  });
}

/** Writes half of an answer that announces its whole length, and then fails as Node's `fetch` does when the connection is closed. */
export function truncatedResponse(mockResponse: MockResponse): Response {
  const cause = nodeError('SocketError', 'UND_ERR_SOCKET', 'other side closed');
  const end = (): Promise<never> => Promise.reject(new TypeError('terminated', { cause }));
  return toHalfResponse(mockResponse, { end, release() {} });
}

// Kept from load time, so that fake timers installed later cannot let go of an answer.
const { setInterval, clearInterval } = globalThis;
const LONGEST_INTERVAL = 2 ** 31 - 1;

/** Writes half of an answer that announces its whole length, and then no more until its request is aborted. */
export function stalledResponse(mockResponse: MockResponse, request: Request, source: unknown): Response {
  const { promise, reject } = Promise.withResolvers<never>();
  // Whoever can abort a request may know it but weakly, so that a stalled one is collected; a socket would hold it.
  const keepAlive = setInterval(() => [request, source], LONGEST_INTERVAL);
  if (typeof keepAlive === 'object') keepAlive.unref();
  const release = (): void => clearInterval(keepAlive);
  const abort = (): void => {
    release();
    reject(request.signal.reason);
  };
  const end = (): Promise<never> => {
    if (request.signal.aborted) abort();
    else request.signal.addEventListener('abort', abort, { once: true });
    return promise;
  };
  return toHalfResponse(mockResponse, { end, release });
}

/** Says how a half answer ends. */
interface BodyEnd {
  /** Rejects, at once or in its own time. */
  readonly end: () => Promise<never>;
  /** Is called when the reader wants no more. */
  readonly release: () => void;
}

function toHalfResponse({ status, headers, body }: MockResponse, { end, release }: BodyEnd): Response {
  const bytes = new TextEncoder().encode(body ?? '');
  const half = bytes.subarray(0, bytes.byteLength / 2);
  let isSent = false;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (isSent) await end();
    isSent = true;
    controller.enqueue(half);
  };
  // Nothing is asked for ahead of the reader: a failure would throw away what was not read yet.
  const stream = new ReadableStream<Uint8Array>({ pull, cancel: release }, { highWaterMark: 0 });
  return new Response(stream, {
    status,
    headers: { ...headers, 'Content-Length': String(bytes.byteLength) },
  });
}

function nodeError(name: string, code: string, message: string): Error {
  return Object.assign(new Error(message), { name, code });
}
