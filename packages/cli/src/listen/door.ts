import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Delivery, Receiver } from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { type ListenAddress, refuseAddress } from '../listening.ts';

/** Says where deliveries are taken, and what answers them. */
export type DoorPlan = ListenAddress & {
  /** Says what to do where the port is in use. Default: what there is with `--port`. */
  readonly advice?: string;
  /** Is the one path that is answered; any where undefined. */
  readonly path: string | undefined;
  /** Answers a delivery; it must not reject. */
  readonly deliver: Receiver['deliver'];
  /** Tells a person of requests that are no deliveries. */
  readonly note: (line: string) => void;
};

/** Is an open door for deliveries. */
export type Door = {
  /** Is where the service, on this machine, delivers to. */
  readonly url: URL;
  /** Lets nobody in any more, and waits for the answers on their way, for a moment. */
  readonly close: () => Promise<void>;
};

// Kept from load time, so that fake timers installed later cannot freeze a run.
const { setTimeout, clearTimeout } = globalThis;
const grace = 2_000;

/** Opens the door. Throws UsageError for an address that cannot be had. */
export async function openDoor(plan: DoorPlan): Promise<Door> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, createListener(plan));
  const { port, host } = plan;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    throw refuseAddress(plan, error, plan.advice);
  }
  return { url: toUrl(server, plan), close: () => close(server) };
}

function createListener({ path, deliver, note }: DoorPlan): RequestListener {
  const handle = toNode(toReceiver(deliver));
  return (incoming, outgoing) => {
    if (path === undefined || pathOf(incoming) === path) {
      void handle(incoming, outgoing);
      return;
    }
    note(`404 for ${incoming.method} ${pathOf(incoming)}: only ${path} is listened at.`);
    incoming.resume();
    outgoing.writeHead(404, { connection: 'close' }).end();
  };
}

const refuse = (): Promise<Response> => Promise.reject(new TypeError('This receiver takes no Request.'));

/** Dresses up what answers deliveries as what an adapter takes; connections end with their answer, and the door with them. */
function toReceiver(deliver: Receiver['deliver']): Receiver {
  const answer = async (delivery: Delivery): ReturnType<Receiver['deliver']> => {
    const { headers, ...rest } = await deliver(delivery);
    return { ...rest, headers: { ...headers, connection: 'close' } };
  };
  return Object.assign(refuse, { deliver: answer });
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function toUrl(server: Server, { path = '/' }: DoorPlan): URL {
  const { address, port, family } = server.address() as AddressInfo;
  const isAny = address === '0.0.0.0' || address === '::';
  const loopback = family === 'IPv6' ? '::1' : '127.0.0.1';
  const host = isAny ? loopback : address;
  return new URL(path, `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`);
}

async function close(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), grace);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(timer);
}
