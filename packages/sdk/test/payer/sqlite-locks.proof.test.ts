// Each test waits for the time of 5 s that a connection waits for a lock.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { assembleClient } from '../../src/client.ts';
import { createPayer } from '../../src/entries/payer.ts';
import { sqliteStore, type SqliteStore } from '../../src/entries/payer-sqlite.ts';
import { createManualClock } from '../manual-clock.ts';
import { baseUrl, payment, paymentInput, success, testKey } from '../service.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-locks-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('sqliteStore', () => {
  it('opens a store without the locks of other handles of the process', async () => {
    const path = join(folder, 'locks.db');
    const database = new DatabaseSync(path);
    database.exec('begin immediate; create table users (name text)');
    await expect(sqliteStore(path).read('a')).rejects.toThrow(/locked|another application/);
    const program = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)}).exec('begin immediate')`;
    const other = spawnSync(process.execPath, ['--no-warnings', '-e', program], { encoding: 'utf8' });
    expect(other.stderr).toContain('database is locked');
    database.close();
  });
});

describe('a database that another process locks for more than 5 s', () => {
  it('neither lets a create be sent before its claim, nor loses its result', async () => {
    const path = join(folder, 'locked.db');
    const store = sqliteStore(path);
    const other = new DatabaseSync(path);
    const lock = (): void => other.exec('begin immediate');
    let unique = 0;
    const clock = { ...createManualClock(), unique: () => `unique-${(unique += 1)}` };
    const failures: unknown[] = [];
    const requests: number[] = [];
    const warnings: unknown[] = [];
    const swap: SqliteStore['swap'] = (next, write) =>
      store.swap(next, write).catch((error: unknown) => {
        failures.push({ state: next.state, requests: requests.length, error });
        // The lock ends after the busy timeout of the connection, and before the next attempt.
        other.exec('commit');
        throw error;
      });
    const fetch = async (_url: unknown, _init: unknown): Promise<Response> => {
      requests.push(1);
      lock();
      return success(payment, 201);
    };
    const options = {
      apiKey: testKey,
      baseUrl,
      fetch,
      onWarning: (warning: unknown) => warnings.push(warning),
    };
    const payer = createPayer(assembleClient(options, clock), { store: { ...store, swap } });
    await payer.summary();
    lock();
    const state = { isSettled: false };
    const paying = payer.pay('order-42', paymentInput).finally(() => (state.isSettled = true));
    while (!state.isSettled) await clock.advance(50);
    expect(await paying).toMatchObject({ id: payment.id });
    const error = expect.objectContaining({ errstr: 'database is locked' }) as unknown;
    expect(failures).toEqual([
      { state: 'sending', requests: 0, error },
      { state: 'created', requests: 1, error },
    ]);
    expect(requests).toHaveLength(1);
    expect(warnings).toEqual([]);
    expect(await store.read('order-42')).toMatchObject({ state: 'created', paymentId: payment.id });
    other.close();
    store.close();
  });
});
