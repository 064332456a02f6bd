import { createClient, ServiceError, type Outcome } from '@service/sdk';
import { createMock, type Mock, type Profile } from '@service/mock';
import { order } from './order.ts';
import { createRandom } from './random.ts';

type Send = (request: Request) => Promise<Response>;

/** Loses 1 of 4 creates: before the service, or its response after it. */
function loseCreates(service: Send, random: () => number): Send {
  return async (request) => {
    const chance = request.method === 'POST' ? random() : 1;
    if (chance < 0.05) throw new Error('The request is lost.');
    const response = await service(request);
    if (chance < 0.25) throw new Error('The response is lost.');
    return response;
  };
}

/** Sends a request again after a failure, like nginx with two upstreams and `non_idempotent`. */
function repeatRequests(upstream: Send): Send {
  return async (request) => {
    const response = await upstream(request.clone()).catch(() => upstream(request).catch(() => undefined));
    const headers = { 'content-type': 'text/html' };
    return response ?? new Response('<h1>502 Bad Gateway</h1>', { status: 502, headers });
  };
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

/** Creates payments from separate accounts, through a gateway to a service that loses some creates. */
export async function payBehindGateway(run: GatewayRun): Promise<GatewayFigures> {
  await using mock = createMock({ profile: { idempotency: run.service }, requestLog: { requests: 1 } });
  return payAll(run, mock, repeatRequests(loseCreates(mock.fetch, createRandom(run.seed))));
}

const CONCURRENCY = 16;

async function payAll(
  { creates, keys, funds }: GatewayRun,
  mock: Mock,
  gateway: Send,
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
      const fetch = (url: string, init: RequestInit) => gateway(new Request(url, init));
      const { baseUrl } = mock;
      const client = createClient({ apiKey: testKey, baseUrl, fetch, idempotencyKeys: keys });
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
