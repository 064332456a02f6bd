import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAppendLog } from '@service/internal/append-log';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../../test/support/random.ts';
import type { Intent } from '../../src/index.ts';
import { createFileStore, type FileStore } from '../../src/entries/intents-file.ts';
import { describeRace } from './race.ts';
import { describeBoundStore, describeIntentStore, intentOf } from './store-contract.ts';
import { expectStoredIntents, readFixture, writeStoredIntents } from './stored-format.ts';

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

  const createdOf = (reference: string, version = 1): Intent => ({
    ...intentOf(reference, version),
    state: 'created',
    paymentId: `pay_test_${reference}`,
    body: '{"beneficiary_name":"Zoë \u{1f511}"}',
  });

  it('keeps intents, ids and the account of a file that is opened again', async () => {
    const account = { mode: 'test', baseUrl: 'https://api.example.test/api/v1', label: 'a' } as const;
    const first = await open();
    await first.bindAccount?.(account);
    await first.swap(intentOf('a'), { fromVersion: 0, writeId: 'w1' });
    await first.swap(createdOf('a', 2), { fromVersion: 1, writeId: 'w2' });
    await first.close();
    const second = await open(first.path);
    expect(await second.bindAccount?.({ ...account, mode: 'live' })).toEqual(account);
    expect(await second.read('a')).toEqual(createdOf('a', 2));
    expect(await second.swap(createdOf('a', 2), { fromVersion: 1, writeId: 'w2' })).toBe('done');
    expect(await second.swap({ ...createdOf('a'), reference: 'b' }, { fromVersion: 0, writeId: 'w3' })).toBe(
      'id_taken',
    );
  });

  it('keeps the present intents only when the file is compacted, and no removed body', async () => {
    const first = await open();
    const large = { ...createdOf('a'), body: 'x'.repeat(100_000) };
    for (let version = 1; version <= 30; version += 1)
      await first.swap({ ...large, version }, { fromVersion: version - 1, writeId: `w${version}` });
    await first.swap({ ...createdOf('a', 31), body: undefined }, { fromVersion: 30, writeId: 'w31' });
    for (let index = 0; index < 15; index += 1)
      await first.swap(
        { ...large, reference: `b${index}`, paymentId: `pay_test_b${index}` },
        { fromVersion: 0, writeId: 'w' },
      );
    await first.close();
    expect(statSync(first.path).size).toBeLessThan(3_000_000);
    const second = await open(first.path);
    expect(await second.read('a')).toEqual({ ...createdOf('a', 31), body: undefined });
  });

  it('keeps each acknowledged version, while compactions move the records of others', async () => {
    const random = createRandom(1);
    const first = await open();
    const latest = new Map<string, Intent>();
    const work = async (worker: number): Promise<void> => {
      for (let step = 0; step < 60; step += 1) {
        const reference = `ref-${worker}-${Math.floor(random() * 5)}`;
        const version = (latest.get(reference)?.version ?? 0) + 1;
        const paymentId = random() < 0.5 ? `pay_test_${reference}` : undefined;
        const body = 'ä'.repeat(Math.floor(random() * 40_000));
        const next: Intent = { ...intentOf(reference, version), body, ...(paymentId && { paymentId }) };
        expect(await first.swap(next, { fromVersion: version - 1, writeId: `${reference} ${version}` })).toBe(
          'done',
        );
        latest.set(reference, next);
        for (const intent of [...latest.values()].filter(({ reference: other }) =>
          other.startsWith(`ref-${worker}`),
        ))
          expect(await first.read(intent.reference)).toEqual(intent);
      }
    };
    await Promise.all([0, 1, 2].map(work));
    const { size } = statSync(first.path);
    expect(size).toBeLessThan(4_500_000);
    await first.close();
    const second = await open(first.path);
    for (const intent of latest.values()) expect(await second.read(intent.reference)).toEqual(intent);
    const ids = [...latest.values()].flatMap(({ paymentId }) => paymentId ?? []);
    const found: unknown[] = [];
    for await (const { paymentId } of second.list({ paymentIds: ids })) found.push(paymentId);
    expect(found).toEqual(ids.toSorted());
  });

  it('is rejected while another store has the file, also by another name', async () => {
    const { path } = await open();
    const alias = `${path}.alias`;
    symlinkSync(path, alias);
    for (const name of [path, alias]) {
      await expect(createFileStore(name)).rejects.toMatchObject({
        name: 'ConfigurationError',
        cause: { code: 'in_use' },
      });
    }
  });

  it('removes the rest of an interrupted write, and rejects any other damage', async () => {
    const first = await open();
    await first.swap(intentOf('a'), { fromVersion: 0, writeId: 'w1' });
    await first.swap(intentOf('b'), { fromVersion: 0, writeId: 'w2' });
    await first.close();
    const bytes = readFileSync(first.path);
    writeFileSync(first.path, bytes.subarray(0, -5));
    const second = await open(first.path);
    expect(await second.read('a')).toEqual(intentOf('a'));
    expect(await second.read('b')).toBeUndefined();
    await second.close();
    const changed = Buffer.from(bytes);
    changed[changed.indexOf('"reference":"a"') + 13] = 0x78;
    writeFileSync(first.path, changed);
    await expect(createFileStore(first.path)).rejects.toMatchObject({ cause: { code: 'damaged' } });
    expect(readFileSync(first.path)).toEqual(changed);
  });

  it('reads a file of format 1, and writes the same bytes', async () => {
    const path = join(folder, 'format-1.intents');
    writeFileSync(path, readFixture('format-1.intents'));
    await expectStoredIntents(await open(path));
    const own = await open();
    await writeStoredIntents(own);
    expect(readFileSync(own.path, 'utf8')).toBe(readFixture('format-1.intents'));
  });

  it('rejects a later format, and a file of other content', async () => {
    const path = join(folder, 'later.intents');
    const log = await openAppendLog(path, { name: 'payment-intents' });
    await log.append({ format: 2 });
    await log.close();
    await expect(createFileStore(path)).rejects.toThrow(
      'has format 2 of intents; this release reads format 1',
    );
    writeFileSync(path, 'reference,amount');
    await expect(createFileStore(path)).rejects.toMatchObject({ cause: { code: 'unusable' } });
  });
});
