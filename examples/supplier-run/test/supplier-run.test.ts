import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createMock, type Mock } from '@service/mock';
import { listen, type MockServer } from '@service/mock/node';
import { createClient } from '@service/sdk';
import type { Payer } from '@service/sdk/payer';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../src/database.ts';
import { approveInvoice, countInvoices } from '../src/invoices.ts';
import { openPayer } from '../src/payer.ts';
import { createWebhookServer } from '../src/receiver.ts';

const root = join(import.meta.dirname, '..');
const server = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const secret = 'the signing secret of the tests';
const LINES = 40;

// An own schema per test, because a store belongs to one account.
const schema = `run_${crypto.randomUUID().replaceAll('-', '')}`;
const connection = new URL(server);
connection.searchParams.set('options', `-c search_path=${schema}`);

let mock: Mock;
let service: MockServer;
let database: Database;
let payer: Payer;

async function execute(sql: string): Promise<void> {
  const client = new Client(server);
  await client.connect();
  await client.query(sql);
  await client.end();
}

beforeEach(async () => {
  await execute(`CREATE SCHEMA ${schema}`);
  mock = createMock({ profile: { idempotency: 'replayed' } });
  service = await listen(mock, { port: 0 });
  database = await openDatabase(connection.href);
  payer = openPayer(database, { apiKey: mock.account.testKey, baseUrl: service.baseUrl });
  const insert = `INSERT INTO invoices (number, supplier, account, amount)
    SELECT 'INV-' || line, 'Supplier ' || line, 'DE89370400440532013000', '10.00' FROM generate_series(1, $1) AS line`;
  await database.pool.query(insert, [LINES]);
});

afterEach(async () => {
  await service.close();
  await mock.close();
  await database.close();
  await execute(`DROP SCHEMA ${schema} CASCADE`);
});

function startWorker(): ChildProcess {
  const env = {
    ...process.env,
    DATABASE_URL: connection.href,
    SERVICE_API_KEY: mock.account.testKey,
    SERVICE_BASE_URL: service.baseUrl,
    KEY_RETENTION_HOURS: '24',
    TIMEOUT: '1500', // short, so that the leases of the killed worker end soon
  };
  return spawn(process.execPath, ['src/worker.ts'], { cwd: root, env, stdio: 'inherit' });
}

/** Returns the beneficiaries of all payments that the service made. */
async function readSuppliers(): Promise<string[]> {
  const client = createClient({ apiKey: mock.account.testKey, baseUrl: service.baseUrl });
  const suppliers: string[] = [];
  for await (const { payment_id: id } of client.transactions.list())
    if (id) suppliers.push((await client.payments.retrieve(id)).beneficiary.name);
  return suppliers;
}

test(
  'pays each approved invoice once, although the worker is killed in the middle',
  { timeout: 120_000 },
  async () => {
    const receiver = createWebhookServer({ database, secret, mode: 'test' }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    mock.sandbox.webhooks.setEndpoint({ account: mock.account, url, secret });
    mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'latency', ms: 100, times: 'unlimited' });
    for (let line = 1; line <= LINES; line += 1)
      await approveInvoice(database, payer, { number: `INV-${line}`, by: 'Ada' });
    expect(await countInvoices(database)).toEqual({ planned: LINES });

    const killed = startWorker();
    const exit = once(killed, 'exit');
    const isInTheMiddle = async (): Promise<void> => {
      const { created = 0, sending = 0 } = await countInvoices(database);
      expect(Math.min(created - 8, sending)).toBeGreaterThan(0);
    };
    await vi.waitFor(isInTheMiddle, { timeout: 60_000, interval: 5 });
    killed.kill('SIGKILL');
    await exit;
    const { planned = 0, sending = 0 } = await countInvoices(database);
    expect(planned).toBeGreaterThan(0);
    expect(sending).toBeGreaterThan(0);

    const next = startWorker();
    await vi.waitFor(async () => expect(await countInvoices(database)).toEqual({ completed: LINES }), {
      timeout: 60_000,
      interval: 100,
    });
    const suppliers = await readSuppliers();
    expect(suppliers).toHaveLength(LINES);
    expect(new Set(suppliers).size).toBe(LINES);

    const ended = once(next, 'exit');
    next.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    receiver.closeAllConnections();
    receiver.close();
  },
);

test('approves an invoice and plans its payment together, or neither', async () => {
  await approveInvoice(database, payer, { number: 'INV-1', by: 'Ada' });
  await approveInvoice(database, payer, { number: 'INV-1', by: 'Bob' });
  await expect(approveInvoice(database, payer, { number: 'INV-0', by: 'Ada' })).rejects.toThrow(
    'no invoice INV-0',
  );
  // The body of a planned payment cannot change.
  await database.pool.query(
    "UPDATE invoices SET amount = '99.00', approved_by = NULL WHERE number = 'INV-1'",
  );
  await expect(approveInvoice(database, payer, { number: 'INV-1', by: 'Ada' })).rejects.toThrow(
    'another request body',
  );
  const { rows } = await database.pool.query("SELECT approved_by FROM invoices WHERE number = 'INV-1'");
  expect(rows).toEqual([{ approved_by: null }]);
  expect(await countInvoices(database)).toEqual({ planned: 1, received: LINES - 1 });
});
