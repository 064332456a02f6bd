import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { isValidSignature } from '@service/webhooks';
import { createDice } from '../orders.ts';

/** Receives webhooks on this machine, now and then badly, and remembers those that it acknowledged. */
export interface Receiver extends AsyncDisposable {
  /** Returns the address for the events of one endpoint. */
  readonly urlOf: (endpoint: string) => string;
  /** Says what signs the events of an endpoint. */
  readonly trust: (endpoint: string, secret: string) => void;
  /** Tells whether an event was received and acknowledged. */
  readonly has: (endpoint: string, body: string) => boolean;
  /** Counts the events that were acknowledged, and those that did not verify. */
  readonly counts: () => { readonly received: number; readonly forged: number };
  /** Forgets all endpoints and events; the counts start anew. */
  readonly clear: () => void;
}

/** Of a hundred events, how many are answered 500, and how many with a closed connection. */
const REFUSED = 4;
const DROPPED = 1;

/** Starts a receiver on a free port of the loopback interface. */
export async function startReceiver(seed: number): Promise<Receiver> {
  const { take, ...memory } = createMemory(createDice(seed));
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const status = take((request.url ?? '').slice(1), {
        body: await readText(request),
        signature: request.headers['x-service-signature'],
      });
      if (status === 'drop') request.socket.destroy();
      else response.writeHead(status).end();
    };
    // Whoever broke off has gone.
    answer().catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...memory,
    urlOf: (endpoint) => `http://127.0.0.1:${port}/${endpoint}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Hook {
  readonly body: string;
  readonly signature: string | string[] | undefined;
}

interface Memory extends Pick<Receiver, 'trust' | 'has' | 'counts' | 'clear'> {
  /** Takes an event and decides how it is answered. */
  readonly take: (endpoint: string, hook: Hook) => 200 | 401 | 500 | 'drop';
}

function createMemory(draw: (sides: number) => number): Memory {
  const secrets = new Map<string, string>();
  const bodies = new Map<string, Set<string>>();
  const counts = { received: 0, forged: 0 };
  return {
    take(endpoint, { body, signature }) {
      if (!isValidSignature(body, signature, secrets.get(endpoint) ?? 'nobody')) {
        counts.forged += 1;
        return 401;
      }
      const dice = draw(100);
      if (dice < REFUSED) return 500;
      if (dice < REFUSED + DROPPED) return 'drop';
      counts.received += 1;
      bodies.set(endpoint, (bodies.get(endpoint) ?? new Set()).add(body));
      return 200;
    },
    trust: (endpoint, secret) => void secrets.set(endpoint, secret),
    has: (endpoint, body) => bodies.get(endpoint)?.has(body) === true,
    counts: () => ({ ...counts }),
    clear() {
      secrets.clear();
      bodies.clear();
      Object.assign(counts, { received: 0, forged: 0 });
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
