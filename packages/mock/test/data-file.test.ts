import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMock, SandboxError } from '@service/mock';
import { keepData } from '@service/mock/node';
import { createCaller, createStillMock, order } from './support.ts';

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

  it('is readable only by its owner and replaces leftovers of a crash', async () => {
    await writeFile(`${file}.tmp`, 'left behind', { mode: 0o666 });
    await using data = await keepData(createMock(), file);
    expect((await stat(data.path)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).toSorted()).toEqual(['world.json', 'world.json.lock']);
  });

  it('is saved soon after a change and leaves no temporary file', async () => {
    const { mock, post } = createStillMock();
    await using data = await keepData(mock, file);
    const before = await readFile(data.path, 'utf8');
    await post('/payments', order());
    await expect.poll(() => readFile(data.path, 'utf8')).not.toBe(before);
    expect((await readdir(folder)).toSorted()).toEqual(['world.json', 'world.json.lock']);
  });

  it('is not saved without a change', async () => {
    const { mock, get } = createStillMock();
    await using data = await keepData(mock, file);
    const { ino } = await stat(data.path);
    await get('/balance');
    await data.save();
    expect((await stat(data.path)).ino).toBe(ino);
  });

  it('is not saved when only the time changes', async () => {
    const mock = createMock({ clock: { speed: 100_000 } });
    await using data = await keepData(mock, file);
    const { ino } = await stat(data.path);
    const start = mock.sandbox.clock.now().getTime();
    await expect.poll(() => mock.sandbox.clock.now().getTime()).toBeGreaterThan(start + 1000);
    await data.save();
    expect((await stat(data.path)).ino).toBe(ino);
  });

  it('is taken over from an earlier process with the same id, as in containers', async () => {
    await writeFile(`${file}.lock`, `${process.pid} 1`);
    await using data = await keepData(createMock(), file);
    expect(data.isRestored).toBe(false);
  });

  it.each([
    ['cut off', (text: string) => text.slice(0, -10), 'It is not valid JSON.'],
    ['empty', () => '', 'It is not valid JSON.'],
    ['changed', (text: string) => text.replace('"10000000"', '"90000000"'), 'its checksum does not match'],
    ['something else', () => '{"name":"package"}', 'This is not a snapshot of a sandbox'],
  ])('is rejected and not changed when it is %s', async (_, damage, why) => {
    await (await keepData(createMock({ seed: 1 }), file)).close();
    const damaged = damage(await readFile(file, 'utf8'));
    await writeFile(file, damaged);
    const mock = createMock({ seed: 2, clock: 'manual' });
    const before = await mock.sandbox.stateHash();
    const rejected = keepData(mock, file);
    await expect(rejected).rejects.toThrow(SandboxError);
    await expect(rejected).rejects.toThrow(why);
    expect(await readFile(file, 'utf8')).toBe(damaged);
    expect(await mock.sandbox.stateHash()).toBe(before);
    expect(await readdir(folder)).toEqual(['world.json']);
  });

  it('is rejected for a second mock while the first one uses it', async () => {
    const data = await keepData(createMock(), file);
    await expect(keepData(createMock(), file)).rejects.toThrow(`${file} is in use by process ${process.pid}`);
    await data.close();
    await (await keepData(createMock(), file)).close();
  });

  it('is released by close, and later calls do not save', async () => {
    const data = await keepData(createMock(), file);
    await data.close();
    await using next = await keepData(createMock(), file);
    const text = await readFile(next.path, 'utf8');
    await data.close();
    await expect(data.save()).rejects.toThrow('is closed');
    await expect(keepData(createMock(), file)).rejects.toThrow('is in use');
    expect(await readFile(next.path, 'utf8')).toBe(text);
  });

  it('is the same file under all its links', async () => {
    await using data = await keepData(createMock(), file);
    await symlink(data.path, join(folder, 'link.json'));
    await expect(keepData(createMock(), join(folder, 'link.json'))).rejects.toThrow('is in use');
  });

  it('is taken over from a dead process', async () => {
    const child = fork('-e', { execArgv: ['-e', ''], stdio: 'ignore' });
    await once(child, 'exit');
    await writeFile(`${file}.lock`, String(child.pid));
    await using data = await keepData(createMock(), file);
    expect(data.isRestored).toBe(false);
  });

  it('reports a failed save once, and continues when saving works again', async () => {
    const errors: unknown[] = [];
    const { mock, post } = createStillMock();
    const data = await keepData(mock, file, { onError: (error) => errors.push(error) });
    await rm(folder, { recursive: true });
    await post('/payments', order());
    await expect.poll(() => errors).toHaveLength(1);
    await expect(data.save()).rejects.toMatchObject({ code: 'ENOENT' });
    folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    await expect(data.close()).rejects.toMatchObject({ code: 'ENOENT' });
    expect(errors).toHaveLength(1);
  });

  it('rejects with the error of Node if it is not writable', async () => {
    await expect(keepData(createMock(), join(folder, 'no', 'such', 'folder'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('keeps all reported saves when the process is killed', { timeout: 60_000 }, async () => {
    for (const messages of [1, 3, 7]) {
      const child = fork(join(import.meta.dirname, 'fixtures/keep-paying.ts'), [file], {
        execArgv: ['--conditions=@service/source'],
      });
      const written = await waitFor(child, messages);
      const died = once(child, 'exit');
      child.kill('SIGKILL');
      await died;
      const mock = createMock({ clock: 'manual' });
      await (await keepData(mock, file)).close();
      const { payments = [], transactions = [] } =
        mock.sandbox.snapshot().state.accounts[0]?.modes.test ?? {};
      expect(payments.length).toBeGreaterThanOrEqual(written);
      // Each payment is complete: with its transaction, and with the debit in the balance.
      expect(transactions).toHaveLength(payments.length + 3);
      expect(transactions.at(-1)?.balance_after).toBe(String(10_000_000 - payments.length * 100));
    }
  });
});

/** Waits for the nth message of a child process and returns it. */
async function waitFor(child: ChildProcess, messages: number): Promise<number> {
  const received = Promise.withResolvers<number>();
  let left = messages;
  child.on('message', (total: number) => {
    left -= 1;
    if (left === 0) received.resolve(total);
  });
  child.once('exit', () => received.reject(new Error('the child ended')));
  return received.promise;
}
