// Measures a payer of @service/sdk at a service with 50 ms latency: its time for each intent beside bare creates; its payments per second
// at a service without latency; and the memory of its process at 10 000 and 100 000 intents beside that of the same creates without a payer (none).
// `node --expose-gc benchmarks/payer.ts time|rate|memory`; STORES=none,memory,sqlite,postgres selects stores.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type PaymentInput } from '@service/sdk';
import { createMemoryStore, createPayer, type IntentStore } from '@service/sdk/intents';
import { createPostgresStore } from '@service/sdk/intents/postgres';
import { createSqliteStore } from '@service/sdk/intents/sqlite';
import { Pool } from 'pg';
import { findPostgres, startPostgres } from '../packages/webhooks/test/stores/servers.ts';
import { printFigures, printTable, ratios, runRounds } from './figures.ts';

const CONCURRENCY = 8;
const INTENTS = 400;
const folder = mkdtempSync(join(tmpdir(), 'payer-'));

const bodyOf = (index: number): PaymentInput => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '10.00',
  beneficiary_name: `Supplier ${index}`,
  beneficiary_account: `DE8937040044053201${String(index).padStart(6, '0')}`,
  purpose: `Invoice ${index}`,
});

async function openStore(kind: string): Promise<{ store: IntentStore; close: () => unknown }> {
  if (kind === 'memory') return { store: createMemoryStore(), close: () => {} };
  const name = `intents_${crypto.randomUUID().replaceAll('-', '')}`;
  if (kind === 'postgres') {
    const pool = new Pool({ connectionString: process.env.POSTGRES_URL, max: CONCURRENCY });
    return { store: await createPostgresStore(pool, { table: name }), close: () => pool.end() };
  }
  const store = createSqliteStore(join(folder, name));
  return { store, close: store.close };
}

/** Serves creates over HTTP with a latency in milliseconds. */
async function serve(latency: number): Promise<{ baseUrl: string; close: () => unknown }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const end = (): void => void response.end(formatPayment((count += 1)));
      response.setHeader('content-type', 'application/json');
      if (latency > 0) setTimeout(end, latency);
      else end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/api/v1`, close: () => server.close() };
}

function formatPayment(count: number): string {
  const beneficiary = { name: 'a', bank: null, account: null, country: null };
  const amounts = { from_currency: 'USD', to_currency: 'EUR', send_amount: 10, rate: 1, receive_amount: 10 };
  const rest = { beneficiary, purpose: null, created_at: '2026-01-31T12:00:00+00:00' };
  const data = { id: `pay_test_${count}`, status: 'pending', ...amounts, ...rest };
  return JSON.stringify({ success: true, mode: 'test', data });
}

/** Creates payments without a payer. */
async function payBare(client: Client, count: number, concurrency: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await client.payments.create(bodyOf(index));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Plans intents in batches and pays them. Returns the time of the run, in milliseconds. Calls `onPaid` before the store closes. */
async function payIntents(
  client: Client,
  kind: string,
  { count, concurrency, onPaid }: { count: number; concurrency: number; onPaid?: () => Promise<void> },
): Promise<number> {
  const { store, close } = await openStore(kind);
  const payer = createPayer(client, { store, concurrency });
  for (let index = 0; index < count; index += 400) {
    const indexes = Array.from({ length: Math.min(400, count - index) }, (_, at) => index + at);
    await Promise.all(indexes.map((at) => payer.plan(`line-${at}`, bodyOf(at))));
  }
  const start = performance.now();
  for await (const _ of payer.run());
  const time = performance.now() - start;
  await onPaid?.();
  await close();
  return time;
}

async function measureTime(stores: readonly string[]): Promise<void> {
  const service = await serve(50);
  const client = createClient({ apiKey: 'service_test_1', baseUrl: service.baseUrl, onWarning: () => {} });
  const timeBare = async (): Promise<number> => {
    const start = performance.now();
    await payBare(client, INTENTS, CONCURRENCY);
    return (performance.now() - start) / INTENTS;
  };
  const timeStore = (kind: string) => async (): Promise<number> =>
    (await payIntents(client, kind, { count: INTENTS, concurrency: CONCURRENCY })) / INTENTS;
  const subjects = Object.fromEntries(stores.map((kind) => [kind, timeStore(kind)]));
  const times = await runRounds<string>({ bare: timeBare, ...subjects }, 3);
  printFigures('Time of an intent', {
    'bare creates, ms': times.bare ?? [],
    ...Object.fromEntries(
      stores.map((kind) => [`${kind} / bare creates`, ratios(times[kind] ?? [], times.bare ?? [])]),
    ),
  });
  service.close();
}

/** Measures payments per second, where the store takes nearly all of the time. */
async function measureRate(stores: readonly string[]): Promise<void> {
  const service = await serve(0);
  const client = createClient({ apiKey: 'service_test_1', baseUrl: service.baseUrl, onWarning: () => {} });
  const rateOf = (kind: string, concurrency: number) => async (): Promise<number> =>
    (INTENTS / (await payIntents(client, kind, { count: INTENTS, concurrency }))) * 1_000;
  for (const concurrency of [1, CONCURRENCY]) {
    const subjects = Object.fromEntries(stores.map((kind) => [kind, rateOf(kind, concurrency)]));
    printFigures(`Payments per second, ${concurrency} at a time`, await runRounds<string>(subjects, 5));
  }
  service.close();
}

/** Pays in this process, and sends its memory to the parent process, which has the service. */
async function payForMemory(kind: string, count: number, baseUrl: string): Promise<void> {
  const client = createClient({ apiKey: 'service_test_1', baseUrl, onWarning: () => {} });
  const onPaid = async (): Promise<void> => {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 500));
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.([rss, process.resourceUsage().maxRSS * 1_024, heapUsed]);
  };
  if (kind !== 'none') await payIntents(client, kind, { count, concurrency: 50, onPaid });
  else {
    await payBare(client, count, 50);
    await onPaid();
  }
}

async function measureMemory(stores: readonly string[]): Promise<void> {
  const service = await serve(0);
  const rows: unknown[][] = [];
  for (const store of stores)
    for (const intents of [10_000, 100_000]) {
      const args = ['child', store, String(intents), service.baseUrl];
      const child = fork(import.meta.filename, args, { execArgv: ['--expose-gc'] });
      const exited = once(child, 'exit');
      const [bytes] = (await once(child, 'message')) as [number[]];
      rows.push([store, intents, ...bytes.map((each) => Math.round(each / 2 ** 20))]);
      await exited;
    }
  printTable(['store', 'intents', 'resident MiB', 'peak MiB', 'heap MiB'], rows);
  service.close();
}

const [part = 'time', kind = '', count = '0', baseUrl = ''] = process.argv.slice(2);
if (part === 'child') await payForMemory(kind, Number(count), baseUrl);
else {
  const all = part === 'memory' ? 'none,sqlite,postgres' : 'memory,sqlite,postgres';
  const stores = (process.env.STORES ?? all).split(',');
  // The database syncs the disk, as in production.
  const engine = stores.includes('postgres')
    ? await startPostgres(findPostgres(), { fsync: 'on' })
    : undefined;
  if (engine !== undefined) process.env.POSTGRES_URL = engine.url;
  const measures = new Map([
    ['time', measureTime],
    ['rate', measureRate],
  ]);
  await (measures.get(part) ?? measureMemory)(stores);
  await engine?.stop();
}
rmSync(folder, { recursive: true });
