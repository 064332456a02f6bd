import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearTimeout, setTimeout } from '@service/internal';
import type { WebhookRequest, Receiver } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { createAddressError, type ListenAddress } from '../errors.ts';

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
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, createListener(options));
  const { port, host } = options;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    throw createAddressError(options, error);
  }
  return { url: toUrl(server, options), close: () => close(server) };
}

function createListener({ path, deliver, note }: WebhookServerOptions): RequestListener {
  const handle = toNode(toReceiver(deliver));
  return (incoming, outgoing) => {
    if (path === undefined || pathOf(incoming) === path) {
      void handle(incoming, outgoing);
      return;
    }
    note(`404 for ${incoming.method} ${pathOf(incoming)}: only ${path} is accepted.`);
    incoming.resume();
    outgoing.writeHead(404, { connection: 'close' }).end();
  };
}

const rejectFetchRequest = (): Promise<Response> =>
  Promise.reject(new TypeError('This receiver does not accept a Request.'));

/** Wraps `deliver` as a receiver for the adapter. Closes each connection after its response, so that the server can stop. */
function toReceiver(deliver: Receiver['deliver']): Receiver {
  const deliverAndClose = async (delivery: WebhookRequest): ReturnType<Receiver['deliver']> => {
    const { headers, ...rest } = await deliver(delivery);
    return { ...rest, headers: { ...headers, connection: 'close' } };
  };
  return Object.assign(rejectFetchRequest, { deliver: deliverAndClose });
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function toUrl(server: Server, { path = '/' }: WebhookServerOptions): URL {
  const { address, port, family } = server.address() as AddressInfo;
  const isAny = address === '0.0.0.0' || address === '::';
  const loopback = family === 'IPv6' ? '::1' : '127.0.0.1';
  const host = isAny ? loopback : address;
  return new URL(path, `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`);
}

async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(timer);
}
