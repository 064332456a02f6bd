import { createOrders } from '../orders.ts';
import type { Subject } from '../rounds.ts';
import type { ServerProcess } from './child.ts';
import { type Connection, openConnection, parseResponse, type WireResponse } from './connection.ts';

export type Method = 'GET' | 'POST';

/** The results of a server under load. */
export interface Load {
  /** Responses per second of wall time. */
  readonly rate: number;
  /** CPU time of the server per response, in microseconds. */
  readonly cpu: number;
}

const CONNECTIONS = 32;
const REQUESTS = 6_000;
const MAX_DURATION = 4_000;
const successStatus = { GET: 200, POST: 201 } as const;

/** Returns a source of requests as bytes. */
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

/**
 * Sends one request.
 *
 * @throws {Error} when the response is not a success
 */
export async function sendOnce(server: ServerProcess, method: Method): Promise<WireResponse> {
  using connection = await openConnection(server.port);
  const response = parseResponse(await connection.exchange(createRequests(method, server)()));
  if (response.status !== successStatus[method])
    throw new Error(`${method} responded with ${response.status}.`);
  return response;
}

/** Sends up to 6 000 requests within 4 s, over 32 connections with one request in flight each. */
export async function loadServer(server: ServerProcess, method: Method): Promise<Load> {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openConnection(server.port)),
  );
  // Created before the measurement, so that the load needs less CPU time than the servers.
  const requests = Array.from({ length: REQUESTS }, createRequests(method, server));
  const wanted = `HTTP/1.1 ${successStatus[method]} `;
  const until = performance.now() + MAX_DURATION;
  let responses = 0;
  const sendRequests = async ({ exchange }: Connection): Promise<void> => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
      const response = await exchange(next);
      if (!response.startsWith(wanted)) throw new Error(`${method} responded with ${response.slice(0, 40)}`);
      responses += 1;
      if (performance.now() > until) return;
    }
  };
  const [cpu, start] = [await server.cpu(), performance.now()];
  await Promise.all(connections.map(sendRequests));
  const seconds = (performance.now() - start) / 1_000;
  const used = (await server.cpu()) - cpu;
  for (const connection of connections) connection[Symbol.dispose]();
  return { rate: responses / seconds, cpu: used / responses };
}

/** Creates a subject that returns the rate of a server, and adds the processor time of each round to a list. */
export function createLoad(server: ServerProcess, method: Method, costs: number[]): Subject {
  return async () => {
    const measured = await loadServer(server, method);
    costs.push(measured.cpu);
    return measured.rate;
  };
}
