import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createClient, ServiceError, type Outcome } from '@service/sdk';
import { createMock, type Mock, type Profile } from '@service/mock';
import { listen } from '@service/mock/node';
import { listenAtFreePort } from './listen.ts';
import { order } from './order.ts';
import { createRandom } from './random.ts';

/** A server of one test on a free port of this machine. */
interface LocalServer extends AsyncDisposable {
  readonly port: number;
}

type Handle = (incoming: IncomingMessage, body: Buffer, response: ServerResponse) => Promise<unknown>;

async function serve(handle: Handle): Promise<LocalServer> {
  const server: Server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      // After the run, the service closes before the last repeated requests end.
      handle(incoming, Buffer.concat(pieces), response).catch(() => response.destroy());
    });
    incoming.on('error', () => response.destroy());
  });
  return {
    port: await listenAtFreePort(server),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface ForwardedResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Forwards a request to another port. Rejects if the response is not complete within `timeout` milliseconds. */
function forward(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  { port, timeout = 30_000 }: { port: number; timeout?: number },
): Promise<ForwardedResponse> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method, path: url, headers, timeout, agent: false };
    const outgoing = request(options, (upstreamResponse) => {
      const pieces: Buffer[] = [];
      upstreamResponse.on('data', (piece: Buffer) => pieces.push(piece));
      upstreamResponse.on('error', reject);
      upstreamResponse.on('end', () =>
        resolve({
          status: upstreamResponse.statusCode ?? 502,
          headers: upstreamResponse.headers,
          body: Buffer.concat(pieces),
        }),
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Starts a proxy that loses 1 of 4 creates: before the service, after it, or by a response that never comes. */
function startFlakyUpstream(port: number, random: () => number): Promise<LocalServer> {
  return serve(async (incoming, body, response) => {
    const chance = incoming.method === 'POST' ? random() : 1;
    if (chance < 0.05) return incoming.socket.destroy();
    const forwarded = await forward(incoming, body, { port });
    if (chance < 0.2) return incoming.socket.destroy();
    // No response: the gateway times out.
    if (chance < 0.25) return undefined;
    return response.writeHead(forwarded.status, forwarded.headers).end(forwarded.body);
  });
}

/** Starts a gateway that repeats a failed request at the next upstream, like nginx with `non_idempotent`. */
function startRepeatingGateway(upstreams: readonly number[]): Promise<LocalServer> {
  let next = 0;
  return serve(async (incoming, body, response) => {
    for (let attempt = 0; attempt < upstreams.length; attempt += 1) {
      const port = upstreams[(next += 1) % upstreams.length] as number;
      const forwarded = await forward(incoming, body, { port, timeout: 1_000 }).catch(() => undefined);
      if (forwarded !== undefined)
        return response.writeHead(forwarded.status, forwarded.headers).end(forwarded.body);
    }
    return response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
  });
}

/** One run of creates behind a gateway that repeats requests. */
export interface GatewayRun {
  readonly creates: number;
  readonly seed: number;
  /** Whether the client sends idempotency keys. */
  readonly keys: 'send' | 'omit';
  /** The response of the service to a repeated key. */
  readonly service: Profile['idempotency'];
  /** Number of payments that the balance of each create covers. */
  readonly funds: 1 | 2;
}

/** The outcomes of a run, and the numbers of wrong ones. */
interface GatewayFigures {
  readonly outcomes: Readonly<Record<'created' | Outcome, number>>;
  readonly paidTwice: number;
  /** Creates that were reported as `rejected` or `not_sent`, and whose payment exists. */
  readonly falselyRejected: number;
  /** Creates that were reported as created, and whose payment does not exist. */
  readonly missing: number;
}

/** Creates payments from separate accounts, through a gateway with two flaky upstreams of one service. */
export async function payBehindGateway(run: GatewayRun): Promise<GatewayFigures> {
  const random = createRandom(run.seed);
  const mock = createMock({ profile: { idempotency: run.service }, requestLog: { requests: 1 } });
  const server = await listen(mock, { port: 0, control: 'off' });
  try {
    const { port } = new URL(server.baseUrl);
    await using one = await startFlakyUpstream(Number(port), random);
    await using two = await startFlakyUpstream(Number(port), random);
    await using gateway = await startRepeatingGateway([one.port, two.port]);
    return await payAll(run, { mock, baseUrl: `http://127.0.0.1:${gateway.port}/api/v1` });
  } finally {
    await server.close();
    await mock.close();
  }
}

const CONCURRENCY = 16;

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
  let started = 0;
  const payUntilDone = async (): Promise<void> => {
    while (started < creates) {
      started += 1;
      const { testKey } = mock.sandbox.accounts.create({ balances: { USD: `${10 * funds}.00` } });
      const client = createClient({ apiKey: testKey, baseUrl, idempotencyKeys: keys });
      const outcome = await client.payments.create({ ...order, amount: '10.00' }).then(
        () => 'created' as const,
        (error: unknown) => (error instanceof ServiceError && error.outcome) || 'unknown',
      );
      const payments = await countPayments(mock, testKey);
      figures.outcomes[outcome] += 1;
      if (payments > 1) figures.paidTwice += 1;
      if (payments > 0 && (outcome === 'rejected' || outcome === 'not_sent')) figures.falselyRejected += 1;
      if (payments === 0 && outcome === 'created') figures.missing += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, payUntilDone));
  return figures;
}

/** Counts the payments of an account without the gateway. */
async function countPayments(mock: Mock, apiKey: string): Promise<number> {
  const client = createClient({ apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
  const { transactions } = await client.transactions.list({ type: 'payment' });
  return transactions.length;
}
