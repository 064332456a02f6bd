import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearTimeout, findRootCause, type RunClock, setTimeout } from '@service/internal';
import {
  type Receiver,
  SIGNATURE_HEADER,
  type WebhookRequest,
  type WebhookResponse,
} from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { createAddressError, type ListenAddress } from '../errors.ts';
import { readBodyStart } from '../input.ts';

/** The options of `startWebhookServer`. */
export type WebhookServerOptions = ListenAddress & {
  /** The only accepted path. Undefined accepts all. */
  readonly path: string | undefined;
  /** Handles a delivery. Must not reject. */
  readonly deliver: Receiver['deliver'];
  /** Prints a message about a request to another path. */
  readonly note: (line: string) => void;
};

/** A running HTTP server for webhooks. */
export interface WebhookServer {
  /** The address of the server on this machine. */
  readonly url: URL;
  /** Stops the server. Waits at most 2 s for open requests. */
  readonly close: () => Promise<void>;
}

/** Maximum time to wait for open requests, in milliseconds. */
const CLOSE_TIMEOUT = 2_000;

/**
 * Starts the server.
 *
 * @throws {UsageError} when the address cannot be listened on.
 */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { port, host, path, deliver, note } = options;
  // Each connection is closed after its response, so that the server can stop.
  const deliverAndClose = async (delivery: WebhookRequest): Promise<WebhookResponse> => {
    const { headers, ...rest } = await deliver(delivery);
    return { ...rest, headers: { ...headers, connection: 'close' } };
  };
  const handle = toNode(Object.assign(rejectFetch.bind(undefined), { deliver: deliverAndClose }));
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, (incoming, outgoing) => {
    if (path === undefined || pathOf(incoming) === path) {
      void handle(incoming, outgoing);
      return;
    }
    note(`404 for ${incoming.method} ${pathOf(incoming)}: only ${path} is accepted.`);
    incoming.resume();
    outgoing.writeHead(404, { connection: 'close' }).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(createAddressError(options, error)));
    server.listen(port, host, resolve);
  });
  const close = async (): Promise<void> => {
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearTimeout(timer);
  };
  return { url: toUrl(server, path), close };
}

function rejectFetch(): Promise<Response> {
  return Promise.reject(new TypeError('This receiver does not accept a Request.'));
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function toUrl(server: Server, path = '/'): URL {
  const { address, port, family } = server.address() as AddressInfo;
  const isAny = address === '0.0.0.0' || address === '::';
  const loopback = family === 'IPv6' ? '::1' : '127.0.0.1';
  const host = isAny ? loopback : address;
  return new URL(path, `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`);
}

/** The result of forwarding an event: the response of the app, or 502 and the reason. */
export interface ForwardResult {
  readonly outcome: { readonly status?: number; readonly error?: string };
  readonly response: WebhookResponse;
}

/** Forwards the raw bytes and the signature to an app. Never rejects. */
export type Forward = (
  body: Uint8Array,
  headers: WebhookRequest['headers'],
  signal: AbortSignal,
) => Promise<ForwardResult>;

/** Maximum time of the app in milliseconds, below the 10 s of the service. */
const FORWARD_TIMEOUT = 8_000;
/** Maximum size of the forwarded response, equal to the maximum size of a webhook. */
const MAX_RESPONSE_BYTES = 65_536;
const FORWARDED_HEADERS = ['content-type', 'user-agent', SIGNATURE_HEADER] as const;
const TEXT = 'text/plain; charset=utf-8';

function fail(error: string): ForwardResult {
  return {
    outcome: { error },
    response: { status: 502, headers: { 'content-type': TEXT }, body: 'not forwarded' },
  };
}

/** Creates a function that forwards events to an app. Redirects are returned, not followed. */
export function createForward(url: URL, fetch: typeof globalThis.fetch, clock: RunClock): Forward {
  // `Via` detects an event that returns through a proxy (RFC 9110, section 7.6.3).
  const via = `1.1 service-cli-${crypto.randomUUID()}`;
  return async (body, source, stop) => {
    const given = source as Readonly<Record<string, string | undefined>>;
    if (given.via?.includes(via)) return fail('--forward leads back to this listener');
    const late = new AbortController();
    const done = new AbortController();
    void clock.sleep(FORWARD_TIMEOUT, done.signal).then(() => late.abort());
    try {
      const headers = new Headers({ via: given.via === undefined ? via : `${given.via}, ${via}` });
      for (const name of FORWARDED_HEADERS) if (given[name] !== undefined) headers.set(name, given[name]);
      const signal = AbortSignal.any([stop, late.signal]);
      const init = {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        redirect: 'manual',
        signal,
      } as const;
      const response = await fetch(new Request(url, init));
      const { bytes, error } = await readBodyStart(response, MAX_RESPONSE_BYTES);
      if (error !== undefined) throw error;
      const { status } = response;
      const type = response.headers.get('content-type') ?? TEXT;
      return {
        outcome: { status },
        response: { status, headers: { 'content-type': type }, body: new TextDecoder().decode(bytes) },
      };
    } catch (error) {
      if (late.signal.aborted) return fail(`no complete response within ${FORWARD_TIMEOUT / 1_000} s`);
      return fail(findRootCause(error) ?? 'the listener was stopped');
    } finally {
      done.abort();
    }
  };
}
