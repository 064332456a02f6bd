import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { clearTimeout, findRootCause, setTimeout } from '@service/internal';
import { captureBody, type CapturedBody } from './body.ts';

/** A forwarded request and its response, before it is masked. */
export interface Forwarded {
  readonly method: string;
  /** The path and the query as received. */
  readonly url: string;
  /** The start, and the end of the response, in milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly request: ForwardedMessage;
  /** Undefined if no response arrived. */
  readonly response: (ForwardedMessage & { readonly status: number }) | undefined;
  readonly error: string | undefined;
}

/** The headers and the body of a forwarded message. */
export interface ForwardedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly body: CapturedBody;
}

/** A response of the proxy itself. */
export interface ProxyError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** The destination of a request. */
export interface Destination {
  readonly origin: URL;
  /** The path and the query, sent as they are. */
  readonly path: string;
}

/** The options of `startProxy`. */
export interface ProxyOptions {
  readonly host: string;
  readonly port: number;
  /** Returns the destination of a request, or the response to one that is not forwarded. */
  readonly route: (incoming: IncomingMessage) => Destination | ProxyError;
  /** Called after each forwarded request. */
  readonly onForwarded: (forwarded: Forwarded) => void;
  /** Returns the time in milliseconds. */
  readonly now: () => number;
}

/** A running proxy. */
export interface Proxy {
  readonly url: URL;
  /** Stops the proxy. Waits at most 2 s for open requests. */
  readonly close: () => Promise<void>;
}

/** Maximum time to wait for open requests, in milliseconds. */
const CLOSE_TIMEOUT = 2_000;

/** Starts a proxy. It passes status, headers and bodies on as they are, while they arrive. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { host, port, route } = options;
  // A request may take as long as the application and the service want.
  const server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
    const target = route(incoming);
    // An application that ends before its request is read is no error of the proxy.
    incoming.on('error', () => {});
    if ('status' in target) respond(incoming, outgoing, target);
    else forward({ incoming, outgoing, target }, options);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  const shown = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  const url = new URL(`http://${family === 'IPv6' ? `[${shown}]` : shown}:${actual}`);
  return { url, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}

interface Connection {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly target: Destination;
}

function forward({ incoming, outgoing, target }: Connection, options: ProxyOptions): void {
  const observer = observe(incoming, options);
  const { origin, path } = target;
  const send = origin.protocol === 'https:' ? requestHttps : requestHttp;
  // A connection for each request: a kept one can end while a payment is sent, which is no fault of the service.
  const upstream = send(origin, {
    path,
    agent: false,
    method: incoming.method,
    headers: toRequestHeaders(incoming, origin),
  });
  upstream.on('response', (response) => {
    observer.receive(response);
    relay(response, outgoing);
    response.on('close', () => observer.finish(response.complete ? undefined : BROKEN));
  });
  upstream.on('error', (error) => {
    const reason = findRootCause(error) ?? error.message;
    observer.finish(outgoing.headersSent ? BROKEN : `no response: ${reason}`);
    if (outgoing.headersSent || outgoing.destroyed) return;
    respond(incoming, outgoing, {
      status: 502,
      type: 'bad_gateway',
      message: `The recorder got no response from ${origin.origin}: ${reason}.`,
    });
  });
  outgoing.on('close', () => {
    if (outgoing.writableFinished) return;
    observer.finish('the application closed the connection');
    upstream.destroy();
  });
  incoming.on('error', () => upstream.destroy());
  incoming.pipe(upstream);
}

const BROKEN = 'the response broke off';

/** Passes a response on. A response that breaks off breaks off for the application too. */
function relay(response: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.sendDate = false;
  outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, removeHopHeaders(response));
  outgoing.flushHeaders();
  response.pipe(outgoing);
  response.on('close', () => {
    if (!response.complete) outgoing.destroy();
  });
}

interface Observer {
  readonly receive: (response: IncomingMessage) => void;
  /** Reports the exchange. Later calls have no effect. */
  readonly finish: (error: string | undefined) => void;
}

/** Collects a request and its response for the recording. */
function observe(incoming: IncomingMessage, { onForwarded, now }: ProxyOptions): Observer {
  const start = now();
  const request = { headers: incoming.headers, body: captureBody(incoming) };
  let response: Forwarded['response'];
  let isFinished = false;
  return {
    receive: (received) => {
      const { statusCode: status = 0, headers } = received;
      response = { status, headers, body: captureBody(received) };
    },
    finish: (error) => {
      if (isFinished) return;
      isFinished = true;
      const { method = 'GET', url = '/' } = incoming;
      onForwarded({ method, url, start, end: now(), request, response, error });
    },
  };
}

/** Responds in the form of the service. Ends the connection, because the request may not have been read. */
function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, type, message }: ProxyError,
): void {
  incoming.unpipe();
  incoming.resume();
  const body = JSON.stringify({ success: false, error: { type, message } });
  outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

/** Headers of one connection (RFC 9110, section 7.6.1). */
const hopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Returns the headers as received, with their spelling and order, but without those of the connection. */
function removeHopHeaders({ rawHeaders, headers }: IncomingMessage, ...others: readonly string[]): string[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const removed = new Set([...hopHeaders, ...named, ...others]);
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !removed.has(name.toLowerCase()) ? [name, rawHeaders[index + 1] ?? ''] : [],
  );
}

function toRequestHeaders(incoming: IncomingMessage, { host }: URL): string[] {
  const { headers } = incoming;
  const isChunked = headers['transfer-encoding'] !== undefined;
  const hasBody = isChunked || headers['content-length'] !== undefined;
  return [
    'Host',
    host,
    // The server of this process has already answered `Expect: 100-continue`.
    ...removeHopHeaders(incoming, 'host', 'expect'),
    ...(isChunked ? ['Transfer-Encoding', 'chunked'] : []),
    ...(hasBody || /^(?:GET|HEAD|OPTIONS)$/.test(incoming.method ?? '') ? [] : ['Content-Length', '0']),
    'Connection',
    'close',
  ];
}
