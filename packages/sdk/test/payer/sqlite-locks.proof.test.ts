// Each test waits for the time of 5 s that a connection waits for a lock.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/entries/payer-sqlite.ts';

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
