import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createMock, type Mock } from '@service/mock';
import { listen, type MockServer } from '@service/mock/node';
import { createClient } from '@service/sdk';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const root = join(import.meta.dirname, '..');
const server = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const secret = 'the signing secret of the tests';
const KILLS = 50;
const order = { amount: '10.00', supplier: 'Acme Supplies Ltd', account: 'DE89370400440532013000' };

// An own database per test, because the engine and the store of the payer belong to one application and one account.
const name = `payouts_${crypto.randomUUID().replaceAll('-', '')}`;
const database = new URL(server);
database.pathname = `/${name}`;

let mock: Mock;
let service: MockServer;
let app: ChildProcess;
let url = '';

async function execute(sql: string): Promise<void> {
  const client = new Client(server);
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Starts the application, and waits until it listens. */
async function start(): Promise<void> {
  const env = {
    ...process.env,
    PORT: '0',
    DATABASE_URL: database.href,
    SERVICE_API_KEY: mock.account.testKey,
    SERVICE_BASE_URL: service.baseUrl,
    SERVICE_WEBHOOK_SECRET: secret,
    TIMEOUT: '500', // short, so that the leases of killed processes end soon
  };
  app = spawn(process.execPath, ['src/main.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of app.stdout!) {
    url = /http:\/\/localhost:\d+/.exec(String(chunk))?.[0] ?? '';
    if (url !== '') break;
  }
}

async function kill(): Promise<void> {
  const exit = once(app, 'exit');
  app.kill('SIGKILL');
  await exit;
}

beforeEach(async () => {
  await execute(`CREATE DATABASE ${name}`);
  mock = createMock({ profile: { idempotency: 'ignored' } });
  service = await listen(mock, { port: 0 });
  await start();
});

afterEach(async () => {
  await kill();
  await service.close();
  await mock.close();
  await execute(`DROP DATABASE ${name} WITH (FORCE)`);
});

const connect = () => createClient({ apiKey: mock.account.testKey, baseUrl: service.baseUrl });

/** Returns the ids of all payments that the service made. */
async function readPayments(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { payment_id: id } of connect().transactions.list()) if (id) ids.push(id);
  return ids;
}

/** Returns the purposes of all payments that the service made. */
async function readPurposes(): Promise<(string | null)[]> {
  const { payments } = connect();
  return Promise.all((await readPayments()).map(async (id) => (await payments.retrieve(id)).purpose));
}

test(
  'pays each payout once, although each step is killed in the middle and the service ignores keys',
  { timeout: 600_000 },
  async () => {
    const references = Array.from({ length: KILLS }, (_, index) => `INV-${index + 1}`);
    for (const [index, reference] of references.entries()) {
      mock.sandbox.webhooks.setEndpoint({ account: mock.account, url: `${url}/webhooks`, secret });
      // The payment is made, and its response does not come: the step is in the middle.
      mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'stalled', times: 1 });
      const response = await fetch(`${url}/payouts/${reference}`, {
        method: 'POST',
        body: JSON.stringify(order),
      });
      expect(response.status).toBe(202);
      await vi.waitFor(async () => expect(await readPayments()).toHaveLength(index + 1), {
        timeout: 20_000,
        interval: 2,
      });
      await kill();
      await start();
    }
    mock.sandbox.webhooks.setEndpoint({ account: mock.account, url: `${url}/webhooks`, secret });
    const readStatuses = async () =>
      Promise.all(
        references.map(
          async (reference) =>
            ((await (await fetch(`${url}/payouts/${reference}`)).json()) as { status: string }).status,
        ),
      );
    await vi.waitFor(async () => expect(new Set(await readStatuses())).toEqual(new Set(['completed'])), {
      timeout: 120_000,
      interval: 500,
    });
    const purposes = await readPurposes();
    expect(purposes).toHaveLength(KILLS);
    expect(new Set(purposes)).toEqual(new Set(references));
  },
);

test('an order that the service refuses ends its workflow, and another reference is paid', async () => {
  const post = async (reference: string, amount: string) =>
    fetch(`${url}/payouts/${reference}`, { method: 'POST', body: JSON.stringify({ ...order, amount }) });
  const find = async (reference: string): Promise<unknown> =>
    (await fetch(`${url}/payouts/${reference}`)).json();
  await post('INV-1', '-1.00');
  await post('INV-2', '10.00');
  await vi.waitFor(async () => expect(await find('INV-1')).toEqual({ status: 'refused' }), {
    timeout: 20_000,
  });
  await vi.waitFor(async () => expect(await find('INV-2')).toMatchObject({ status: 'pending' }), {
    timeout: 20_000,
  });
  expect(await readPurposes()).toEqual(['INV-2']);
});
