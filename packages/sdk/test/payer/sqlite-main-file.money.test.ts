import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../../test/support/random.ts';
import { runs } from '../../../../test/support/runs.ts';
import { sqliteStore } from '../../src/entries/payer-sqlite.ts';
import { type AcknowledgedWrite, createSizedIntent, type SqliteProcessOptions } from './sqlite-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-main-file-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const nextPath = (): string => join(folder, `${(count += 1)}.db`);

/** The last acknowledged version of each reference. */
type Acknowledged = Map<string, number>;

/** Whether a store has all acknowledged intents, has lost one, or is refused by an error that names the missing file. */
type Verdict = 'complete' | 'lost' | 'refused';

async function judge(path: string, acknowledged: Acknowledged): Promise<Verdict> {
  const store = sqliteStore(path);
  try {
    // Opens the file, also for no acknowledged intents.
    await store.read('none');
    for (const [reference, version] of acknowledged)
      if (((await store.read(reference))?.version ?? 0) < version) return 'lost';
    return 'complete';
  } catch (error) {
    if (String(error).includes(`it is incomplete. It was copied or moved without ${path}-wal`))
      return 'refused';
    throw error;
  } finally {
    store.close();
  }
}

const PAGE = 4096;

/** Returns the numbers of the pages that differ between two states of a file, in the order in which SQLite writes them. */
function listChangedPages(before: Buffer, after: Buffer): readonly number[] {
  expect(after.length).toBeGreaterThanOrEqual(before.length);
  const pages = Array.from({ length: after.length / PAGE }, (_, page) => page);
  const read = (file: Buffer, page: number): Buffer => file.subarray(page * PAGE, (page + 1) * PAGE);
  return pages.filter((page) => !read(before, page).equals(read(after, page)));
}

/** Returns a file to which only some pages of its next state were written. */
function writePages(before: Buffer, after: Buffer, pages: readonly number[]): Buffer {
  const end = Math.max(before.length, ...pages.map((page) => (page + 1) * PAGE));
  const file = Buffer.concat([before, Buffer.alloc(end - before.length)]);
  for (const page of pages) after.copy(file, page * PAGE, page * PAGE, (page + 1) * PAGE);
  return file;
}

/** A file during the write of a commit to it: its pages before and after it, the changed ones, and its log. */
interface Commit {
  readonly before: Buffer;
  readonly after: Buffer;
  readonly changed: readonly number[];
  readonly log: Buffer;
  /** The writes that were acknowledged before it. */
  readonly acknowledged: Acknowledged;
  /** These and its own. */
  readonly included: Acknowledged;
}

/** Records the files of a store after each of its commits, most of which change several pages. */
async function recordCommits(intents: number): Promise<readonly Commit[]> {
  const path = nextPath();
  const store = sqliteStore(path);
  await store.read('none');
  const commits: Commit[] = [];
  let acknowledged: Acknowledged = new Map();
  // No other connection relies on the locks that the end of this handle releases.
  let before = readFileSync(path);
  for (let step = 0; step < intents * 2; step += 1) {
    const index = step % intents;
    const [reference, version] = [`line-${(index * 37) % intents}`, step < intents ? 1 : 2];
    const writes = [createSizedIntent(reference, version, index + version)];
    if (index % 10 === 0) writes.push(createSizedIntent(`group-${step}`, 1, index));
    await Promise.all(
      writes.map((next) =>
        store.swap(next, { fromVersion: next.version - 1, writeId: `${next.reference} ${next.version}` }),
      ),
    );
    const after = readFileSync(path);
    const included = new Map(acknowledged);
    for (const each of writes) included.set(each.reference, each.version);
    const changed = listChangedPages(before, after);
    commits.push({ before, after, changed, log: readFileSync(`${path}-wal`), acknowledged, included });
    [before, acknowledged] = [after, included];
  }
  store.close();
  return commits;
}

/** Lists the sets of pages that are on the disk after a stop: each first part of a commit, and others, as a disk reorders them. */
function listCuts(changed: readonly number[], random: () => number): readonly (readonly number[])[] {
  const parts = changed.map((_, index) => changed.slice(0, index + 1));
  const reordered = changed.map(() => changed.filter(() => random() < 0.5));
  return [[], ...parts, ...reordered];
}

describe('the database file of a store', { timeout: runs(1) * 120_000 }, () => {
  it('has all acknowledged intents without its log, or is refused, after a stop between any pages', async () => {
    const random = createRandom(20_260_131);
    const path = nextPath();
    const verdicts = { complete: 0, refused: 0, lost: 0 };
    let unchecked = 0;
    for (const { before, after, changed, acknowledged } of await recordCommits(runs(60))) {
      for (const pages of listCuts(changed, random)) {
        const cut = writePages(before, after, pages);
        writeFileSync(path, cut);
        verdicts[await judge(path, acknowledged)] += 1;
        writeFileSync(path, cut);
        unchecked += countLost(path, acknowledged);
      }
    }
    expect(verdicts.lost).toBe(0);
    expect(verdicts.complete + verdicts.refused).toBeGreaterThan(1_000);
    // A program without the check finds fewer intents in some of these files.
    expect(unchecked).toBeGreaterThan(0);
  });

  it('has all acknowledged intents beside its log, and is never refused, after a stop between any pages', async () => {
    const random = createRandom(20_260_131);
    const path = nextPath();
    const verdicts = { complete: 0, refused: 0, lost: 0 };
    for (const { before, after, changed, log, acknowledged, included } of await recordCommits(runs(12))) {
      const write = async (file: Buffer, logPart: Buffer, expected: Acknowledged): Promise<void> => {
        rmSync(`${path}-shm`, { force: true });
        writeFileSync(path, file);
        writeFileSync(`${path}-wal`, logPart);
        verdicts[await judge(path, expected)] += 1;
      };
      for (const pages of listCuts(changed, random))
        await write(writePages(before, after, pages), log, included);
      // The log is written and synced before the first page.
      for (let part = 0; part < 5; part += 1)
        await write(before, log.subarray(0, Math.floor(random() * log.length)), acknowledged);
    }
    expect(verdicts).toMatchObject({ lost: 0, refused: 0 });
    expect(verdicts.complete).toBeGreaterThan(200);
  });
});

/** Returns 1 if a program that does not check the file opens it, and finds fewer intents than were acknowledged. */
function countLost(path: string, acknowledged: Acknowledged): number {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare('select reference, version from payment_intents').all();
    const found = new Map(rows.map(({ reference, version }) => [reference, Number(version)]));
    return [...acknowledged].some(([reference, version]) => (found.get(reference) ?? 0) < version) ? 1 : 0;
  } catch {
    return 0;
  } finally {
    database.close();
  }
}

/** A process that writes to a store, and its acknowledged writes. */
interface Writer {
  readonly process: ChildProcess;
  readonly exit: Promise<unknown>;
  /** Resolves after the first acknowledged write. */
  readonly ready: Promise<unknown>;
}

function startWriter(options: SqliteProcessOptions, acknowledged: Acknowledged): Writer {
  const child = fork(join(import.meta.dirname, 'sqlite-process.ts'), [JSON.stringify(options)], {
    execArgv: ['--conditions=@service/source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.on('message', ({ reference, version }: AcknowledgedWrite) => acknowledged.set(reference, version));
  return { process: child, exit: once(child, 'close'), ready: once(child, 'message') };
}

describe('a store whose processes end without closing it', { timeout: runs(1) * 120_000 }, () => {
  it('goes on after each kill, and its file has all acknowledged intents without its log', async () => {
    const path = nextPath();
    const acknowledged: Acknowledged = new Map();
    const random = createRandom(20_260_131);
    const alone: Verdict[] = [];
    for (let kill = 0; kill < runs(10); kill += 1) {
      const writers = [0, 1].map((each) => startWriter({ path, name: `${kill}-${each}` }, acknowledged));
      await Promise.all(writers.map(({ ready }) => ready));
      await wait(random() * 40);
      for (const { process: child, exit } of writers) {
        child.kill('SIGKILL');
        await exit;
      }
      const copy = nextPath();
      copyFileSync(path, copy);
      alone.push(await judge(copy, acknowledged));
      expect(await judge(path, acknowledged)).toBe('complete');
    }
    expect(alone).not.toContain('lost');
    expect(alone).toContain('complete');
  });

  it('has all intents in its file after process.exit', async () => {
    const path = nextPath();
    await startWriter({ path, name: 'line', count: 20, end: 'exit' }, new Map()).exit;
    const copy = nextPath();
    copyFileSync(path, copy);
    const expected = new Map(Array.from({ length: 20 }, (_, index) => [`line-${index}`, 2]));
    expect(await judge(copy, expected)).toBe('complete');
  });

  it('is complete after one of two processes was killed and the other one has closed it', async () => {
    const path = nextPath();
    const acknowledged: Acknowledged = new Map();
    const killed = startWriter({ path, name: 'killed' }, acknowledged);
    await killed.ready;
    const closing = startWriter({ path, name: 'closed', count: 20, end: 'close' }, acknowledged);
    await closing.ready;
    killed.process.kill('SIGKILL');
    await Promise.all([killed.exit, closing.exit]);
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(acknowledged.size).toBeGreaterThan(20);
    expect(await judge(path, acknowledged)).toBe('complete');
  });

  it('keeps the intents of threads and of other processes, while threads open and close it', async () => {
    const path = nextPath();
    const acknowledged: Acknowledged = new Map();
    const common = { path, count: 30, end: 'close' } as const;
    const workers = [0, 1].map((thread) => {
      const workerData = { ...common, name: `thread-${thread}`, reopens: true };
      const execArgv = ['--conditions=@service/source'];
      return new Worker(join(import.meta.dirname, 'sqlite-process.ts'), { workerData, execArgv });
    });
    const other = startWriter({ ...common, name: 'process' }, acknowledged);
    await Promise.all([...workers.map((worker) => once(worker, 'exit')), other.exit]);
    for (const name of ['thread-0', 'thread-1', 'process'])
      for (let index = 0; index < 30; index += 1) acknowledged.set(`${name}-${index}`, 2);
    expect(await judge(path, acknowledged)).toBe('complete');
  });
});
