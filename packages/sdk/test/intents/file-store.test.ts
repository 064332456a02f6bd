import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe } from 'vitest';
import { createFileStore, type FileStore } from '../../src/entries/intents-file.ts';
import { describeRace } from './race.ts';
import { describeBoundStore, describeIntentStore } from './store-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'file-store-'));
const opened: FileStore[] = [];
let count = 0;
const open = async (path = join(folder, `${(count += 1)}.intents`)): Promise<FileStore> => {
  const store = await createFileStore(path);
  opened.push(store);
  return store;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('createFileStore', () => {
  describeIntentStore(() => open());
  describeBoundStore(() => open());
  describeRace(() => open());
});
