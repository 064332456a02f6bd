// Runs the samples of docs/stores.md, each in its own process, while its store is killed, restarted and
// disconnected.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { events, signedRequest } from '@service/webhooks/testing';
import { childEnv } from '../../../test/support/child-env.ts';
import { readSamples } from './recipe-samples.ts';
import { startProxy } from './stores/proxy.ts';
import { findPostgres, findRedis, startPostgres, startRedis } from './stores/servers.ts';

const SECRET = 'a secret of the tests';
/** The timeout of the sender per delivery, in milliseconds. */
const SENDER_TIMEOUT = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'recipes-stores-'));
beforeAll(() => {
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true }));

const driver = `
  import { createServer } from 'node:http';
  import { createReceiver } from '@service/webhooks';
  import { toNode } from '@service/webhooks/node';
  import { isStoreUp, store } from './store.ts';

  const handled: string[] = [];
  const unconfirmed: unknown[] = [];
  const onError = ({ code }: { code: string }, event?: { data?: unknown }): void => {
    if (code === 'confirm_failed' || code === 'lease_overrun') unconfirmed.push((event?.data as { id: string }).id);
  };
  const handler = async ({ data }: { data: { id: string } }): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    handled.push(data.id);
  };
  const receive = createReceiver({
    secrets: '${SECRET}', on: { 'payment.completed': handler }, fallback: () => {}, onError, store,
  });
  const listener = toNode(receive);
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));
  process.on('message', async () => process.send?.({ isUp: await isStoreUp(), handled, unconfirmed }));
  process.on('disconnect', () => process.exit());
`;

interface Report {
  readonly isUp: boolean;
  readonly handled: readonly string[];
  /** Events reported as possibly handled twice: a busy machine may exceed the timeouts. */
  readonly unconfirmed: readonly string[];
}

/** Starts a driver beside the sample that it imports. */
function startDriver(name: string, files: Readonly<Record<string, string>>, env: Record<string, string>) {
  mkdirSync(join(folder, name));
  for (const [file, code] of Object.entries(files)) writeFileSync(join(folder, name, file), code);
  const child: ChildProcess = fork(join(folder, name, 'driver.ts'), {
    execArgv: ['--conditions=@service/source'],
    env: { ...childEnv, ...env },
    // A sample logs its lost connections.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const receive = async (): Promise<unknown> => ((await once(child, 'message')) as unknown[])[0];
  return {
    child,
    receive,
    ask: async (message: object | string): Promise<unknown> => {
      const replied = receive();
      child.send(message);
      return replied;
    },
    stop: async (): Promise<void> => {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

/** Starts a receiver over a sample. */
async function startReceiver(name: string, code: string, env: Record<string, string>) {
  const { child, receive, ask, stop } = startDriver(name, { 'store.ts': code, 'driver.ts': driver }, env);
  const { port } = (await receive()) as { port: number };
  const report = async (): Promise<Report> => (await ask('report')) as Report;
  const deliver = async (id: string): Promise<number> => {
    const request = await signedRequest(events.completed({ data: { id } }), { secret: SECRET });
    const init = { method: 'POST', headers: request.headers, body: await request.text() };
    const signal = AbortSignal.timeout(SENDER_TIMEOUT);
    return (await fetch(`http://127.0.0.1:${port}/`, { ...init, signal })).status;
  };
  return {
    report,
    deliver,
    deliverAll: (ids: readonly string[]) => Promise.all(ids.map(deliver)),
    whenUp: async (): Promise<void> => {
      while (!(await report()).isUp) expect(child.exitCode).toBeNull();
    },
    stop,
  };
}

const [redisSettings = ''] = readSamples('conf');
const settings = Object.fromEntries(
  redisSettings
    .trim()
    .split('\n')
    .map((line) => line.split(' ', 2)),
) as Record<string, string>;
const [ioredis = '', nodeRedis = ''] = readSamples('ts').filter((code) => code.includes('/redis'));
const postgres =
  readSamples('ts').find((code) => code.includes('isStoreUp') && code.includes('/postgres')) ?? '';

const transaction = readSamples('ts').find((code) => code.includes('claimIn')) ?? '';
const transactionDriver = `
  import { settle } from './settle.ts';

  process.on('message', (event: Parameters<typeof settle>[0]) =>
    settle(event).then(() => process.send?.('done'), () => process.send?.('failed')),
  );
  process.on('disconnect', () => process.exit());
`;

const redisProgram = findRedis();
const postgresPrograms = findPostgres();

const list = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `pay_test_${name}${index}`);

/** Delivers each event until it is acknowledged, as the sender does. */
async function deliverUntilAcknowledged(
  deliver: (id: string) => Promise<number>,
  ids: readonly string[],
): Promise<void> {
  const isAcknowledged = async (id: string): Promise<boolean> => {
    for (let attempt = 0; attempt < 20; attempt += 1) if ((await deliver(id)) === 200) return true;
    return false;
  };
  expect(await Promise.all(ids.map(isAcknowledged))).toEqual(ids.map(() => true));
}

const recipes = [
  ['ioredis', ioredis, 'REDIS_URL', () => startRedis(redisProgram, settings)],
  ['node-redis', nodeRedis, 'REDIS_URL', () => startRedis(redisProgram, settings)],
  ['pg', postgres, 'DATABASE_URL', () => startPostgres(postgresPrograms)],
] as const;

describe('the sample of a store', () => {
  for (const [name, code, variable, startEngine] of recipes) {
    it.concurrent(
      `over ${name} responds to every delivery while its store is down or disconnected, and handles each event once`,
      { timeout: 120_000 },
      async () => {
        const engine = await startEngine();
        const proxy = await startProxy(Number(new URL(engine.url).port));
        const url = new URL(engine.url);
        url.port = String(proxy.port);
        const receiver = await startReceiver(name, code, { [variable]: url.href });
        try {
          const [before, down, cut, after] = (['before', 'down', 'cut', 'after'] as const).map((phase) =>
            list(phase, 12),
          );
          await receiver.whenUp();
          await deliverUntilAcknowledged(receiver.deliver, before!);

          await engine.kill();
          expect(new Set(await receiver.deliverAll(down!))).toEqual(new Set([500]));
          expect(await receiver.report()).toMatchObject({ isUp: false });
          await engine.restart();
          await receiver.whenUp();
          await deliverUntilAcknowledged(receiver.deliver, [...before!, ...down!]);

          proxy.cut();
          expect(new Set(await receiver.deliverAll(cut!))).toEqual(new Set([500]));
          expect(await receiver.report()).toMatchObject({ isUp: false });
          proxy.mend();
          await receiver.whenUp();
          await deliverUntilAcknowledged(receiver.deliver, [...before!, ...down!, ...cut!, ...after!]);

          const { handled, unconfirmed } = await receiver.report();
          expect([...new Set(handled)].toSorted()).toEqual(
            [...before!, ...down!, ...cut!, ...after!].toSorted(),
          );
          const repeated = handled.filter((id, index) => handled.indexOf(id) < index);
          expect(repeated.filter((id) => !unconfirmed.includes(id))).toEqual([]);
        } finally {
          await receiver.stop();
          await proxy.close();
          await engine.stop();
        }
      },
    );
  }

  it.concurrent(
    'with claimIn commits the claim and the effect together, also if Postgres is killed in between',
    { timeout: 120_000 },
    async () => {
      const engine = await startPostgres(postgresPrograms);
      const files = { 'settle.ts': transaction, 'driver.ts': transactionDriver };
      const { ask, stop } = startDriver('transaction', files, { DATABASE_URL: engine.url });
      const settle = () => ask(events.completed({ data: { id: 'pay_test_order' } }));
      const pool = new Pool({ connectionString: engine.url });
      pool.on('error', () => {});
      pool.on('connect', (client) => client.on('error', () => {}));
      await pool.query(
        "CREATE TABLE orders (id text, paid boolean); INSERT INTO orders VALUES ('pay_test_order')",
      );
      const blocking = await pool.connect();
      await blocking.query('BEGIN; SELECT * FROM orders FOR UPDATE');
      const settling = settle();
      const isBlocked = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      await expect.poll(async () => (await pool.query(isBlocked)).rowCount).toBe(1);
      await engine.kill();
      expect(await settling).toBe('failed');
      blocking.release(true);
      await engine.restart();
      expect([await settle(), await settle()]).toEqual(['done', 'done']);
      const { rows } = await pool.query(
        'SELECT paid, (SELECT count(*)::int FROM webhook_deliveries) AS marks FROM orders',
      );
      expect(rows).toEqual([{ paid: true, marks: 1 }]);
      await pool.end();
      await stop();
      await engine.stop();
    },
  );
});
