import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMock, SandboxError } from '@service/mock';
import { keepData } from '@service/mock/node';
import { createCaller, createStillMock, order } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  file = join(folder, 'world.json');
});
afterEach(() => rm(folder, { recursive: true }));

describe('a data file', () => {
  it('restores the state in another process, including keys and secrets', async () => {
    const first = createStillMock();
    const data = await keepData(first.mock, file);
    expect(data).toMatchObject({ path: file, isRestored: false });
    const { body } = await first.post('/payments', order());
    await data.close();
    const second = createMock({ clock: 'manual' });
    await using again = await keepData(second, file);
    expect(again.isRestored).toBe(true);
    expect(second.account).toEqual(first.mock.account);
    const { get } = createCaller(second);
    expect((await get(`/payments/${String(body.data.id)}`)).body).toEqual(body);
    expect(await second.sandbox.stateHash()).toBe(await first.mock.sandbox.stateHash());
  });

  it('needs a mock', async () => {
    const swapped = keepData(file as never, createMock() as never);
    await expect(swapped).rejects.toThrow('keepData needs a mock from createMock.');
  });

  it.skipIf(process.platform === 'win32')(
    'is readable only by its owner, also its log, and made so if it exists, also behind a link',
    async () => {
      const [path, link] = [join(folder, 'data'), join(folder, 'link')];
      await symlink(path, link);
      for (const mode of [undefined, 0o644, 0o666, 0o640]) {
        if (mode !== undefined) await chmod(path, mode);
        const data = await keepData(createMock(), mode === undefined ? path : link);
        for (const name of await readdir(folder))
          expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
        await data.close();
      }
      expect(await readdir(folder)).toEqual(['data', 'link']);
    },
  );

  it('stores all kinds of changes', async () => {
    const { mock, post } = createStillMock();
    const { sandbox } = mock;
    const data = await keepData(mock, file);
    const account = sandbox.accounts.create({ name: 'second', balances: { USD: '5.00', KES: 0 } });
    sandbox.accounts.regenerateKey({ account });
    sandbox.accounts.suspend(account);
    sandbox.profile.set({ successStatus: { createPayment: 202 } });
    sandbox.profile.set({ minorUnits: 'iso' }, account);
    sandbox.wallets.credit({ currency: 'USD', amount: '10.00' });
    sandbox.wallets.set({ currency: 'EUR', amount: 0 });
    sandbox.webhooks.collect();
    sandbox.webhooks.collect();
    await post('/payments', order(), { 'idempotency-key': 'key-1' });
    await post('/payments', order({ beneficiary_account: 'SIM-HOOK-DUP' }));
    await sandbox.clock.advance('2s');
    sandbox.webhooks.removeEndpoint();
    await sandbox.clock.advance('1h');
    const expected = sandbox.snapshot();
    await data.close();
    const second = createMock({ clock: 'manual' });
    await using again = await keepData(second, file);
    expect(stateOf(second.sandbox.snapshot())).toEqual(expected.state);
    second.sandbox.reset();
    expect(stateOf(second.sandbox.snapshot())).toEqual(expected.state);
    expect(again.isRestored).toBe(true);
  });

  it('records the transitions that are due when it is opened', async () => {
    const first = createMock({ clock: 'real', start: '2026-01-01T00:00:00Z' });
    const data = await keepData(first, file);
    const { body } = await createCaller(first).post('/payments', order());
    await data.close();
    await first.close();
    const second = createMock({ clock: 'real' });
    const again = await keepData(second, file);
    expect((await createCaller(second).get(`/payments/${String(body.data.id)}`)).body.data.status).toBe(
      'completed',
    );
    const expected = second.sandbox.snapshot();
    await again.close();
    await second.close();
    const third = createMock({ clock: 'manual' });
    await (await keepData(third, file)).close();
    expect(stateOf(third.sandbox.snapshot()).accounts).toEqual(stateOf(expected).accounts);
  });

  it.each<[string, (bytes: Buffer) => Buffer | string | Promise<Buffer>, string]>([
    ['cut off', (bytes) => bytes.subarray(0, 5000), 'It is damaged.'],
    [
      'overwritten in part',
      (bytes) => Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(8192, 7)]),
      'It is damaged.',
    ],
    [
      'changed',
      (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('"10000000"', '"90000000"'), 'latin1'),
      'It is damaged.',
    ],
    ['a text', () => '{"name":"package"}', 'It is not a SQLite database.'],
    [
      'a database of another application',
      () => writeDatabase('create table users (name text)'),
      'It is a database of another application.',
    ],
    [
      'an empty database of another application',
      () => writeDatabase('pragma application_id = 7'),
      'It is a database of another application.',
    ],
    [
      'of a later release',
      (bytes) => (bytes.writeUInt32BE(2, 60), bytes),
      'It has format 2; this release reads format 1.',
    ],
  ])('is rejected and not changed when it is %s', async (_, damage, why) => {
    await (await keepData(createMock({ seed: 1 }), file)).close();
    const damaged = Buffer.from(await damage(await readFile(file)));
    await writeFile(file, damaged);
    const mock = createMock({ seed: 2, clock: 'manual' });
    const before = await mock.sandbox.stateHash();
    const rejected = keepData(mock, file);
    await expect(rejected).rejects.toThrow(SandboxError);
    await expect(rejected).rejects.toThrow(why);
    expect((await readFile(file)).equals(damaged)).toBe(true);
    expect(await mock.sandbox.stateHash()).toBe(before);
    expect(await readdir(folder)).toEqual(['world.json']);
  });

  it.each(['', '-wal'])('is new when only an empty file%s is left, as after a crash', async (suffix) => {
    await writeFile(`${file}${suffix}`, '');
    await using data = await keepData(createMock(), file);
    expect(data.isRestored).toBe(false);
  });

  it('is rejected for a second mock while the first one uses it, also in another process that is paused', async () => {
    const data = await keepData(createMock(), file);
    await expect(keepData(createMock(), file)).rejects.toThrow(`${file} is in use by another sandbox.`);
    await data.close();
    const child = forkPaying();
    await waitFor(child, 3);
    child.kill('SIGSTOP');
    await expect(keepData(createMock(), file)).rejects.toThrow(`${file} is in use by another sandbox.`);
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await keepData(createMock(), file)).close();
  });

  it.each([
    ['a missing directory', () => join(folder, 'no', 'file'), 'does not exist. Create it.'],
    ['a directory', () => folder, 'it is not a regular file, but a folder, a pipe or a device.'],
    ['a device', () => '/dev/full', 'it is not a regular file, but a folder, a pipe or a device.'],
  ])('is rejected in place of %s', async (_, path, reason) => {
    const opening = keepData(createMock(), path());
    await expect(opening).rejects.toThrow(`${path()} cannot be used: `);
    await expect(opening).rejects.toThrow(reason);
  });

  it('needs a Node with node:sqlite, and says so', async () => {
    const findModule = process.getBuiltinModule.bind(process);
    const find = vi.spyOn(process, 'getBuiltinModule');
    find.mockImplementation((id: string): object | undefined =>
      id === 'node:sqlite' ? undefined : findModule(id),
    );
    onTestFinished(() => find.mockRestore());
    await expect(keepData(createMock(), file)).rejects.toThrow(
      `A data file needs node:sqlite, of Node 22.13 or later. This is Node ${process.version}.`,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('reports a removal of its directory once', async () => {
    const errors: unknown[] = [];
    const { mock, post } = createStillMock({ onDefect: (error) => errors.push(error) });
    const data = await keepData(mock, file);
    await rm(folder, { recursive: true });
    expect((await post('/payments', order())).status).toBe(503);
    expect((await post('/payments', order())).status).toBe(503);
    expect(errors).toHaveLength(1);
    await expect(data.close()).rejects.toThrow('it was moved, removed or replaced');
    folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  });
});

/** Starts a process that creates payments with the data file. */
function forkPaying(): ChildProcess {
  const execArgv = ['--conditions=@service/source'];
  return fork(join(import.meta.dirname, 'fixtures/keep-paying.ts'), [file], { execArgv });
}

/** Writes a database with other content. */
async function writeDatabase(sql: string): Promise<Buffer> {
  const path = join(folder, 'other.db');
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  const bytes = await readFile(path);
  await rm(path);
  return bytes;
}

/** Returns the first messages of a child process. */
async function waitFor(child: ChildProcess, messages: number): Promise<string[]> {
  const received = Promise.withResolvers<string[]>();
  const ids: string[] = [];
  child.on('message', (id: string) => {
    if (ids.push(id) === messages) received.resolve(ids);
  });
  child.once('exit', () => received.reject(new Error('the child ended')));
  return received.promise;
}
