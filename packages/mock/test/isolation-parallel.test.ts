// Concurrent clients of one mock must see the same responses and webhooks, byte for byte, as each would see
// alone.
import { describe, expect, it } from 'vitest';
import { createMock, type AccountView, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { isValidSignature } from '@service/webhooks';
import { checked } from '../../../test/support/conformance.ts';
import { START, order } from './support.ts';
import { createTurns, type Pause } from './turns.ts';
import { runs } from '../../../test/support/runs.ts';

interface Hook {
  body: string;
  signature: string;
}

interface Life {
  account: AccountView;
  secret: string;
  seen: [status: number, body: string][];
}

type WholeLife = Life & { hooks: Hook[] };

const atOnce: Pause = async () => {};

/** Creates an arena without a network. */
function createSetup(pause: Pause) {
  const hooks = new Map<string, Hook[]>();
  const hooksOf = (path: string): Hook[] => hooks.get(path) ?? [];
  const receive = async (request: Request): Promise<Response> => {
    const body = await request.text();
    await pause();
    const path = new URL(request.url).pathname;
    const signature = request.headers.get('x-service-signature') ?? '';
    hooks.set(path, [...hooksOf(path), { body, signature }]);
    return new Response();
  };
  /** The payments of all clients, to test access to foreign ones. */
  const ids: string[] = [];
  const mock = createMock({
    clock: 'manual',
    start: START,
    accounts: 'open',
    seed: 'parallel',
    fetch: receive,
  });
  return { mock, baseUrl: mock.baseUrl, fetch: mock.fetch, hooksOf, pause, ids };
}

type Setup = ReturnType<typeof createSetup>;

/** Creates an arena whose mock is behind a socket. */
async function createSocketSetup(pause: Pause): Promise<Setup & AsyncDisposable> {
  const setup = createSetup(pause);
  const server = await listen(setup.mock, { port: 0 });
  return {
    ...setup,
    baseUrl: server.baseUrl,
    fetch,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Runs one client: creates an account, an endpoint and payments, and reads everything. */
async function live(setup: Setup, index: number): Promise<Life> {
  const { mock, pause, ids } = setup;
  const seen: Life['seen'] = [];
  const account = enter(mock, index);
  const call = async (method: string, path: string, body?: object): Promise<string> => {
    await pause();
    const headers = {
      authorization: `Bearer ${account.testKey}`,
      // The same for every client: an idempotency key must not return data of another client.
      ...(body && { 'content-type': 'application/json', 'idempotency-key': 'order-1' }),
    };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await setup.fetch(`${setup.baseUrl}${path}`, init);
    const text = await response.text();
    seen.push([response.status, text]);
    return text;
  };
  await pause();
  const { secret } = mock.sandbox.webhooks.setEndpoint({ account, url: `http://localhost/${index}` });
  const wish = order({
    amount: (index % 97) + 1,
    beneficiary_name: `Supplier ${index}`,
    ...(index % 3 === 0 && { beneficiary_account: 'SIM-INSTANT' }),
  });
  const { id } = (JSON.parse(await call('POST', '/payments', wish)) as { data: { id: string } }).data;
  const other = ids.at(index % (ids.length + 1)) ?? id.replace(/.$/, '-');
  ids.push(id);
  await call('POST', '/payments', wish);
  await call('GET', `/payments/${other}`);
  await pause();
  if (index % 3 === 1) mock.sandbox.payments.fail(id);
  if (index % 3 === 2) mock.sandbox.payments.complete(id);
  await call('GET', `/payments/${id}`);
  await call('GET', '/balance');
  await call('GET', '/transactions');
  return { account, secret, seen };
}

/** Opens an account as tests do: by `accounts.create` or with an own test key. */
function enter({ sandbox: { accounts } }: Mock, index: number): AccountView {
  return index % 2 === 0
    ? accounts.create({ name: `test ${index}`, balances: { USD: 1000 + index } })
    : accounts.find({ key: `service_test_of_test_${index}` });
}

/**
 * Runs a client alone, with every response checked against openapi.yaml. Concurrent clients must see the
 * same.
 */
async function liveAlone(index: number): Promise<WholeLife> {
  const setup = createSetup(atOnce);
  setup.fetch = checked(setup.fetch);
  const life = await live(setup, index);
  await setup.mock.sandbox.idle();
  return { ...life, hooks: setup.hooksOf(`/${index}`) };
}

const lonely = new Map<number, Promise<WholeLife>>();

function alone(index: number): Promise<WholeLife> {
  const life = lonely.get(index) ?? liveAlone(index);
  lonely.set(index, life);
  return life;
}

/** Runs many clients concurrently and returns their results with their webhooks. */
async function runTogether(setup: Setup, count: number): Promise<WholeLife[]> {
  const clients = await Promise.all(Array.from({ length: count }, (_, index) => live(setup, index)));
  await setup.mock.sandbox.idle();
  return clients.map((life, index) => ({ ...life, hooks: setup.hooksOf(`/${index}`) }));
}

/**
 * Compares each client with its run alone, and its webhooks with its own secret and that of another client.
 */
async function expectNoneMet(clients: readonly WholeLife[]): Promise<void> {
  for (const [index, life] of clients.entries()) {
    expect(life).toEqual(await alone(index));
    expect(life.seen.map(([status]) => status)).toEqual([201, 201, 404, 200, 200, 200]);
    expect(life.hooks).toHaveLength(index % 3 === 1 ? 2 : 3);
    const neighbour = clients.at(index - 1)?.secret ?? '';
    for (const { body, signature } of life.hooks) {
      expect(isValidSignature(body, signature, life.secret)).toBe(true);
      expect(isValidSignature(body, signature, neighbour)).toBe(false);
    }
  }
}

const countDistinct = (clients: readonly WholeLife[]): number =>
  new Set(clients.flatMap(({ account, secret }) => [account.id, account.testKey, account.liveKey, secret]))
    .size;

const parallel = runs(100);
/** Few enough for a busy machine: `fetch` waits at most 10 s for a connection. */
const SOCKETS = 100;

describe(`${parallel} concurrent tests on one mock`, () => {
  it.each([1, 2])('are isolated in the order of seed %i', async (seed) => {
    const clients = await runTogether(createSetup(createTurns(seed)), parallel);
    expect(countDistinct(clients)).toBe(4 * parallel);
    await expectNoneMet(clients);
  });

  it('are isolated over HTTP', async () => {
    await using setup = await createSocketSetup(createTurns(3));
    const clients = await runTogether(setup, SOCKETS);
    expect(countDistinct(clients)).toBe(4 * SOCKETS);
    await expectNoneMet(clients);
  });
});

describe('two mocks in one process', () => {
  it('return the same bytes for the same seed, while both run', async () => {
    const pause = createTurns(4);
    const [a, b] = await Promise.all([1, 2].map(() => runTogether(createSetup(pause), 50)));
    expect(a).toEqual(b);
  });
});
