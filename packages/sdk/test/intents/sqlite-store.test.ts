import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe } from 'vitest';
import { createSqliteStore, type SqliteStore } from '../../src/entries/intents-sqlite.ts';
import { describeRace } from './race.ts';
import { describeBoundStore, describeIntentStore } from './store-contract.ts';

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
});
