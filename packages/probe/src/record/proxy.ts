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
import { findRootCause, parseJson } from '@service/internal';
import type { Exchange, ExchangeMessage } from '../exchange.ts';
import { close, listen, readAll } from '../server.ts';

/** A forwarded request and its response, before they are masked. The path is as received. */
type Forwarded = Omit<Exchange, 'kind'>;

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

/** Starts a proxy. It passes status, headers and bodies on as they are. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
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
  return { url: await listen(server, port, host), close: () => close(server) };
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
