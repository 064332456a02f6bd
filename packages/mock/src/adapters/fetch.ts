import { clearInterval, createDeferred, readRest, setInterval, setTimeout } from '@service/internal';
import {
  type MockResponse,
  type MockRequest,
  CONNECTION_LOST,
  FAILURE,
  type Handled,
  type HandleRequest,
  type Transport,
} from '../http/request.ts';

/** Creates a `fetch` function for a service. */
export function fetchWith(handle: HandleRequest, onDefect: OnDefect): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const mockResponse = await unlessAborted(
      handleRequest(handle, toMockRequest(request, 'fetch')),
      request.signal,
    );
    // The errors that Node's `fetch` throws.
    if (mockResponse === CONNECTION_LOST)
      throw fetchFailed('read ECONNRESET', { code: 'ECONNRESET', errno: -104, syscall: 'read' });
    if (mockResponse.damage === 'garbage')
      throw fetchFailed('Response does not match the HTTP/1.1 protocol', {
        name: 'HTTPParserError',
        code: 'HPE_INVALID_CONSTANT',
      });
    return respondTo(mockResponse, request, { onDefect, source: input });
  };
}

/** Handles a request. Releases its events in a later turn, after the client has received the response. */
export async function handleRequest(
  handle: HandleRequest,
  mockRequest: MockRequest,
): Promise<Handled['response']> {
  const { response: mockResponse, flushed } = await handle(mockRequest);
  if (flushed !== undefined) setTimeout(flushed, 0);
  return mockResponse;
}

/** Waits for a promise. Rejects with the reason of a signal as soon as it is aborted. */
async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = createDeferred<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Converts a `Request`. */
export function toMockRequest(request: Request, transport: Transport): MockRequest {
  const { pathname, search } = new URL(request.url);
  return {
    transport,
    method: request.method,
    path: pathname,
    search: search.slice(1),
    header: request.headers.get.bind(request.headers),
    headers: [...request.headers].flat(),
    readBody: (limit) => readLimited(request, limit),
    signal: () => request.signal,
  };
}

/** Converts a response without its damage. */
export function toResponse({ status, headers, body }: MockResponse): Response {
  // An empty text would add `Content-Type: text/plain`, which no other transport has.
  return new Response(body === '' ? null : body, { status, headers });
}

/** Called for an error that only a defect of the mock can cause. Never throws. */
export type OnDefect = (error: unknown) => void;

/**
 * Converts a response with its damage. Reports an unexpected error, and responds 500. `source` is the object that the
 * request was created from.
 */
export function respondTo(
  mockResponse: MockResponse,
  request: Request,
  { onDefect, source = request }: { readonly onDefect: OnDefect; readonly source?: unknown },
): Response {
  try {
    if (mockResponse.damage === 'truncated') return truncatedResponse(mockResponse);
    return mockResponse.damage === 'stalled'
      ? stalledResponse(mockResponse, request, source)
      : toResponse(mockResponse);
  } catch (error) {
    onDefect(error);
    return toResponse(FAILURE);
  }
}

/** Reads a body. Returns undefined without reading the rest if it is longer than `limit` bytes. */
async function readLimited({ body, signal }: Request, limit: number): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const abort = (): void => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', abort, { once: true });
  try {
    const bytes = await readRest(reader, limit);
    // A canceled reader reports the end of the body, although the body is incomplete.
    signal.throwIfAborted();
    return bytes;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function fetchFailed(message: string, fields: object): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), fields) });
}

/** Creates a response with half of its body. Reading fails like Node's `fetch` after a closed connection. */
export function truncatedResponse(mockResponse: MockResponse): Response {
  const cause = Object.assign(new Error('other side closed'), {
    name: 'SocketError',
    code: 'UND_ERR_SOCKET',
  });
  const end = (): Promise<never> => Promise.reject(new TypeError('terminated', { cause }));
  return toHalfResponse(mockResponse, end);
}

const LONGEST_INTERVAL = 2 ** 31 - 1;

/** Creates a response with half of its body. Reading then waits until the request is aborted. */
function stalledResponse(mockResponse: MockResponse, request: Request, source: unknown): Response {
  const { promise, reject } = createDeferred<never>();
  // Runtimes reference abort sources weakly. The timer prevents the garbage collection of a stalled response,
  // as a socket would.
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
  return toHalfResponse(mockResponse, end, release);
}

/** Creates a response with half of its body. `end` rejects, immediately or later; `release` is called when the reader cancels. */
function toHalfResponse(
  { status, headers, body }: MockResponse,
  end: () => Promise<never>,
  release?: () => void,
): Response {
  const bytes = new TextEncoder().encode(body ?? '');
  const half = bytes.subarray(0, bytes.byteLength / 2);
  let isSent = false;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (isSent) await end();
    isSent = true;
    controller.enqueue(half);
  };
  // No read-ahead: an error would discard the bytes that were not read yet.
  const stream = new ReadableStream<Uint8Array>(
    { pull, ...(release && { cancel: release }) },
    { highWaterMark: 0 },
  );
  return new Response(stream, {
    status,
    headers: { ...headers, 'Content-Length': String(bytes.byteLength) },
  });
}
