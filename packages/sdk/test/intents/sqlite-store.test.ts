import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Intent } from '../../src/index.ts';
import { createSqliteStore, type SqliteStore } from '../../src/entries/intents-sqlite.ts';
import { describeRace } from './race.ts';
import { describeBoundStore, describeIntentStore, intentOf } from './store-contract.ts';
import { expectStoredIntents, readFixture } from './stored-format.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
const opened: SqliteStore[] = [];
let count = 0;
const open = (path = join(folder, `${(count += 1)}.db`)): SqliteStore => {
  const store = createSqliteStore(path);
  opened.push(store);
  return store;
};
afterEach(() => {
  for (const store of opened.splice(0)) store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('createSqliteStore', () => {
  describeIntentStore(() => open());
  describeBoundStore(() => open());
  describeRace(() => open());

  it('shares a database between two stores', async () => {
    const path = join(folder, 'shared.db');
    const [one, other] = [open(path), open(path)];
    const paid: Intent = { ...intentOf('a'), state: 'created', paymentId: 'pay_test_1' };
    expect(await one.swap(paid, { fromVersion: 0, writeId: 'w1' })).toBe('done');
    expect(await other.read('a')).toEqual(paid);
    expect(await other.swap(intentOf('a'), { fromVersion: 0, writeId: 'w2' })).toBe('lost');
    expect(await other.swap({ ...paid, reference: 'b' }, { fromVersion: 0, writeId: 'w3' })).toBe('id_taken');
  });

  it('rejects writes while another process writes for longer than `busyTimeout`', async () => {
    const path = join(folder, 'busy.db');
    const store = createSqliteStore(path, { busyTimeout: 1 });
    opened.push(store);
    const database = new DatabaseSync(path);
    database.exec('begin immediate');
    await expect(store.swap(intentOf('a'), { fromVersion: 0, writeId: 'w' })).rejects.toThrow('locked');
    database.exec('rollback');
    database.close();
    expect(await store.swap(intentOf('a'), { fromVersion: 0, writeId: 'w' })).toBe('done');
  });

  it('reads a database of format 1, and creates the same tables', async () => {
    const path = join(folder, 'format-1.db');
    const database = new DatabaseSync(path);
    database.exec(readFixture('format-1.sqlite.sql'));
    database.close();
    await expectStoredIntents(open(path));
    const own = join(folder, 'own.db');
    open(own);
    const readTables = (file: string): unknown[] => {
      const reader = new DatabaseSync(file);
      const tables = reader.prepare('select type, name, sql from sqlite_schema order by name').all();
      reader.close();
      return tables;
    };
    expect(readTables(own)).toEqual(readTables(path));
  });

  it('rejects the database of another application, and a later format', () => {
    const path = join(folder, 'other.db');
    const database = new DatabaseSync(path);
    database.exec('create table users (name text)');
    expect(() => createSqliteStore(path)).toThrow('another application');
    expect(database.prepare('select count(*) as count from sqlite_schema').get()).toEqual({ count: 1 });
    database.close();
    const later = join(folder, 'later.db');
    open(later);
    const changed = new DatabaseSync(later);
    changed.exec('pragma user_version = 2');
    changed.close();
    expect(() => createSqliteStore(later)).toThrow('has format 2 of intents; this release reads format 1');
    expect(() => createSqliteStore(join(folder, 'missing/folder.db'))).toThrow(
      'cannot be used as an intent store',
    );
  });
});
