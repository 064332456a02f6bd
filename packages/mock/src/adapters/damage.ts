import { clearInterval, createDeferred, setInterval } from '@service/internal';
import type { MockResponse } from '../domain/response.ts';

/** Creates the error that Node's `fetch` throws for a reset connection. */
export function connectionLost(): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), {
    code: 'ECONNRESET',
    errno: -104,
    syscall: 'read',
  });
  return new TypeError('fetch failed', { cause });
}

/** Creates the error that Node's `fetch` throws for bytes that are not HTTP. */
export function invalidHttp(): TypeError {
  return new TypeError('fetch failed', {
    cause: nodeError(
      'HTTPParserError',
      'HPE_INVALID_CONSTANT',
      'Response does not match the HTTP/1.1 protocol',
    ),
  });
}

/** Creates a response with half of its body. Reading fails like Node's `fetch` after a closed connection. */
export function truncatedResponse(mockResponse: MockResponse): Response {
  const cause = nodeError('SocketError', 'UND_ERR_SOCKET', 'other side closed');
  const end = (): Promise<never> => Promise.reject(new TypeError('terminated', { cause }));
  return toHalfResponse(mockResponse, { end, release() {} });
}

const LONGEST_INTERVAL = 2 ** 31 - 1;

/** Creates a response with half of its body. Reading then waits until the request is aborted. */
export function stalledResponse(mockResponse: MockResponse, request: Request, source: unknown): Response {
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
  return toHalfResponse(mockResponse, { end, release });
}

/** The end of a truncated body. */
interface BodyEnd {
  /** Rejects, immediately or later. */
  readonly end: () => Promise<never>;
  /** Called when the reader cancels. */
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
  // No read-ahead: an error would discard the bytes that were not read yet.
  const stream = new ReadableStream<Uint8Array>({ pull, cancel: release }, { highWaterMark: 0 });
  return new Response(stream, {
    status,
    headers: { ...headers, 'Content-Length': String(bytes.byteLength) },
  });
}

function nodeError(name: string, code: string, message: string): Error {
  return Object.assign(new Error(message), { name, code });
}
