// Measures a payer over the built @service/sdk against a service with 50 ms latency: its time per intent over bare creates, the
// cost of a sync, and its memory at 10 000 and 100 000 intents, beside that of the same creates without a payer (none). Memory is that of
// the process of the payer only: the service and the databases are other processes.
// `node --expose-gc benchmarks/src/payer.ts time|memory|sync`; STORES=none,memory,file,sqlite,postgres,redis selects stores.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type PaymentInput } from '@service/sdk';
import { createMemoryStore, createPayer, type IntentStore } from '@service/sdk/intents';
import { createFileStore } from '@service/sdk/intents/file';
import { createPostgresStore } from '@service/sdk/intents/postgres';
import { createRedisStore } from '@service/sdk/intents/redis';
import { createSqliteStore } from '@service/sdk/intents/sqlite';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import {
  type Engine,
  findPostgres,
  findRedis,
  startPostgres,
  startRedis,
} from '../../packages/webhooks/test/stores/servers.ts';

const LATENCY = 50;
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
  const path = join(folder, `${kind}-${crypto.randomUUID()}`);
  if (kind === 'memory') return { store: createMemoryStore(), close: () => {} };
  if (kind === 'sqlite') {
    const store = createSqliteStore(path);
    return { store, close: store.close };
  }
  if (kind === 'postgres') {
    const pool = new Pool({ connectionString: process.env.POSTGRES_URL, max: CONCURRENCY });
    const table = `intents_${crypto.randomUUID().replaceAll('-', '')}`;
    return { store: await createPostgresStore(pool, { table }), close: () => pool.end() };
  }
  if (kind === 'redis') {
    const client = new Redis(process.env.REDIS_URL ?? '');
    return {
      store: await createRedisStore(client, { prefix: `{${path}}:` }),
      close: () => client.disconnect(),
    };
  }
  const store = await createFileStore(path);
  return { store, close: store.close };
}

/** Starts the databases of the stores, which sync the disk. Returns a function that stops them. */
async function startDatabases(kinds: readonly string[]): Promise<() => Promise<void>> {
  const engines: Engine[] = [];
  if (kinds.includes('postgres')) {
    const engine = await startPostgres(findPostgres(), { fsync: 'on' });
    engines.push(engine);
    process.env.POSTGRES_URL = engine.url;
  }
  if (kinds.includes('redis')) {
    const engine = await startRedis(findRedis(), { appendonly: 'yes', appendfsync: 'always' });
    engines.push(engine);
    process.env.REDIS_URL = engine.url;
  }
  return async () => {
    for (const engine of engines) await engine.stop();
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function toMiB(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

function formatMemory({ rss, peak, heapUsed, heapTotal }: Memory): string {
  return `RSS ${toMiB(rss)} MiB (peak ${toMiB(peak)}), heap ${toMiB(heapUsed)} of ${toMiB(heapTotal)} MiB`;
}

/** Serves creates over HTTP with a latency in milliseconds. */
async function serve(latency: number) {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const end = (): void => void response.end(formatPayment((count += 1)));
      response.setHeader('content-type', 'application/json');
      if (latency > 0) setTimeout(end, latency);
      else end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  return { baseUrl, close: () => server.close() };
}

function formatPayment(count: number): string {
  const beneficiary = { name: 'a', bank: null, account: null, country: null };
  const amounts = { from_currency: 'USD', to_currency: 'EUR', send_amount: 10, rate: 1, receive_amount: 10 };
  const rest = { beneficiary, purpose: null, created_at: '2026-01-31T12:00:00+00:00' };
  const data = { id: `pay_test_${count}`, status: 'pending', ...amounts, ...rest };
  return JSON.stringify({ success: true, mode: 'test', data });
}

async function measureTime(kinds: readonly string[]): Promise<void> {
  const service = await serve(LATENCY);
  const client = createClient({ apiKey: 'service_test_1', baseUrl: service.baseUrl, onWarning: () => {} });
  const bare = async (): Promise<number> => {
    const start = performance.now();
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < INTENTS; index = next++) await client.payments.create(bodyOf(index));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return (performance.now() - start) / INTENTS;
  };
  const pay = async (kind: string): Promise<readonly number[]> => {
    const { store, close } = await openStore(kind);
    const payer = createPayer(client, { store, concurrency: CONCURRENCY });
    const start = performance.now();
    await Promise.all(
      Array.from({ length: INTENTS }, (_, index) => payer.plan(`line-${index}`, bodyOf(index))),
    );
    const planned = performance.now();
    for await (const _ of payer.run());
    const end = performance.now();
    await close();
    return [(end - planned) / INTENTS, (end - start) / INTENTS];
  };
  await bare();
  const rows: object[] = [];
  for (let round = 0; round < 3; round += 1) {
    const base = await bare();
    const row: Record<string, string> = { bare: `${base.toFixed(2)} ms` };
    for (const kind of kinds) {
      const [run = 0, all = 0] = await pay(kind);
      row[kind] = `${run.toFixed(2)} ms, x${(run / base).toFixed(2)} (with plan x${(all / base).toFixed(2)})`;
    }
    rows.push(row);
  }
  for (const row of rows) print(JSON.stringify(row));
  service.close();
}

function measureSync(): void {
  const file = openSync(join(folder, 'sync'), 'w');
  const line = Buffer.alloc(600, 'x');
  const count = 200;
  const start = performance.now();
  for (let index = 0; index < count; index += 1) {
    writeSync(file, line);
    fdatasyncSync(file);
  }
  print(`one write with fdatasync: ${((performance.now() - start) / count).toFixed(3)} ms`);
  closeSync(file);
}

const MEMORY_CONCURRENCY = 50;

/** Makes creates without a payer. Yields once per payment. */
async function* payBare(client: Client, count: number): AsyncGenerator<void> {
  for (let index = 0; index < count; index += MEMORY_CONCURRENCY) {
    const bodies = Array.from({ length: MEMORY_CONCURRENCY }, (_, at) => bodyOf(index + at));
    yield* await Promise.all(bodies.map(async (body) => void (await client.payments.create(body))));
  }
}

/** Plans and pays intents. Yields once per plan and per payment. */
async function* payIntents(client: Client, store: IntentStore, count: number): AsyncGenerator<void> {
  const payer = createPayer(client, { store, concurrency: MEMORY_CONCURRENCY });
  for (let index = 0; index < count; index += 500) {
    const indexes = Array.from({ length: 500 }, (_, at) => index + at);
    yield* await Promise.all(indexes.map(async (at) => void (await payer.plan(`line-${at}`, bodyOf(at)))));
  }
  for await (const _ of payer.run()) yield;
}

/** The memory of a process after its run, in bytes. */
interface Memory {
  readonly rss: number;
  readonly peak: number;
  readonly heapUsed: number;
  readonly heapTotal: number;
}

/** Pays in this process, and sends its memory to the parent process, which has the service. */
async function runForMemory(kind: string, count: number, baseUrl: string): Promise<void> {
  const client = createClient({ apiKey: 'service_test_1', baseUrl, onWarning: () => {} });
  const opened = kind === 'none' ? undefined : await openStore(kind);
  const steps = opened ? payIntents(client, opened.store, count) : payBare(client, count);
  for await (const _ of steps);
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 500));
  globalThis.gc?.();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  const peak = process.resourceUsage().maxRSS * 1_024;
  const memory = { rss, peak, heapUsed, heapTotal } satisfies Memory;
  process.send?.(memory);
  await opened?.close();
}

const [, , part, kind = '', count = '0', baseUrl = ''] = process.argv;
if (part === 'child') await runForMemory(kind, Number(count), baseUrl);
const kinds = process.env.STORES?.split(',');
if (part === 'time') {
  const stores = kinds ?? ['memory', 'file', 'sqlite', 'postgres', 'redis'];
  const stop = await startDatabases(stores);
  await measureTime(stores);
  await stop();
}
if (part === 'sync') measureSync();
if (part === 'memory') {
  const service = await serve(0);
  const stores = kinds ?? ['none', 'file', 'sqlite', 'postgres', 'redis'];
  const stop = await startDatabases(stores);
  for (const store of stores) {
    const all: Memory[] = [];
    for (const intents of [10_000, 100_000]) {
      const child = fork(import.meta.filename, ['child', store, String(intents), service.baseUrl], {
        execArgv: ['--expose-gc'],
      });
      const exit = once(child, 'exit');
      child.on('message', (memory: Memory) => all.push(memory));
      await exit;
      const memory = all.at(-1);
      if (memory) print(`${store} ${intents}: ${formatMemory(memory)}`);
    }
    const [small, large] = all;
    if (small && large) print(`${store}: RSS at 100 000 intents +${toMiB(large.rss - small.rss)} MiB`);
  }
  service.close();
  await stop();
}
rmSync(folder, { recursive: true });
