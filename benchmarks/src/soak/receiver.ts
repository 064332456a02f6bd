import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { isValidSignature } from '@service/webhooks';
import { createRandom } from '../orders.ts';

/** A webhook receiver on this machine that sometimes fails, and stores the events that it acknowledged. */
export interface Receiver extends AsyncDisposable {
  /** Returns the URL for the events of one endpoint. */
  readonly urlOf: (endpoint: string) => string;
  /** Sets the signing secret of an endpoint. */
  readonly setSecret: (endpoint: string, secret: string) => void;
  /** Returns whether an event was acknowledged. */
  readonly has: (endpoint: string, body: string) => boolean;
  /** Returns the numbers of acknowledged events and of events with an invalid signature. */
  readonly counts: () => { readonly received: number; readonly forged: number };
  /** Removes all endpoints, events and counts. */
  readonly clear: () => void;
}

/** Percentages of events with the response 500, and with a closed connection. */
const ERROR_PERCENT = 4;
const DROP_PERCENT = 1;

/** Starts a receiver on a free port of the loopback interface. */
export async function startReceiver(seed: number): Promise<Receiver> {
  const { receive, ...store } = createEventStore(createRandom(seed));
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const status = receive((request.url ?? '').slice(1), {
        body: await readText(request),
        signature: request.headers['x-service-signature'],
      });
      if (status === 'drop') request.socket.destroy();
      else response.writeHead(status).end();
    };
    // The sender closed the connection.
    respond().catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...store,
    urlOf: (endpoint) => `http://127.0.0.1:${port}/${endpoint}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface SignedBody {
  readonly body: string;
  readonly signature: string | string[] | undefined;
}

interface EventStore extends Pick<Receiver, 'setSecret' | 'has' | 'counts' | 'clear'> {
  /** Stores an event and returns its response. */
  readonly receive: (endpoint: string, signed: SignedBody) => 200 | 401 | 500 | 'drop';
}

function createEventStore(random: (limit: number) => number): EventStore {
  const secrets = new Map<string, string>();
  const bodies = new Map<string, Set<string>>();
  const counts = { received: 0, forged: 0 };
  return {
    receive(endpoint, { body, signature }) {
      if (!isValidSignature(body, signature, secrets.get(endpoint) ?? 'unknown endpoint')) {
        counts.forged += 1;
        return 401;
      }
      const percent = random(100);
      if (percent < ERROR_PERCENT) return 500;
      if (percent < ERROR_PERCENT + DROP_PERCENT) return 'drop';
      counts.received += 1;
      bodies.set(endpoint, (bodies.get(endpoint) ?? new Set()).add(body));
      return 200;
    },
    setSecret: (endpoint, secret) => void secrets.set(endpoint, secret),
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
