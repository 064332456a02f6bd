import { createOrders } from '../orders.ts';
import type { ServerProcess } from './child.ts';
import { type Connection, openConnection, parseReply, type Reply } from './connection.ts';

/** Names the requests that are sent. */
export type Method = 'GET' | 'POST';

/** Holds what a server did under load. */
export interface Load {
  /** Answers per second of wall time. */
  readonly rate: number;
  /** Processor time of the server for an answer, in microseconds. */
  readonly cpu: number;
}

const CONNECTIONS = 32;
const REQUESTS = 6_000;
const LONGEST = 4_000;
const SUCCESS = { GET: 200, POST: 201 } as const;

/** Makes a function that writes the next request of a method as bytes. */
export function createRequests(method: Method, { headers, port }: ServerProcess): () => string {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map((pair) => pair.join(': '));
  const head = lines.join('\r\n');
  const nextOrder = createOrders(port);
  if (method === 'GET') return () => `GET /api/v1/balance HTTP/1.1\r\n${head}\r\n\r\n`;
  return () => {
    const body = nextOrder();
    return `POST /api/v1/payments HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
}

/** Sends one request and returns its answer; throws unless it is the one that is hoped for. */
export async function sendOnce(server: ServerProcess, method: Method): Promise<Reply> {
  using connection = await openConnection(server.port);
  const reply = parseReply(await connection.exchange(createRequests(method, server)()));
  if (reply.status !== SUCCESS[method]) throw new Error(`${method} was answered ${reply.status}`);
  return reply;
}

/** Loads a server with one method over all connections, each with one request under way, for 6 000 answers or 4 s. */
export async function loadServer(server: ServerProcess, method: Method): Promise<Load> {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openConnection(server.port)),
  );
  const requests = prepare(REQUESTS, createRequests(method, server));
  const wanted = `HTTP/1.1 ${SUCCESS[method]} `;
  const until = performance.now() + LONGEST;
  let answered = 0;
  const work = async ({ exchange }: Connection): Promise<void> => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
      const reply = await exchange(next);
      if (!reply.startsWith(wanted)) throw new Error(`${method} was answered ${reply.slice(0, 40)}`);
      answered += 1;
      if (performance.now() > until) return;
    }
  };
  const [cpu, start] = [await server.cpu(), performance.now()];
  await Promise.all(connections.map(work));
  const seconds = (performance.now() - start) / 1_000;
  const used = (await server.cpu()) - cpu;
  for (const connection of connections) connection[Symbol.dispose]();
  return { rate: answered / seconds, cpu: used / answered };
}

/** Writes all requests before the clock starts, so that the load costs less than the servers. */
function prepare(count: number, next: () => string): string[] {
  return Array.from({ length: count }, next);
}
