import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { printAddress, readProgramOptions } from '../program.ts';
import { createScheduler } from './clock.ts';
import { addPayment, createRouter } from './handlers.ts';
import { encodeJson } from './json.ts';
import { authenticate, checkContentType, RateLimiter, rateLimitProblem, readBody } from './middleware.ts';
import { Problem } from './problem.ts';
import { Random, UlidFactory } from './random.ts';
import { routeNotFound } from './router.ts';
import { Settlement } from './settlement.ts';
import { createTenant, type Mode } from './tenants.ts';
import { Outbox } from './webhooks.ts';

const BASE_PATH = '/api/v1';
const webhookSecret = 'whsec_goledger_5f1c0a7be2d94836';
const apiKeys = {
  test: 'service_test_goledger_Qm7xT2vKp9',
  live: 'service_live_goledger_Zc4nR8wYb1',
  foreign: 'service_test_goledger_Hd6sL3fJu5',
};

const { port, webhookUrl, speed, seed } = readProgramOptions();
const now = (): number => Date.now();
const schedule = createScheduler(speed);
const ulids = new UlidFactory(new Random(seed, 'ulid'));
const nextUlid = (time: number): string => ulids.next(time);
const outboxRandom = new Random(seed, 'outbox');
const outbox = new Outbox({ secret: webhookSecret, speed, now, nextUlid, schedule, random: outboxRandom });
const settlement = new Settlement({
  now,
  schedule,
  speed,
  random: new Random(seed, 'settlement'),
  onStatusChange: (payment) => {
    outbox.publish(payment);
  },
});

const testFunds = { USD: 10_000_000n, EUR: 4_000_000n, GBP: 1_500_000n };
const tenants = [
  createTenant({ mode: 'test', apiKey: apiKeys.test, webhookUrl, funds: testFunds, now, nextUlid }),
  createTenant({ mode: 'live', apiKey: apiKeys.live, webhookUrl, funds: { USD: 250_000n }, now, nextUlid }),
];
const foreignTenant = createTenant({
  mode: 'test',
  apiKey: apiKeys.foreign,
  webhookUrl: undefined,
  funds: testFunds,
  now,
  nextUlid,
});
const foreignPayment = addPayment({ now, nextUlid }, foreignTenant, {
  from: 'USD',
  to: 'KES',
  send: 120_000n,
  beneficiary: { name: 'Baobab Traders', bank: 'Equity', account: '1180279461203', country: 'KE' },
  purpose: 'Invoice 2207',
});
tenants.push(foreignTenant);

const router = createRouter({ now, nextUlid, settlement });
const limiter = new RateLimiter(speed, now);
const requestIds = new Random(seed, 'requests').bytes().toString('base64url', 0, 6);
let requestCount = 0;

/** As `middleware.RequestID` of chi: host, process prefix and a counter, unless the client sends an id. */
function readRequestId({ headers }: IncomingMessage): string {
  requestCount += 1;
  const sent = headers['x-request-id'];
  if (typeof sent === 'string' && sent !== '') return sent;
  return `ledger-0/${requestIds}-${requestCount.toString().padStart(6, '0')}`;
}

interface ResponseContext {
  readonly requestId: string;
  mode?: Mode;
  headers: Record<string, string>;
}

interface Reply {
  readonly status: number;
  readonly body: object;
}

async function respond(request: IncomingMessage, context: ResponseContext): Promise<Reply> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const method = request.method ?? 'GET';
  const path = url.pathname;
  if (!path.startsWith(`${BASE_PATH}/`)) throw routeNotFound(path);
  const tenant = authenticate(tenants, request);
  context.mode = tenant.mode;
  if (method === 'POST') {
    const { isAllowed, headers } = limiter.count(tenant);
    Object.assign(context.headers, headers);
    if (!isAllowed) throw rateLimitProblem();
  }
  const { handler, parameter } = router.find(method, path.slice(BASE_PATH.length));
  checkContentType(request);
  const body = await readBody(request);
  const result = handler({ tenant, headers: request.headers, query: url.searchParams, parameter, body });
  Object.assign(context.headers, result.headers);
  return { status: result.status, body: { success: true, mode: tenant.mode, data: result.data } };
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return new Problem({
    httpStatus: 500,
    type: 'internal_error',
    code: 'INTERNAL',
    message: 'internal error',
  });
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const context: ResponseContext = { requestId: readRequestId(request), headers: {} };
  let reply: Reply;
  try {
    reply = await respond(request, context);
  } catch (error) {
    if (request.destroyed && !request.complete) return;
    const problem = toProblem(error);
    Object.assign(context.headers, problem.headers);
    const body = { success: false, mode: context.mode, error: problem.toBody(context.requestId) };
    reply = { status: problem.httpStatus, body };
  }
  const text = `${encodeJson(reply.body)}\n`;
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-request-id': context.requestId,
    ...context.headers,
  });
  response.end(text);
}

const server = createServer((request, response) => {
  void serve(request, response);
});
server.listen(port, '127.0.0.1', () => {
  const address = server.address() as AddressInfo;
  printAddress({
    baseUrl: `http://127.0.0.1:${address.port}${BASE_PATH}`,
    apiKey: apiKeys.test,
    webhookSecret,
    foreignPayment: foreignPayment.id,
  });
});
