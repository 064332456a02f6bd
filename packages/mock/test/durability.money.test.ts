import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { loadSqlite, type Sqlite } from '@service/internal/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMock } from '@service/mock';
import { keepData } from '@service/mock/node';
import { openDataFile } from '../src/adapters/data-file.ts';
import { type Acknowledged, runUntilKilled } from '../../../test/support/durability.ts';
import { runs } from '../../../test/support/runs.ts';
import { createCaller, order } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durability-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** The database module, with a listener before each commit that can throw, and the opened databases. */
function watchSqlite(): { sqlite: Sqlite; opened: DatabaseSync[]; on: { commit: () => void } } {
  const sqlite = loadSqlite()!;
  const opened: DatabaseSync[] = [];
  const on = { commit(): void {} };
  class Database extends sqlite.DatabaseSync {
    constructor(...parameters: ConstructorParameters<typeof DatabaseSync>) {
      super(...parameters);
      opened.push(this);
    }
    override exec(sql: string): void {
      if (sql === 'commit') on.commit();
      super.exec(sql);
    }
  }
  return { sqlite: { ...sqlite, DatabaseSync: Database }, opened, on };
}

describe('acknowledged payments in a data file', () => {
  it('survive kills of the process under eight writers', { timeout: runs(3) * 40_000 }, async () => {
    const acknowledged: Acknowledged = new Map();
    for (let round = 1; round <= runs(3); round += 1)
      expect(await runUntilKilled(join(folder, 'data'), acknowledged, 20 + (round % 5) * 20)).toEqual({
        lost: 0,
        reused: 0,
      });
  });

  it('are synced to the disk by each commit, and locked for other processes', async () => {
    const { sqlite, opened } = watchSqlite();
    await using data = await openDataFile(createMock(), join(folder, 'data'), sqlite);
    const read = (name: string): unknown => opened.at(-1)!.prepare(`pragma ${name}`).get()![name];
    expect(['synchronous', 'journal_mode', 'locking_mode'].map(read)).toEqual([2, 'wal', 'exclusive']);
    await data.save();
  });
});

describe('a mock with a data file', () => {
  it('sends responses and webhooks only after their changes are durable', async () => {
    const { sqlite, on } = watchSqlite();
    const mock = createMock({ clock: 'manual', seed: 7 });
    await using data = await openDataFile(mock, join(folder, 'data'), sqlite);
    const events: string[] = [];
    on.commit = () => void events.push('commit');
    mock.sandbox.webhooks.collect({
      receive: () => {
        events.push('webhook');
        return Promise.resolve(new Response());
      },
    });
    await data.save();
    const { post } = createCaller(mock);
    for (const beneficiary_account of ['SIM-OK', 'SIM-HOOK-FIRST']) {
      events.length = 0;
      await post('/payments', order({ beneficiary_account }));
      events.push('response');
      await expect.poll(() => events).toContain('webhook');
      const [commit, webhook, response] = ['commit', 'webhook', 'response'].map((each) =>
        events.indexOf(each),
      );
      expect(commit).toBe(0);
      expect(Math.min(webhook!, response!)).toBeGreaterThan(commit!);
    }
    await mock.close();
  });

  it('writes the changes of concurrent requests in one transaction', async () => {
    const { sqlite, on } = watchSqlite();
    const mock = createMock({ clock: 'manual' });
    await using data = await openDataFile(mock, join(folder, 'data'), sqlite);
    let commits = 0;
    on.commit = () => void (commits += 1);
    const { post } = createCaller(mock);
    await Promise.all(Array.from({ length: 32 }, () => post('/payments', order())));
    expect(commits).toBe(1);
    expect(data.isRestored).toBe(false);
  });

  it.each([
    [
      'database or disk is full',
      ({ opened }: ReturnType<typeof watchSqlite>) => {
        const database = opened.at(-1)!;
        database.exec('pragma max_page_count = 1');
        return () => database.exec('pragma max_page_count = 1000000');
      },
    ],
    [
      'disk I/O error',
      ({ on }: ReturnType<typeof watchSqlite>) => {
        on.commit = () => {
          throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
        };
        return () => void (on.commit = () => {});
      },
    ],
  ])('responds 503 to creates and sends nothing while %s', async (reason, breakDisk) => {
    const watched = watchSqlite();
    const errors: unknown[] = [];
    const onDefect = (error: unknown): void => void errors.push(error);
    const mock = createMock({ clock: 'manual', seed: 7, onDefect });
    const data = await openDataFile(mock, join(folder, 'data'), watched.sqlite);
    const received: string[] = [];
    mock.sandbox.webhooks.collect({
      receive: async (request) => {
        received.push(((await request.json()) as { data: { id: string } }).data.id);
        return new Response();
      },
    });
    await data.save();
    const { post, get } = createCaller(mock);
    const repairDisk = breakDisk(watched);
    const purpose = 'x'.repeat(100);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { status, headers, body } = await post('/payments', order({ purpose }));
      expect([status, headers.get('retry-after'), body.error]).toEqual([
        503,
        '1',
        { type: 'service_unavailable', message: 'The sandbox cannot store payments at present.' },
      ]);
    }
    expect((await get('/balance')).status).toBe(200);
    await expect(data.save()).rejects.toThrow(`The data file cannot be written: ${reason}.`);
    expect([received, errors.length]).toEqual([[], 1]);
    repairDisk();
    await data.save();
    const created = await post('/payments', order());
    expect(created.status).toBe(201);
    await expect.poll(() => received).toHaveLength(2);
    expect(received).toContain(created.body.data.id);
    const expected = mock.sandbox.snapshot();
    await mock.close();
    await data.close();
    const again = createMock({ clock: 'manual' });
    await (await keepData(again, join(folder, 'data'))).close();
    // The create whose write failed has an unknown outcome: its payment exists after all.
    expect(stateOf(again.sandbox.snapshot()).accounts[0]?.modes.test.payments).toHaveLength(2);
    expect(stateOf(again.sandbox.snapshot()).accounts[0]?.keys).toEqual(stateOf(expected).accounts[0]?.keys);
  });
});
