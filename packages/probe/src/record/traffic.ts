import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { closeServer, findRootCause, listenAt, parseJson, readAll, toRecord } from '@service/internal';
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
  /**
   * The receiver of the application, to which a second listener forwards webhooks.
   *
   * @default none: webhooks are not recorded
   */
  readonly webhooks?: WebhookForwarding | undefined;
  /**
   * Whether the names of beneficiaries and banks stay readable.
   *
   * @default false
   */
  readonly keepNames?: boolean | undefined;
  /** Called with each exchange, whose private values are masked. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Called with the reason for each request that was not forwarded, or not kept. */
  readonly onRefused?: ((reason: string) => void) | undefined;
  /**
   * Returns the time in milliseconds, for tests.
   *
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

/** A receiver of webhooks, and the port of the listener for it. */
export interface WebhookForwarding {
  /** The URL of the receiver. */
  readonly to: URL;
  /**
   * The port to which the webhook endpoint of the service leads; 0 for any free port.
   *
   * @default 0
   */
  readonly port?: number | undefined;
}

/** A running recorder. */
export interface TrafficRecorder {
  /** The base URL for the application. */
  readonly baseUrl: URL;
  /** The address of the listener for webhooks. */
  readonly webhookUrl: URL | undefined;
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
  const { to, port = 0, host = '127.0.0.1', webhooks, now = Date.now } = options;
  const mask = createMask({ secret: randomUUID(), keepsNames: options.keepNames ?? false });
  const basePath = to.pathname.replace(/\/+$/, '');
  const start = (kind: Exchange['kind'], given: Pick<ProxyOptions, 'port' | 'route'>) =>
    startProxy({
      ...given,
      host,
      now,
      onForwarded: (forwarded) => {
        const { path } = forwarded.request;
        const own = kind === 'api' ? path.slice(basePath.length) || '/' : path;
        const exchange = { kind, ...forwarded, request: { ...forwarded.request, path: own } };
        if (isLive(exchange)) options.onRefused?.('An event in live mode was forwarded, but not kept.');
        else options.onExchange(mask(exchange));
      },
    });
  const api = await start('api', { port, route: createRoute(to, basePath, options.onRefused) });
  const hooks =
    webhooks &&
    (await start('webhook', { port: webhooks.port ?? 0, route: () => toDestination(webhooks.to) }).catch(
      async (error: unknown) => {
        await api.close();
        throw error;
      },
    ));
  return {
    baseUrl: new URL(basePath || '/', api.url),
    webhookUrl: hooks?.url,
    close: async () => void (await Promise.all([api.close(), hooks?.close()])),
  };
}

function toDestination({ origin, pathname, search }: URL): Destination {
  return { origin: new URL(origin), path: `${pathname}${search}` };
}

/** Creates the function that forwards requests below the base path, and refuses live keys. */
function createRoute(
  to: URL,
  basePath: string,
  onRefused: RecordTrafficOptions['onRefused'],
): ProxyOptions['route'] {
  const origin = new URL(to.origin);
  return (incoming) => {
    const { method, url: path = '/' } = incoming;
    if (hasLiveKey(incoming)) {
      onRefused?.(`A ${method} request with a live key was refused. Use a test key (service_test_…).`);
      return liveKey;
    }
    if (path === basePath || path.startsWith(`${basePath}/`) || path.startsWith(`${basePath}?`))
      return { origin, path };
    onRefused?.(`A ${method} request outside ${basePath}/ was not forwarded.`);
    return {
      status: 404,
      type: 'not_recorded',
      message: `The recorder forwards only paths below ${basePath}/. End the base URL of the application with ${basePath}.`,
    };
  };
}

const liveKey: ProxyError = {
  status: 403,
  type: 'live_key_refused',
  message:
    'The recorder accepts only test keys (service_test_…). The request was not forwarded. Configure the application with its test key.',
};

/** Returns whether a header or the address of a request has a live key, in any encoding of HTTP. */
function hasLiveKey({ rawHeaders, url = '' }: IncomingMessage): boolean {
  const basic = rawHeaders.flatMap((text) => {
    const [, encoded] = /^basic\s+(\S+)/i.exec(text) ?? [];
    return encoded === undefined ? [] : [Buffer.from(encoded, 'base64').toString('utf8')];
  });
  return [...rawHeaders, ...basic, url].some((text) => /service_live_/i.test(unescape(text)));
}

function unescape(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 16)),
  );
}

/** Returns whether a webhook is about a payment in live mode. */
function isLive({ kind, request: { body } }: Exchange): boolean {
  const { mode, data } = toRecord(body);
  return kind === 'webhook' && (mode === 'live' || toRecord(data).mode === 'live');
}

/** A forwarded request and its response, before they are masked. The path is as received. */
type Forwarded = Omit<Exchange, 'kind'>;

/** A response of the proxy itself. */
interface ProxyError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** The destination of a request. */
interface Destination {
  readonly origin: URL;
  /** The path and the query, sent as they are. */
  readonly path: string;
}

/** The options of `startProxy`. */
interface ProxyOptions {
  readonly host: string;
  readonly port: number;
  /** Returns the destination of a request, or the response to one that is not forwarded. */
  readonly route: (incoming: IncomingMessage) => Destination | ProxyError;
  /** Called after each forwarded request. */
  readonly onForwarded: (forwarded: Forwarded) => void;
  /** Returns the time in milliseconds. */
  readonly now: () => number;
}

/** Starts a proxy. It passes status, headers and bodies on as they are. */
async function startProxy(options: ProxyOptions) {
  const { host, port, route } = options;
  // A request may take as long as the application and the service want.
  const server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
    const target = route(incoming);
    // An application that ends before its request is read is no error of the proxy.
    incoming.on('error', () => {});
    if ('status' in target) {
      incoming.resume();
      respond(outgoing, target);
    } else void forward({ incoming, outgoing, target }, options);
  });
  return { url: await listenAt(server, port, host), close: () => closeServer(server) };
}

interface Connection {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly target: Destination;
}

/** Sends a request on, and its response back. Both are read to their ends before. */
async function forward(
  { incoming, outgoing, target: { origin, path } }: Connection,
  { now, onForwarded }: ProxyOptions,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming;
  const start = now();
  const { bytes, isWhole } = await readAll(incoming, MAX_BYTES);
  if (!isWhole) return void outgoing.destroy();
  const report = (error?: string, response?: Forwarded['response']): void =>
    onForwarded({
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
    path,
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

/** The size up to which a body is forwarded, in bytes. */
const MAX_BYTES = 100_000_000;

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
    // The server of this process has already answered `Expect: 100-continue`.
    ...removeHopHeaders(incoming, 'host', 'expect'),
    ...(hasLength ? [] : ['Content-Length', String(length)]),
    'Connection',
    'close',
  ];
}

/** The size up to which a body is kept, in bytes. */
const MAX_KEPT = 1_048_576;

/** Returns a message as a recording keeps it: a body that is too large or cannot be decoded is only counted. */
function toMessage(headers: IncomingHttpHeaders, bytes: Buffer): ExchangeMessage {
  const joined = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'host' ? [] : [[name, String(value)]],
  );
  return { headers: Object.fromEntries(joined) as Record<string, string>, ...decodeBody(bytes, headers) };
}

function decodeBody(bytes: Buffer, headers: IncomingHttpHeaders): Omit<ExchangeMessage, 'headers'> {
  if (bytes.length === 0) return {};
  try {
    const plain = decompress(bytes, headers['content-encoding']);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(plain);
    const body = parseJson(text);
    return body === undefined ? { text } : { body };
  } catch {
    return { omitted: bytes.length };
  }
}

const limits = { maxOutputLength: MAX_KEPT };

/** @throws {Error} when the body is too large, or cannot be decoded. */
function decompress(bytes: Buffer, encoding = 'identity'): Buffer {
  if (/^(?:x-)?gzip$/i.test(encoding)) return gunzipSync(bytes, limits);
  if (/^deflate$/i.test(encoding)) return inflateSync(bytes, limits);
  if (/^br$/i.test(encoding)) return brotliDecompressSync(bytes, limits);
  if (bytes.length > MAX_KEPT || !/^identity$/i.test(encoding)) throw new Error(encoding);
  return bytes;
}
