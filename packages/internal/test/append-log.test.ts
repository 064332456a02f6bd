import { link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AppendLog,
  AppendLogError,
  openAppendLog,
  processSystem,
  StoredRecord,
  type StoredRecords,
} from '@service/internal/append-log';
import { startLogProcess } from './log-process.ts';
import { createRandom } from '../../../test/support/random.ts';
import { runs } from '../../../test/support/runs.ts';
import { createError, createSystem, VolatileFiles } from '../../../test/support/volatile-files.ts';

const PATH = '/data/log';
const titleLength = 'append-log 1 test\n'.length;

function open(files: VolatileFiles, boot = 'first'): Promise<AppendLog> {
  return openAppendLog(PATH, { name: 'test', files, system: createSystem(boot) });
}

/** Reads the records of a log as after a restart of the machine. */
async function readAfter(files: VolatileFiles): Promise<unknown[]> {
  await using log = await open(files, 'next');
  return [...log.records];
}

/** Creates a log with groups of one record each, and returns the files and the size before the last group. */
async function writeGroups(count: number): Promise<{ files: VolatileFiles; sizes: number[] }> {
  const files = new VolatileFiles();
  await using log = await open(files);
  const sizes = [sizeOf(files)];
  for (let index = 1; index <= count; index += 1) {
    await log.append({ index, text: 'x'.repeat(600) });
    sizes.push(sizeOf(files));
  }
  return { files, sizes };
}

const sizeOf = (files: VolatileFiles): number => files.content(PATH)?.length ?? 0;
const indexesOf = (records: unknown[]): number[] => records.map((each) => (each as { index: number }).index);

describe('an append log', () => {
  it('returns its records in the order of their appends', async () => {
    const files = new VolatileFiles();
    const log = await open(files);
    expect(log.isNew).toBe(true);
    await Promise.all([log.append({ id: 'ä\n1' }), log.append([2, null])]);
    await log.append('3');
    await log.close();
    expect(files.list()).toEqual([PATH]);
    await using again = await open(files);
    expect(again.isNew).toBe(false);
    expect([...again.records]).toEqual([{ id: 'ä\n1' }, [2, null], '3']);
  });

  it('rejects a file of another format', async () => {
    const { files } = await writeGroups(1);
    await expect(openAppendLog(PATH, { name: 'other', files, system: createSystem('1') })).rejects.toThrow(
      `${PATH} cannot be used. It contains test, not other.`,
    );
    files.put(PATH, Buffer.from('append-log 2 test\n'));
    await expect(open(files)).rejects.toThrow('It has format version 2; this release reads version 1.');
    files.put(PATH, Buffer.from('{}'));
    await expect(open(files)).rejects.toThrow('It is not a log.');
    expect(files.list()).toEqual([PATH]);
  });

  it('converts another file durably', async () => {
    const files = new VolatileFiles();
    files.put(PATH, Buffer.from('1,2'));
    const convert = (text: string): string[] => text.split(',');
    const log = await openAppendLog(PATH, { name: 'test', files, system: createSystem('1'), convert });
    expect([...log.records]).toEqual(['1', '2']);
    expect(await readAfter(files.cutPower())).toEqual(['1', '2']);
  });
});

describe('a stored record of an append log', () => {
  it('is read again at any time, while compactions move it', async () => {
    for (let seed = 1; seed <= runs(5); seed += 1) {
      const random = createRandom(seed);
      const files = new VolatileFiles();
      const log = await open(files);
      const latest = new Map<number, StoredRecord>();
      const values = new Map<StoredRecord, unknown>();
      const check = (): void => {
        for (const record of [...latest.values()].filter((one) => values.has(one)))
          expect(log.read(record)).toEqual(values.get(record));
      };
      const compactions: Promise<void>[] = [];
      for (let index = 0; index < 60; index += 1) {
        const value = { index, text: 'ä'.repeat(Math.floor(random() * 40)) };
        const record = new StoredRecord();
        latest.set(index % 20, record);
        const append = log.append(value, record).then(() => {
          values.set(record, value);
          return check();
        });
        if (random() < 0.5) await append;
        const takeStored = (): StoredRecords => {
          const records = [...latest.values()];
          const moveTo = (starts: readonly number[]): void => {
            expect(starts).toHaveLength(records.length);
            for (const [at, start] of starts.entries()) records[at]?.moveTo(start);
          };
          return { places: records, moveTo };
        };
        if (random() < 0.1) compactions.push(log.compact(() => [{ first: true }], takeStored));
      }
      await Promise.all(compactions);
      await log.append({ last: true });
      check();
      expect(values.size).toBe(60);
      expect(compactions.length).toBeGreaterThan(0);
      await log.close();
      await using again = await open(files);
      const found = new Map<number, unknown>();
      for (const { record } of again.entries) {
        const { index = -1 } = record as { index?: number };
        found.set(index % 20, record);
      }
      for (const [index, record] of latest) expect(found.get(index)).toEqual(values.get(record));
    }
  });

  it('is read after a restart, and not from a closed log', async () => {
    const files = new VolatileFiles();
    const log = await open(files);
    await log.append({ id: 'ä' });
    const record = new StoredRecord();
    await log.append({ id: 'b' }, record);
    await log.close();
    expect(() => log.read(record)).toThrow('is closed');
    await using again = await open(files);
    const entries = [...again.entries];
    expect(entries.map((entry) => again.read(entry))).toEqual([{ id: 'ä' }, { id: 'b' }]);
  });
});

describe('the end of an append log', () => {
  it('is removed when its write was interrupted at any byte', async () => {
    const { files, sizes } = await writeGroups(3);
    const whole = files.content(PATH)!;
    for (let length = sizes[2]!; length < whole.length; length += 1) {
      const torn = new VolatileFiles();
      torn.put(PATH, whole.subarray(0, length));
      expect(indexesOf(await readAfter(torn)), `${length} bytes`).toEqual([1, 2]);
      expect(sizeOf(torn)).toBe(sizes[2]);
    }
  });

  it('is removed when any of its sectors were not written', async () => {
    const { files, sizes } = await writeGroups(3);
    const [start, whole] = [sizes[2]!, files.content(PATH)!];
    const middle = Math.ceil(start / 512) * 512;
    for (const [from, to] of [
      [start, middle],
      [middle, middle + 512],
      [start, whole.length],
    ] as const) {
      const torn = new VolatileFiles();
      torn.put(PATH, Buffer.from(whole).fill(0, from, Math.min(to, whole.length)));
      expect(indexesOf(await readAfter(torn)), `zeros from ${from}`).toEqual([1, 2]);
    }
  });
});

describe('a damaged append log', () => {
  it('is rejected with the offset and not changed, for each changed byte', async () => {
    const { files } = await writeGroups(3);
    const whole = files.content(PATH)!;
    for (let offset = 0; offset < whole.length; offset += 1) {
      const damaged = Buffer.from(whole);
      damaged[offset]! ^= 1;
      const copy = new VolatileFiles();
      copy.put(PATH, damaged);
      const error: unknown = await open(copy).catch((reason: unknown) => reason);
      expect(error, `byte ${offset}`).toBeInstanceOf(AppendLogError);
      expect((error as Error).message).toMatch(
        offset < titleLength ? 'cannot be used' : /is damaged at byte \d+ and was not changed/,
      );
      expect(copy.content(PATH)!.equals(damaged)).toBe(true);
      expect(copy.list()).toEqual([PATH]);
    }
  });

  it.each([
    [
      'a missing sector before the last group',
      (bytes: Buffer, sizes: number[]) => bytes.fill(0, sizes[1], sizes[1]! + 512),
    ],
    [
      'a missing group',
      (bytes: Buffer, sizes: number[]) =>
        Buffer.concat([bytes.subarray(0, sizes[1]), bytes.subarray(sizes[2])]),
    ],
  ])('is rejected with %s', async (_, damage) => {
    const { files, sizes } = await writeGroups(3);
    const copy = new VolatileFiles();
    copy.put(PATH, damage(files.content(PATH)!, sizes));
    await expect(open(copy)).rejects.toMatchObject({ code: 'damaged' });
  });
});

describe('a compaction of an append log', () => {
  it('replaces the records and keeps the appends during it', async () => {
    const files = new VolatileFiles();
    const log = await open(files);
    const before = log.append('before');
    const compacted = log.compact(() => ['compacted']);
    const during = log.append('during');
    await Promise.all([before, compacted, during]);
    await log.append('after');
    expect(await readAfter(files.cutPower())).toEqual(['compacted', 'during', 'after']);
  });

  it('leaves the log usable when the new file cannot be written', async () => {
    const files = new VolatileFiles();
    await using log = await open(files);
    files.onStep = ({ path }) => {
      if (path.endsWith('.new')) throw createError('ENOSPC');
    };
    await expect(log.compact(() => ['compacted'])).rejects.toMatchObject({ code: 'ENOSPC' });
    await log.append(1);
    expect(log.failure).toBeUndefined();
    expect(await readAfter(files.cutPower())).toEqual([1]);
  });
});

describe('a failed write of an append log', () => {
  it.each(['write', 'sync'] as const)('is reported until a compaction succeeds (%s)', async (operation) => {
    const files = new VolatileFiles();
    await using log = await open(files);
    await log.append('first');
    files.onStep = (step) => {
      if (step.operation === operation) throw createError('ENOSPC');
    };
    const message = `${PATH} cannot be written: the disk is full.`;
    const [second, third] = [log.append('second'), log.append('third')];
    await expect(second).rejects.toMatchObject({ code: 'failed', message });
    await expect(third).rejects.toThrow(message);
    expect(log.failure?.message).toBe(message);
    files.onStep = undefined;
    const { length } = files.steps;
    await expect(log.append('fourth')).rejects.toThrow(message);
    expect(files.steps).toHaveLength(length);
    await log.compact(() => ['first', 'second']);
    expect(log.failure).toBeUndefined();
    await log.append('fifth');
    expect(await readAfter(files.cutPower())).toEqual(['first', 'second', 'fifth']);
  });

  it('does not lose the appends during the compaction that ends it', async () => {
    const files = new VolatileFiles();
    await using log = await open(files);
    files.onStep = () => {
      throw createError('ENOSPC');
    };
    await expect(log.append('first')).rejects.toThrow('the disk is full');
    files.onStep = undefined;
    const compacted = log.compact(() => ['first']);
    const second = log.append('second');
    await Promise.all([compacted, second]);
    await log.append('third');
    expect(await readAfter(files.cutPower())).toEqual(['first', 'second', 'third']);
  });

  it('follows a failed rename or sync of the folder, after which the content is uncertain', async () => {
    for (const operation of ['rename', 'syncFolder'] as const) {
      const files = new VolatileFiles();
      await using log = await open(files);
      await log.append('first');
      files.onStep = (step) => {
        if (step.operation === operation) throw createError('EIO');
      };
      await expect(log.compact(() => ['compacted'])).rejects.toMatchObject({ code: 'failed' });
      await expect(log.append('second')).rejects.toMatchObject({ code: 'failed' });
      files.onStep = undefined;
      await log.compact(() => ['again']);
      await log.append('third');
      expect(await readAfter(files.cutPower())).toEqual(['again', 'third']);
    }
  });
});

/** The files after the end of a run, and its records. */
interface Run {
  readonly files: VolatileFiles;
  readonly steps: number;
  readonly acknowledged: readonly number[];
  readonly appended: readonly number[];
}

/** Appends numbers, with compactions in between, until the process ends at a step. */
async function runUntil(stopAt: number, end: (files: VolatileFiles) => VolatileFiles): Promise<Run> {
  const files = new VolatileFiles();
  let left: VolatileFiles | undefined;
  files.onStep = (_, count) => {
    if (count !== stopAt) return;
    left = end(files);
    files.stop();
  };
  const acknowledged: number[] = [];
  const appended: number[] = [];
  const add = async (log: AppendLog, value: number): Promise<void> => {
    appended.push(value);
    await log.append(value);
    acknowledged.push(value);
  };
  try {
    const log = await open(files);
    for (let round = 0; round < 3; round += 1) {
      const first = round * 10;
      await Promise.all([add(log, first), add(log, first + 1)]);
      const adding = add(log, first + 2);
      const compacted = log.compact(() => [...appended]);
      // The end of the process can reject them before they are awaited.
      for (const each of [adding, compacted]) each.catch(() => {});
      for (let index = 3; index < 6; index += 1) await add(log, first + index);
      await Promise.all([compacted, adding]);
      await add(log, first + 6);
    }
    await log.close();
  } catch {
    // The process has ended.
  }
  return { files: left ?? end(files), steps: files.steps.length, acknowledged, appended };
}

/** Checks that all acknowledged records are there, and that the records are those of a run up to one of them. */
async function checkRun({ files, acknowledged, appended }: Run, stop: string): Promise<void> {
  const records = await readAfter(files);
  expect(records, `end: ${stop}`).toEqual(appended.slice(0, records.length));
  expect(records.length, `end: ${stop}`).toBeGreaterThanOrEqual(acknowledged.length);
}

describe('an acknowledged record of an append log', () => {
  const endings: [string, (random: () => number) => (files: VolatileFiles) => VolatileFiles][] = [
    ['a kill', () => (files) => files.kill()],
    ['a power failure that loses everything unsynced', () => (files) => files.cutPower()],
    ['a power failure that keeps some unsynced sectors', (random) => (files) => files.cutPower(random)],
  ];

  it.each(endings)('survives %s at each step of appends and compactions', async (_, createEnd) => {
    const { steps } = await runUntil(
      Infinity,
      createEnd(() => 1),
    );
    expect(steps).toBeGreaterThan(50);
    for (let seed = 1; seed <= runs(3); seed += 1) {
      const random = createRandom(seed);
      for (let step = 1; step <= steps; step += 1)
        await checkRun(await runUntil(step, createEnd(random)), `step ${step} of seed ${seed}`);
    }
  });
});

describe('the lock of an append log', () => {
  it('rejects a second process, and is released by close', async () => {
    const files = new VolatileFiles();
    const log = await open(files);
    await expect(open(files)).rejects.toMatchObject({
      code: 'in_use',
      message: `${PATH} is in use by process 1 on host. Two processes cannot share a file.`,
    });
    await log.close();
    await (await open(files)).close();
  });

  it('is taken over from a process that has ended', async () => {
    const { files } = await writeGroups(1);
    await open(files, 'first');
    const before = files.inspect(PATH)?.identity;
    await using log = await open(files, 'second');
    expect(indexesOf([...log.records])).toEqual([1]);
    expect(files.inspect(PATH)?.identity).toBe(before);
  });

  it('rejects a process of another container while its owner renews it', async () => {
    const files = new VolatileFiles();
    let renew = (): void => {};
    const first = { repeat: (_: number, run: () => void) => ((renew = run), () => {}) };
    await openAppendLog(PATH, { name: 'test', files, system: createSystem('first', first) });
    const second = createSystem('first', { isRunning: async () => undefined, wait: async () => renew() });
    await expect(openAppendLog(PATH, { name: 'test', files, system: second })).rejects.toMatchObject({
      code: 'in_use',
    });
  });

  it('is taken over from an unknown process that does not renew it, and the file is replaced', async () => {
    const { files } = await writeGroups(1);
    const paused = await open(files);
    const before = files.inspect(PATH)?.identity;
    const waits: number[] = [];
    const system = createSystem('first', {
      isRunning: async () => undefined,
      wait: async (time) => void waits.push(time),
    });
    await using log = await openAppendLog(PATH, { name: 'test', files, system });
    expect(waits).toEqual([1000, 1000, 1000, 1000, 1000]);
    expect(files.inspect(PATH)?.identity).not.toBe(before);
    await expect(paused.append({ index: 2 })).rejects.toMatchObject({
      code: 'lost',
      message: `${PATH} was taken over by another process, or its lock was removed. Restart this process.`,
    });
    await expect(paused.compact(() => [])).rejects.toMatchObject({ code: 'lost' });
    await paused.close();
    await log.append({ index: 3 });
    expect(indexesOf(await readAfter(files.kill()))).toEqual([1, 3]);
  });

  it('fences an owner that pauses at any step of an append', async () => {
    for (const operation of ['write', 'sync'] as const) {
      const { files } = await writeGroups(1);
      const paused = await open(files);
      let successor: AppendLog | undefined;
      files.onStep = async (step) => {
        if (step.operation !== operation || step.path !== PATH) return;
        files.onStep = undefined;
        const system = createSystem('first', { isRunning: async () => undefined });
        successor = await openAppendLog(PATH, { name: 'test', files, system });
        await successor.append({ index: 3 });
      };
      await expect(paused.append({ index: 2 })).rejects.toMatchObject({ code: 'lost' });
      const indexes = indexesOf(await readAfter(files.kill()));
      expect(indexes.at(-1)).toBe(3);
      expect(successor?.failure).toBeUndefined();
    }
  });

  it('does not remove the lock of another process that took it over in the meantime', async () => {
    const files = new VolatileFiles();
    await open(files, 'first');
    let winner: AppendLog | undefined;
    const system = createSystem('second', {
      async isRunning() {
        winner ??= await open(files, 'winner');
        return false;
      },
    });
    await expect(openAppendLog(PATH, { name: 'test', files, system })).rejects.toMatchObject({
      code: 'in_use',
    });
    await winner?.append(1);
    expect(winner?.failure).toBeUndefined();
  });
});

describe('an append log on a disk', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'append-log-'));
    file = join(folder, 'log');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('keeps its records, for its owner only', async () => {
    const log = await openAppendLog(file, { name: 'test' });
    await log.append({ id: 1 });
    await log.compact(() => [{ id: 1 }]);
    await log.append({ id: 2 });
    await log.close();
    expect(await readdir(folder)).toEqual(['log']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await using again = await openAppendLog(file, { name: 'test' });
    expect([...again.records]).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('rejects a second process of this system under each name, and hard links', async () => {
    await using log = await openAppendLog(file, { name: 'test' });
    await symlink(log.path, join(folder, 'link'));
    await expect(openAppendLog(join(folder, 'link'), { name: 'test' })).rejects.toThrow(
      `is in use by process ${process.pid} on `,
    );
    await link(file, join(folder, 'hard-link'));
    await expect(openAppendLog(join(folder, 'hard-link'), { name: 'test' })).rejects.toThrow(
      'It has 2 names (hard links), which a lock cannot protect. Use a copy.',
    );
  });

  it('is taken over immediately from a process that was killed', async () => {
    const holder = startLogProcess(file);
    const { pid } = holder.child;
    expect(await holder.next()).toBe(`opened by ${pid}`);
    expect(await holder.append('from the child')).toBe('appended from the child');
    await expect(openAppendLog(file, { name: 'test' })).rejects.toThrow(`is in use by process ${pid} on`);
    await holder.kill();
    const system = { ...processSystem, wait: () => Promise.reject(new Error('waited')) };
    await using log = await openAppendLog(file, { name: 'test', system });
    expect([...log.records]).toEqual(['from the child']);
  });

  it('does not write to the target of a link in place of its new file', async () => {
    await writeFile(join(folder, 'target'), 'kept');
    await symlink(join(folder, 'target'), `${file}.new`);
    await using log = await openAppendLog(file, { name: 'test' });
    await symlink(join(folder, 'target'), `${file}.new`);
    await log.compact(() => [1]);
    expect(await readFile(join(folder, 'target'), 'utf8')).toBe('kept');
  });

  it.each([
    ['a device', () => '/dev/full', 'It is not a regular file, but a directory or a device.'],
    ['a directory', () => folder, 'It is not a regular file, but a directory or a device.'],
    ['a missing directory', () => join(folder, 'no', 'log'), 'Reason: there is no such directory.'],
  ])('is rejected in place of %s', async (_, path, reason) => {
    await expect(openAppendLog(path(), { name: 'test' })).rejects.toThrow(
      `${path()} cannot be used. ${reason}`,
    );
    expect(await readdir(folder)).toEqual([]);
  });
});
