import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, isServiceError, type Outcome, type PaymentInput } from '@service/sdk';
import { createMock, type Mock, type Profile } from '@service/mock';
import { listen } from '@service/mock/node';
import { createRandom } from './random.ts';

/** A server of one test on a free port of this machine. */
export interface LocalServer extends AsyncDisposable {
  readonly port: number;
}

type Handle = (incoming: IncomingMessage, body: Buffer, response: ServerResponse) => unknown;

async function serve(handle: Handle): Promise<LocalServer> {
  const server: Server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => handle(incoming, Buffer.concat(pieces), response));
    incoming.on('error', () => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Sends a request on to another port. Rejects when no complete response comes within `timeout` milliseconds. */
function forward(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  { port, timeout = 30_000 }: { port: number; timeout?: number },
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method, path: url, headers, timeout, agent: false };
    const onward = request(options, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: Buffer.concat(pieces) }),
      );
    });
    onward.on('timeout', () => onward.destroy(new Error('timeout')));
    onward.on('error', reject);
    onward.end(body);
  });
}

/** Starts a server before the service that loses 1 of 4 creates: before they arrive, their responses, or for too long. */
export function startFlakyUpstream(port: number, random: () => number): Promise<LocalServer> {
  return serve(async (incoming, body, response) => {
    const fate = incoming.method === 'POST' ? random() : 1;
    if (fate < 0.05) return incoming.socket.destroy();
    const reply = await forward(incoming, body, { port });
    if (fate < 0.2) return incoming.socket.destroy();
    // Left open, until the gateway gives up.
    if (fate < 0.25) return undefined;
    return response.writeHead(reply.status, reply.headers).end(reply.body);
  });
}

/** Starts a gateway that repeats every request at the next upstream when one fails, as nginx does with `non_idempotent`. */
export function startRepeatingGateway(upstreams: readonly number[]): Promise<LocalServer> {
  let next = 0;
  return serve(async (incoming, body, response) => {
    for (let attempt = 0; attempt < upstreams.length; attempt += 1) {
      const port = upstreams[(next += 1) % upstreams.length] as number;
      const reply = await forward(incoming, body, { port, timeout: 1_000 }).catch(() => undefined);
      if (reply !== undefined) return response.writeHead(reply.status, reply.headers).end(reply.body);
    }
    return response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
  });
}

/** Starts a gateway over the ports of two upstreams. */
export type StartGateway = (upstreams: readonly number[]) => Promise<LocalServer>;

/** One run of creates behind a gateway that repeats requests. */
export interface GatewayRun {
  readonly creates: number;
  readonly seed: number;
  /** What the client does with keys. */
  readonly keys: 'send' | 'omit';
  /** What the service does with a repeated key. */
  readonly service: Profile['idempotency'];
  /** How many payments the wallet of each create can pay. */
  readonly funds: 1 | 2;
}

/** The outcomes of a run, and where they differ from the payments of the service. */
export interface GatewayFigures {
  readonly outcomes: Readonly<Record<'created' | Outcome, number>>;
  readonly paidTwice: number;
  /** Creates that were reported as `rejected` or `not_sent`, and whose payment exists. */
  readonly falselyRejected: number;
  /** Creates that were reported as created, and whose payment does not exist. */
  readonly missing: number;
}

/** Creates payments through a gateway over two flaky upstreams of one service, each from a wallet of its own, and counts. */
export async function payBehindGateway(run: GatewayRun, start: StartGateway): Promise<GatewayFigures> {
  const random = createRandom(run.seed);
  const mock = createMock({ profile: { idempotency: run.service }, requestLog: { requests: 1 } });
  const server = await listen(mock, { port: 0, control: 'off' });
  try {
    const { port } = new URL(server.baseUrl);
    await using one = await startFlakyUpstream(Number(port), random);
    await using two = await startFlakyUpstream(Number(port), random);
    await using gateway = await start([one.port, two.port]);
    return await payAll(run, { mock, baseUrl: `http://127.0.0.1:${gateway.port}/api/v1` });
  } finally {
    await server.close();
    await mock.close();
  }
}

const order: PaymentInput = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '10.00',
  beneficiary_name: 'Acme Supplies Ltd',
};
const concurrency = 16;

async function payAll(
  { creates, keys, funds }: GatewayRun,
  { mock, baseUrl }: { mock: Mock; baseUrl: string },
): Promise<GatewayFigures> {
  const figures = {
    outcomes: { created: 0, not_sent: 0, rejected: 0, unknown: 0 },
    paidTwice: 0,
    falselyRejected: 0,
    missing: 0,
  };
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < creates) {
      begun += 1;
      const { testKey } = mock.sandbox.accounts.create({ balances: { USD: `${10 * funds}.00` } });
      const client = createClient({ apiKey: testKey, baseUrl, idempotencyKeys: keys });
      const outcome = await client.payments.create(order).then(
        () => 'created' as const,
        (error: unknown) => (isServiceError(error) && error.outcome) || 'unknown',
      );
      const made = await countPayments(mock, testKey);
      figures.outcomes[outcome] += 1;
      if (made > 1) figures.paidTwice += 1;
      if (made > 0 && (outcome === 'rejected' || outcome === 'not_sent')) figures.falselyRejected += 1;
      if (made === 0 && outcome === 'created') figures.missing += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return figures;
}

/** Counts the payments of an account, past the gateway. */
async function countPayments(mock: Mock, apiKey: string): Promise<number> {
  const client = createClient({ apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
  const { transactions } = await client.transactions.list({ type: 'payment' });
  return transactions.length;
}
