import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { isUtf8 } from 'node:buffer';
import { request as requestHttps } from 'node:https';
import { unescape } from 'node:querystring';
import { closeServer, findRootCause, listenAt, readAll } from '@service/internal';
import { type Exchange, type ExchangeMessage, toBody } from '../exchange.ts';
import { createMask } from './mask.ts';

/** The addresses and callbacks of a recorder. */
export interface RecordTrafficOptions {
  /** The base URL of the service, including the version segment. */
  readonly to: URL;
  /**
   * The port to listen on; 0 for any free port.
   *
   * @default 0
   */
  readonly port?: number | undefined;
  /**
   * The address to listen on.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string | undefined;
  /** Called with each exchange, whose private values are masked. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Called with the reason for each request that was not forwarded. */
  readonly onRefused?: ((reason: string) => void) | undefined;
  /**
   * Returns the time in milliseconds, for tests.
   *
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

/** A running recorder. */
export interface TrafficRecorder {
  /** The base URL for the application. */
  readonly baseUrl: URL;
  /** Stops listening. Waits at most 2 s for open requests. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a proxy between an application and a service in test mode, and records their traffic. Refuses requests with a live
 * key.
 *
 * @throws {Error} with a `code` such as `EADDRINUSE` when the address cannot be listened on.
 * @example
 * const to = new URL('https://sandbox.example.com/api/v1');
 * const { baseUrl, close } = await recordTraffic({ to, onExchange: ({ request }) => console.log(request.path) });
 */
export async function recordTraffic(options: RecordTrafficOptions): Promise<TrafficRecorder> {
  const { to, port = 0, host = '127.0.0.1', now = Date.now, onExchange, onRefused } = options;
  const mask = createMask(randomUUID());
  const basePath = to.pathname.replace(/\/+$/, '');
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    // An application that ends before its request is read is no error of the proxy.
    incoming.on('error', () => {});
    const refusal = findRefusal(incoming, basePath);
    if (refusal !== undefined) {
      onRefused?.(`A ${method} request ${refusal.reason}`);
      incoming.resume();
      return respond(outgoing, refusal.status, refusal.type, refusal.message);
    }
    const start = now();
    const { bytes, isWhole } = await readAll(incoming, MAX_BYTES);
    if (!isWhole) return void outgoing.destroy();
    const outcome = await forward(incoming, bytes, outgoing, new URL(to.origin));
    const ownPath = path.slice(basePath.length) || '/';
    const exchange = {
      at: new Date(start).toISOString(),
      ms: Math.round(now() - start),
      request: { method, path: ownPath, ...toMessage(headers, bytes) },
      ...outcome,
    };
    onExchange(mask(exchange));
  };
  // A request may take as long as the application and the service want.
  const server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => void handle(incoming, outgoing));
  const url = await listenAt(server, port, host);
  return { baseUrl: new URL(basePath || '/', url), close: () => closeServer(server) };
}

/** Returns the response to a request that is not forwarded: one with a live key, also with escapes, or outside of the base path. */
function findRefusal({ rawHeaders, url: path = '/' }: IncomingMessage, basePath: string) {
  if ([...rawHeaders, path].some((text) => /service_live_/i.test(unescape(text))))
    return {
      status: 403,
      type: 'live_key_refused',
      message:
        'The recorder accepts only test keys (service_test_…). The request was not forwarded. Configure the application with its test key.',
      reason: 'with a live key was refused. Use a test key (service_test_…).',
    };
  if (path === basePath || path.startsWith(`${basePath}/`) || path.startsWith(`${basePath}?`))
    return undefined;
  return {
    status: 404,
    type: 'not_recorded',
    message: `The recorder forwards only paths below ${basePath}/. End the base URL of the application with ${basePath}.`,
    reason: `outside ${basePath}/ was not forwarded.`,
  };
}

/** Forwards a request to the service, and its response to the application, each after it is read to its end. Returns the response, or why there is none. */
async function forward(
  incoming: IncomingMessage,
  bytes: Buffer,
  outgoing: ServerResponse,
  origin: URL,
): Promise<Pick<Exchange, 'response' | 'error'>> {
  const closed = new AbortController();
  outgoing.once('close', () => closed.abort());
  const send = origin.protocol === 'https:' ? requestHttps : requestHttp;
  // A connection for each request: a kept one can end while a payment is sent, which is no fault of the service.
  const upstream = send(origin, {
    path: incoming.url,
    agent: false,
    method: incoming.method,
    headers: toRequestHeaders(incoming, origin, bytes),
    signal: closed.signal,
  });
  // After its response too, such as when the application closes the connection.
  upstream.on('error', () => {});
  try {
    upstream.end(bytes);
    const [received] = (await once(upstream, 'response')) as [IncomingMessage];
    const { statusCode: status = 502, statusMessage } = received;
    const { bytes: body, isWhole } = await readAll(received, MAX_BYTES);
    closed.signal.throwIfAborted();
    outgoing.sendDate = false;
    outgoing.writeHead(status, statusMessage, removeHopHeaders(received));
    // A response that breaks off breaks off for the application too.
    if (isWhole) outgoing.end(body);
    else outgoing.write(body, () => outgoing.destroy());
    return {
      response: { status, ...toMessage(received.headers, body) },
      ...(!isWhole && { error: 'the response broke off' }),
    };
  } catch (error) {
    if (closed.signal.aborted) return { error: 'the application closed the connection' };
    const reason = findRootCause(error) ?? String(error);
    respond(outgoing, 502, 'bad_gateway', `The recorder got no response from ${origin.origin}: ${reason}.`);
    return { error: `no response: ${reason}` };
  }
}

/** The size up to which a body is forwarded, and up to which it is kept, in bytes. */
const [MAX_BYTES, MAX_KEPT] = [100_000_000, 1_048_576];

/** Responds in the form of the service. Ends the connection, because the request may not have been read. */
function respond(outgoing: ServerResponse, status: number, type: string, message: string): void {
  const body = JSON.stringify({ success: false, error: { type, message } });
  outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

/** Headers of one connection (RFC 9110, section 7.6.1). */
const hopHeaders =
  /^(?:connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

/** Returns the headers as received, with their spelling and order, but without those of the connection. */
function removeHopHeaders({ rawHeaders, headers }: IncomingMessage, ...others: readonly string[]): string[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const removed = new Set([...named, ...others]);
  const isKept = (name: string): boolean => !hopHeaders.test(name) && !removed.has(name);
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && isKept(name.toLowerCase()) ? [name, rawHeaders[index + 1] ?? ''] : [],
  );
}

function toRequestHeaders(incoming: IncomingMessage, { host }: URL, { length }: Buffer): string[] {
  const hasLength =
    incoming.headers['content-length'] !== undefined ||
    (length === 0 && /^(?:GET|HEAD|OPTIONS)$/.test(incoming.method ?? ''));
  return [
    'Host',
    host,
    // The server of this process has already answered `Expect: 100-continue`. A compressed body could not be kept.
    ...removeHopHeaders(incoming, 'host', 'expect', 'accept-encoding'),
    ...(hasLength ? [] : ['Content-Length', String(length)]),
    'Connection',
    'close',
  ];
}

/** Returns a message as a recording keeps it: of a body that is too large or no text, only the size. */
function toMessage(headers: IncomingHttpHeaders, bytes: Buffer): ExchangeMessage {
  const kept = Object.entries(headers).filter(([name]) => name !== 'host');
  const isText = bytes.length <= MAX_KEPT && isUtf8(bytes);
  return {
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    ...(isText ? toBody(bytes.toString()) : { omitted: bytes.length }),
  };
}
