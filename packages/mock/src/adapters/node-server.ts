import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { clearTimeout, createDeferred, setImmediate, setTimeout } from '@service/internal';
import {
  CONNECTION_LOST,
  FAILURE,
  type Handled,
  type HandleRequest,
  type MockRequest,
  type MockResponse,
} from '../http/request.ts';
import type { Socket } from 'node:net';

// An import would load all exports, including WebSocket and `fetch`: a third of the start time.
const { createServer } = process.getBuiltinModule('node:http');

/** The handlers and timeout of an HTTP server. */
export interface RequestServerOptions {
  readonly handle: HandleRequest;
  /** Called for an unexpected error. The client receives a 500. */
  readonly onDefect: (error: unknown) => void;
  /**
   * Maximum time for a request to arrive, with head and body, in milliseconds.
   *
   * @default 30000
   */
  readonly requestTimeout?: number;
}

/** Handles a request of a server of `node:http`. */
export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Creates the request listener of a service. */
export function createRequestListener({ handle, onDefect }: RequestServerOptions): RequestListener {
  const fail = (outgoing: ServerResponse, error: unknown): void => {
    onDefect(error);
    sendFailure(outgoing);
  };
  const writeLater = createWriteQueue();
  return (incoming, outgoing) => {
    if (outgoing.destroyed) return;
    const attempt = (act: () => void): void => {
      try {
        act();
      } catch (error) {
        fail(outgoing, error);
      }
    };
    attempt(() => {
      handle(toNodeRequest(incoming)).then(
        (handled) => writeLater(() => attempt(() => sendResponse(outgoing, handled))),
        (error: unknown) => fail(outgoing, error),
      );
    });
  };
}

/**
 * Creates a function that writes the responses to requests of one turn together: each separate write can wake the client
 * process, and interleaved writes take twice the time (decision 0011).
 */
function createWriteQueue(): (write: () => void) => void {
  let waiting: (() => void)[] = [];
  const writeAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const write of all) write();
  };
  return (write) => {
    if (waiting.push(write) === 1) setImmediate(writeAll);
  };
}

/** Creates the HTTP server of a service. It does not listen yet (decision 0011). */
export function createRequestServer({ requestTimeout = 30_000, ...handlers }: RequestServerOptions): Server {
  return createServer(
    {
      optimizeEmptyRequests: true,
      headersTimeout: requestTimeout,
      requestTimeout,
      connectionsCheckingInterval: Math.ceil(requestTimeout / 10),
      // Idle connections stay open, so that none closes during the next request.
      keepAliveTimeout: 0,
    },
    createRequestListener(handlers),
  );
}

/** Matches targets that a URL parser does not change. */
const PLAIN = /^\/[\w/-]*(?:\?[\w\-.~!$&()*+,;=:@/?%]*)?$/;

/** Matches targets whose path a URL parser resolves to another one: with dot segments, backslashes or a fragment. */
const RESOLVED = /^[^?]*(?:[\\#]|\/(?:\.|%2e){1,2}(?:[/?]|$))/i;

/**
 * Parses a request target, a path or an absolute URL, like the other transports. Returns other targets, such
 * as `*` or `/x/../balance`, unchanged: they match no path of the service.
 */
export function readTarget(sent: string): Pick<MockRequest, 'path' | 'search'> {
  if (PLAIN.test(sent)) {
    const mark = sent.indexOf('?');
    return mark < 0
      ? { path: sent, search: '' }
      : { path: sent.slice(0, mark), search: sent.slice(mark + 1) };
  }
  const text = sent.startsWith('/') ? `http://localhost${sent}` : sent;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || RESOLVED.test(sent))
    return { path: sent, search: '' };
  return { path: url.pathname, search: url.search.slice(1) };
}

/** Converts a request of `node:http`. */
function toNodeRequest(incoming: IncomingMessage): MockRequest {
  const { path, search } = readTarget(incoming.url ?? '');
  return {
    transport: 'http',
    method: incoming.method ?? '',
    path,
    search,
    header: (name) => findHeader(incoming.rawHeaders, name),
    headers: incoming.rawHeaders,
    readBody: (limit) => readBody(incoming, limit),
  };
}

/** Returns a header, with multiple values joined as in `Headers`. Parses no other ones, unlike `incoming.headers`. */
function findHeader(raw: readonly string[], name: string): string | null {
  let found: string | null = null;
  for (let index = 0; index < raw.length; index += 2) {
    const [given = '', value = ''] = [raw[index], raw[index + 1]];
    if (given.length !== name.length || given.toLowerCase() !== name) continue;
    found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return found;
}

/** Reads a body. Returns undefined if it is longer than `limit` bytes. Rejects if the client disconnects. */
function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  // With `optimizeEmptyRequests`, a request without a body ends before a listener is added.
  if (incoming.readableEnded) return Promise.resolve(new Uint8Array());
  const { promise, resolve, reject } = createDeferred<Uint8Array | undefined>();
  const chunks: Buffer[] = [];
  let length = 0;
  incoming.on('data', function take(chunk: Buffer) {
    length += chunk.byteLength;
    if (length <= limit) chunks.push(chunk);
    else {
      incoming.off('data', take);
      chunks.length = 0;
      resolve(undefined);
    }
  });
  incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)));
  incoming.on('close', () => {
    if (!incoming.readableEnded) reject(new Error('the client disconnected before the end of the body'));
  });
  return promise;
}

/** Maximum time between an early response and the end of the request body, in milliseconds. */
const LINGER = 500;

/** Bytes that no HTTP client accepts as a response. */
const garbage = Buffer.from('\u0000\u00ff\u0016 this is no HTTP \u0007\r\n\r\n', 'latin1');

/** Sends the response of a request, and calls `flushed` afterward if it has one. */
function sendResponse(outgoing: ServerResponse, { response: mockResponse, flushed }: Handled): void {
  if (outgoing.destroyed || outgoing.req.socket.destroyed) return flushed?.();
  if (flushed !== undefined) {
    outgoing.on('close', flushed);
    // Before Node 24, a response that waits for an earlier one has no `close` when its connection ends.
    if (outgoing.socket === null)
      outgoing.req.socket.once('close', () => setImmediate(() => outgoing.closed || outgoing.emit('close')));
  }
  if (mockResponse === CONNECTION_LOST) inTurn(outgoing, (socket) => socket.resetAndDestroy());
  else if (mockResponse.damage !== undefined) sendDamaged(outgoing, mockResponse, flushed);
  else if (outgoing.req.complete) sendWhole(outgoing, mockResponse);
  else sendEarly(outgoing, mockResponse);
}

/** Sends the response to a request that failed. Closes the connection if another response has begun. */
function sendFailure(outgoing: ServerResponse): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  sendWhole(outgoing, FAILURE);
}

/** Sends a response at once. */
function sendWhole(outgoing: ServerResponse, mockResponse: MockResponse): void {
  const { body } = mockResponse;
  const size = Buffer.byteLength(body ?? '');
  // Text of one byte per character takes less time to write.
  writeHead(outgoing, mockResponse, size).end(body, size === body?.length ? 'latin1' : 'utf8');
}

function writeHead(
  outgoing: ServerResponse,
  { status, headers, body }: MockResponse,
  size: number = Buffer.byteLength(body ?? ''),
): ServerResponse {
  const hasNoLength = body === null && (status === 204 || status === 304 || outgoing.req.method === 'HEAD');
  return outgoing.writeHead(status, hasNoLength ? headers : { ...headers, 'Content-Length': size });
}

/**
 * Sends a response before the end of the request body and delays the end of the connection. A connection that
 * closes with unread bytes is reset, and the client could lose the response.
 */
function sendEarly(outgoing: ServerResponse, mockResponse: MockResponse): void {
  const { req: incoming } = outgoing;
  ignoreErrors(outgoing);
  const timer = setTimeout(() => outgoing.destroy(), LINGER);
  timer.unref();
  outgoing.once('close', () => clearTimeout(timer));
  writeHead(outgoing, mockResponse).flushHeaders();
  if (mockResponse.body !== null) outgoing.write(mockResponse.body);
  incoming.once('end', () => outgoing.end());
  incoming.resume();
}

/** Sends a damaged response. Without a body to truncate, nothing is sent. */
function sendDamaged(outgoing: ServerResponse, mockResponse: MockResponse, flushed?: () => void): void {
  const destroy = (): void => void outgoing.destroy();
  if (mockResponse.damage === 'garbage') inTurn(outgoing, (socket) => socket.write(garbage, destroy));
  else if (mockResponse.damage === 'truncated') sendHalf(outgoing, mockResponse, destroy);
  // The connection stays open without the rest of the body.
  else sendHalf(outgoing, mockResponse, () => flushed?.());
}

/** Sends headers with the full length and the first half of the body. */
function sendHalf(outgoing: ServerResponse, mockResponse: MockResponse, then: () => void): void {
  if (mockResponse.body === null) return inTurn(outgoing, then);
  ignoreErrors(outgoing);
  const bytes = Buffer.from(mockResponse.body);
  writeHead(outgoing, mockResponse).write(bytes.subarray(0, bytes.byteLength >> 1), then);
}

/** Keeps the process running after a write to a connection that the client has closed. */
function ignoreErrors(outgoing: ServerResponse): void {
  outgoing.on('error', () => {});
}

/** Runs a function on the connection after the earlier responses on it were sent. */
function inTurn(outgoing: ServerResponse, act: (socket: Socket) => void): void {
  if (outgoing.socket === null) outgoing.once('socket', act);
  else act(outgoing.socket);
}
