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
import { closeServer, findRootCause, listenAt, parseJson, readAll } from '@service/internal';
import type { Exchange, ExchangeMessage } from '../exchange.ts';
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
  const record = (exchange: Exchange): void => {
    const path = exchange.request.path.slice(basePath.length) || '/';
    onExchange(mask({ ...exchange, request: { ...exchange.request, path } }));
  };
  // A request may take as long as the application and the service want.
  const server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
    // An application that ends before its request is read is no error of the proxy.
    incoming.on('error', () => {});
    const refusal = findRefusal(incoming, basePath);
    if (refusal === undefined) void forward({ incoming, outgoing, origin: new URL(to.origin), now, record });
    else {
      onRefused?.(`A ${incoming.method} request ${refusal.reason}`);
      incoming.resume();
      respond(outgoing, refusal);
    }
  });
  const url = await listenAt(server, port, host);
  return { baseUrl: new URL(basePath || '/', url), close: () => closeServer(server) };
}

/** A response of the proxy itself. */
interface ProxyError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** Returns the response to a request that is not forwarded: one with a live key, or outside of the base path. */
function findRefusal(
  incoming: IncomingMessage,
  basePath: string,
): (ProxyError & { readonly reason: string }) | undefined {
  const { url: path = '/' } = incoming;
  if (hasLiveKey(incoming))
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

/** Returns whether a header or the address of a request has a live key, also with escapes. */
function hasLiveKey({ rawHeaders, url = '' }: IncomingMessage): boolean {
  return [...rawHeaders, url].some((text) => /service_live_/i.test(unescape(text)));
}

function unescape(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 16)),
  );
}

interface Forwarding {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly origin: URL;
  readonly now: () => number;
  /** Called after the request, with its path as received, before it is masked. */
  readonly record: (exchange: Exchange) => void;
}

/** Sends a request on, and its response back. Both are read to their ends before. */
async function forward({ incoming, outgoing, origin, now, record }: Forwarding): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming;
  const start = now();
  const { bytes, isWhole } = await readAll(incoming, MAX_BYTES);
  if (!isWhole) return void outgoing.destroy();
  const report = (error?: string, response?: Exchange['response']): void =>
    record({
      at: new Date(start).toISOString(),
      ms: Math.round(now() - start),
      request: { method, path: url, ...toMessage(headers, bytes) },
      ...(response && { response }),
      ...(error !== undefined && { error }),
    });
  const closed = new AbortController();
  outgoing.once('close', () => closed.abort());
  const send = origin.protocol === 'https:' ? requestHttps : requestHttp;
  // A connection for each request: a kept one can end while a payment is sent, which is no fault of the service.
  const upstream = send(origin, {
    path: url,
    agent: false,
    method,
    headers: toRequestHeaders(incoming, origin, bytes),
    signal: closed.signal,
  });
  // After its response too, such as when the application closes the connection.
  upstream.on('error', () => {});
  try {
    upstream.end(bytes);
    const [received] = (await once(upstream, 'response')) as [IncomingMessage];
    const { statusCode: status = 502, statusMessage } = received;
    const response = await readAll(received, MAX_BYTES);
    if (closed.signal.aborted) return report(CLOSED);
    report(response.isWhole ? undefined : 'the response broke off', {
      status,
      ...toMessage(received.headers, response.bytes),
    });
    outgoing.sendDate = false;
    outgoing.writeHead(status, statusMessage, removeHopHeaders(received));
    // A response that breaks off breaks off for the application too.
    if (response.isWhole) outgoing.end(response.bytes);
    else outgoing.write(response.bytes, () => outgoing.destroy());
  } catch (error) {
    if (closed.signal.aborted) return report(CLOSED);
    const reason = findRootCause(error) ?? String(error);
    report(`no response: ${reason}`);
    respond(outgoing, {
      status: 502,
      type: 'bad_gateway',
      message: `The recorder got no response from ${origin.origin}: ${reason}.`,
    });
  }
}

const CLOSED = 'the application closed the connection';

/** The size up to which a body is forwarded, and up to which it is kept, in bytes. */
const [MAX_BYTES, MAX_KEPT] = [100_000_000, 1_048_576];

/** Responds in the form of the service. Ends the connection, because the request may not have been read. */
function respond(outgoing: ServerResponse, { status, type, message }: ProxyError): void {
  const body = JSON.stringify({ success: false, error: { type, message } });
  outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

/** Headers of one connection (RFC 9110, section 7.6.1). */
const hopHeaders =
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  );

/** Returns the headers as received, with their spelling and order, but without those of the connection. */
function removeHopHeaders({ rawHeaders, headers }: IncomingMessage, ...others: readonly string[]): string[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const removed = new Set([...hopHeaders, ...named, ...others]);
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !removed.has(name.toLowerCase()) ? [name, rawHeaders[index + 1] ?? ''] : [],
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
  const joined = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'host' ? [] : [[name, String(value)]],
  );
  return { headers: Object.fromEntries(joined) as Record<string, string>, ...readBody(bytes) };
}

function readBody(bytes: Buffer): Omit<ExchangeMessage, 'headers'> {
  if (bytes.length === 0) return {};
  if (bytes.length > MAX_KEPT || !isUtf8(bytes)) return { omitted: bytes.length };
  const text = bytes.toString();
  const body = parseJson(text);
  return body === undefined ? { text } : { body };
}
