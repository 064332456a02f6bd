import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { assembleClient } from '../../src/client.ts';
import { createPayer } from '../../src/entries/payer.ts';
import { sqliteStore, type SqliteStore } from '../../src/entries/payer-sqlite.ts';
import { createClient } from '../../src/index.ts';
import { createManualClock } from '../manual-clock.ts';
import { createPaymentService } from '../payment-service.ts';
import { baseUrl, payment, paymentInput, success, testKey } from '../service.ts';
import { onRequest } from '../../../../test/support/on-request.ts';
import { describeBoundStore, describeIntentStore, describeLongList, intentOf } from './store-contract.ts';
import {
  expectStoredIntents,
  readFixture,
  storedAccount,
  storedIntents,
  writeStoredIntents,
} from './stored-format.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
const opened: SqliteStore[] = [];
let count = 0;
const open = (path = join(folder, `${(count += 1)}.db`)): SqliteStore => {
  const store = sqliteStore(path);
  opened.push(store);
  return store;
};
afterEach(() => {
  for (const store of opened.splice(0)) store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs statements in a database, and closes it. */
const execute = (path: string, sql: string): void => {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
};
/** Files that are no stores: a name, a function that writes one and may return how to close it, and the error. */
const foreign: readonly (readonly [string, (path: string) => (() => void) | void, string])[] = [
  ['a text', (path) => writeFileSync(path, 'Dear friend,\n'), 'is not a SQLite database'],
  [
    'an encrypted database',
    (path) => writeFileSync(path, Buffer.alloc(8_192, 0xa5)),
    'is not a SQLite database',
  ],
  ['other tables', (path) => execute(path, 'create table users (name text)'), 'another application'],
  [
    'another application id without tables',
    (path) => execute(path, 'pragma application_id = 7'),
    'another application',
  ],
  [
    'other tables with a closed write-ahead log',
    (path) => execute(path, 'pragma journal_mode = wal; create table users (name text)'),
    'another application',
  ],
  [
    'other tables that are only in an open write-ahead log',
    (path) => {
      const database = new DatabaseSync(path);
      database.exec('pragma journal_mode = wal; create table users (name text)');
      return () => database.close();
    },
    'another application',
  ],
  [
    'other tables that a killed process left in a write-ahead log',
    (path) => {
      const database = new DatabaseSync(`${path}.live`);
      database.exec('pragma journal_mode = wal; create table users (name text)');
      for (const end of ['', '-wal']) copyFileSync(`${path}.live${end}`, `${path}${end}`);
      database.close();
    },
    'another application',
  ],
  [
    'other tables beside the hot journal of a killed process',
    (path) => {
      const database = new DatabaseSync(`${path}.live`);
      database.exec('create table users (name text); insert into users values (zeroblob(100000))');
      // A small cache makes the open transaction write to the file.
      database.exec(`pragma cache_size = 1; begin; update users set name = hex(randomblob(100000));
        insert into users values (zeroblob(200000))`);
      for (const end of ['', '-journal']) copyFileSync(`${path}.live${end}`, `${path}${end}`);
      database.close();
    },
    'another application',
  ],
  ...[1, 3].map((format): (typeof foreign)[number] => [
    `the format ${format}`,
    (path) => execute(path, `${readFixture('format-2.sqlite.sql')}; pragma user_version = ${format}`),
    `has format ${format} of intents; this release reads format 2`,
  ]),
];

describe('sqliteStore', () => {
  describeIntentStore(() => open());
  describeBoundStore(() => open());
  describeLongList(() => open());

  it('reads a database of its format, and creates the same tables', async () => {
    const path = join(folder, 'format.db');
    execute(path, readFixture('format-2.sqlite.sql'));
    await expectStoredIntents(open(path));
    const own = join(folder, 'own.db');
    await open(own).read('a');
    const readTables = (file: string): unknown[] => {
      const reader = new DatabaseSync(file);
      const tables = reader.prepare('select type, name, sql from sqlite_schema order by name').all();
      reader.close();
      return tables;
    };
    expect(readTables(own)).toEqual(readTables(path));
  });

  it('continues with a database whose process was killed while it created it', async () => {
    const path = join(folder, 'started.db');
    const database = new DatabaseSync(path);
    database.exec('pragma journal_mode = wal');
    database.close();
    await writeStoredIntents(open(path));
    expect(await open(path).read('d')).toEqual(storedIntents[3]);
  });

  it.each(foreign)('rejects %s, and changes no byte in its folder and no mode', async (_, write, problem) => {
    const place = mkdtempSync(join(folder, 'foreign-'));
    const path = join(place, 'payments.db');
    const close = write(path);
    chmodSync(path, 0o644);
    const readFiles = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(place)
          // The index of a log is shared memory of its readers.
          .filter((name) => !name.endsWith('-shm'))
          .map((name) => [
            name,
            createHash('sha256')
              .update(readFileSync(join(place, name)))
              .digest('hex'),
          ]),
      );
    const before = readFiles();
    const store = sqliteStore(path);
    await expect(store.read('a')).rejects.toThrow(problem);
    await expect(store.swap(intentOf('a'), { fromVersion: 0, writeId: 'w' })).rejects.toThrow(problem);
    await expect(store.bindAccount(storedAccount)).rejects.toThrow(problem);
    await expect(store.list({})).rejects.toThrow(problem);
    expect(readFiles()).toEqual(before);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    close?.();
  });

  it.skipIf(process.platform === 'win32').each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', ['-m', '666', path])],
    ['a device', () => {}, '/dev/null'],
    ['a link to a device', (path: string) => symlinkSync('/dev/null', path)],
  ] as const)('rejects %s, and leaves its mode unchanged', async (_, create, given?: string) => {
    const path = given ?? join(folder, `${(count += 1)}`);
    create(path);
    const { mode } = statSync(path);
    // As the owner of the device, a store could change it.
    onTestFinished(() => chmodSync(path, mode));
    await expect(sqliteStore(path).read('a')).rejects.toThrow(
      `${path} cannot be used as an intent store: it is not a regular file, but a folder, a pipe or a device.`,
    );
    expect(statSync(path).mode).toBe(mode);
  });

  it('creates a database that only its owner can read, also at the end of a link', async () => {
    const path = join(folder, 'private.db');
    await writeStoredIntents(open(path));
    for (const end of ['', '-wal', '-shm']) expect(statSync(path + end).mode & 0o077).toBe(0);
    const [target, link] = [join(folder, 'behind.db'), join(folder, 'link-behind.db')];
    symlinkSync(target, link);
    await open(link).read('a');
    expect(statSync(target).mode & 0o077).toBe(0);
  });

  it.skipIf(process.platform === 'win32').each([
    ['a store that all users can read', 0o644],
    ['a store that all users can change', 0o666],
    ['a store of a group', 0o660],
  ])('makes %s private to its owner, with its log', async (_, mode) => {
    const path = join(mkdtempSync(join(folder, 'open-')), 'payments.db');
    // A group can read the folder.
    chmodSync(dirname(path), 0o755);
    const store = sqliteStore(path);
    await writeStoredIntents(store);
    for (const end of ['', '-wal', '-shm']) chmodSync(path + end, mode);
    const link = join(folder, `link-${mode}.db`);
    symlinkSync(path, link);
    await expectStoredIntents(open(link));
    for (const end of ['', '-wal', '-shm']) expect(statSync(path + end).mode & 0o777).toBe(0o600);
    store.close();
  });

  it('rejects writes after its file was removed or replaced', async () => {
    const path = join(folder, 'removed.db');
    const store = open(path);
    await store.read('a');
    rmSync(path);
    const write = { fromVersion: 0, writeId: 'w' };
    await expect(store.swap(intentOf('a'), write)).rejects.toThrow('was moved, removed or replaced');
    writeFileSync(path, '');
    await expect(store.swap(intentOf('a'), write)).rejects.toThrow('was moved, removed or replaced');
  });

  it('accepts writes after the process has changed its working directory', async () => {
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(folder);
    const [early, late] = [open('relative.db'), open('relative.db')];
    expect(await early.read('a')).toBeUndefined();
    process.chdir(before);
    expect(await early.swap(intentOf('a'), { fromVersion: 0, writeId: 'w' })).toBe('done');
    // The path is that of the folder in which the store was created.
    expect(await late.read('a')).toEqual(intentOf('a'));
  });

  it('opens its file at the first use, and again after a failure', async () => {
    const place = join(folder, 'mounted-later');
    const store = open(join(place, 'payments.db'));
    await expect(store.read('a')).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: `${join(place, 'payments.db')} cannot be used as an intent store: its folder ${place} does not exist. Create it.`,
    });
    mkdirSync(place);
    expect(readdirSync(place)).toEqual([]);
    expect(await store.swap(intentOf('a'), { fromVersion: 0, writeId: 'w' })).toBe('done');
    expect(readdirSync(place)).toContain('payments.db');
  });

  it('rejects each use after close, also if it was never opened, and creates no file', async () => {
    const path = join(folder, 'closed.db');
    const store = sqliteStore(path);
    store.close();
    store.close();
    await expect(store.read('a')).rejects.toThrow('The intent store is closed');
    expect(existsSync(path)).toBe(false);
  });

  it.each([undefined, '', 7, ':memory:'])('rejects the path %j', (path) => {
    expect(() => sqliteStore(path as string)).toThrow('path');
  });

  it.each([
    [{ fingerprintKey: 'short' }, 'fingerprintKey'],
    [{ timeout: 1 }, 'timeout'],
  ])('rejects the options %o, and creates no file', (options, name) => {
    expect(() => sqliteStore(join(folder, 'none.db'), options as object)).toThrow(name);
    expect(existsSync(join(folder, 'none.db'))).toBe(false);
  });

  it('names the Node that it needs without node:sqlite, and restores the warnings of the process', () => {
    const getBuiltinModule = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    onTestFinished(() => getBuiltinModule.mockRestore());
    const before = Object.getOwnPropertyDescriptor(process, 'emitWarning');
    expect(() => sqliteStore(join(folder, 'never.db'))).toThrow(
      `sqliteStore needs node:sqlite, of Node 22.13 or later. This is ${process.version}.`,
    );
    expect(Object.getOwnPropertyDescriptor(process, 'emitWarning')).toEqual(before);
    expect(existsSync(join(folder, 'never.db'))).toBe(false);
  });
});

describe('a closed database', () => {
  it('ends a payment at once, and returns the payment that was made meanwhile', async () => {
    const store = open();
    opened.length = 0;
    const warnings: unknown[] = [];
    const respond = (): Response => {
      store.close();
      return success(payment, 201);
    };
    const options = {
      apiKey: testKey,
      baseUrl,
      fetch: async () => respond(),
      onWarning: warnings.push.bind(warnings),
    };
    const payer = createPayer(assembleClient(options, createManualClock()), { store });
    expect(await payer.pay('order-42', paymentInput)).toMatchObject({ id: payment.id });
    expect(warnings).toMatchObject([{ code: 'store_failed' }]);
    await expect(payer.pay('order-43', paymentInput)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(/is closed/) as unknown,
    });
  });
});

describe('a database on a full disk', () => {
  it('yields each payment before the run throws, and names the error of SQLite', async () => {
    const path = join(folder, 'full.db');
    const store = open(path);
    const service = createPaymentService();
    const fetch = onRequest(service.fetch);
    const client = createClient({ apiKey: testKey, baseUrl, fetch, timeout: 20 });
    const payer = createPayer(client, { store, lease: 40, clockSkew: 0, concurrency: 3 });
    for (let line = 0; line < 12; line += 1)
      await payer.plan(`line-${line}`, { ...paymentInput, purpose: `${line}` });
    execute(
      path,
      `create trigger full before update on payment_intents
        when (select count(*) from payment_intents where state = 'created') >= 2 and new.state = 'created'
        begin select raise(abort, 'database or disk is full'); end`,
    );
    const paid: string[] = [];
    const run = async (): Promise<void> => {
      for await (const update of payer.run()) if (update.payment) paid.push(update.payment.id);
    };
    await expect(run()).rejects.toThrow('failed for 1 s: database or disk is full (ERR_SQLITE_ERROR).');
    expect(paid.length).toBeGreaterThan(0);
    expect(paid.toSorted()).toEqual(service.payments.map(({ id }) => id).toSorted());
  });
});
