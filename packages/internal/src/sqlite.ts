import type { DatabaseSync } from 'node:sqlite';

/** The module `node:sqlite`. */
export type Sqlite = typeof import('node:sqlite');

/**
 * Loads `node:sqlite` at the first use, so that bundlers and older releases of Node can load the module of the caller.
 * Returns undefined in a runtime without it.
 */
export function loadSqlite(): Sqlite | undefined {
  const { process } = globalThis as { process?: NodeJS.Process };
  if (!process?.getBuiltinModule) return undefined;
  const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  // Before Node 24.15 the first load emits an ExperimentalWarning.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    if (emitWarning) Object.defineProperty(process, 'emitWarning', emitWarning);
    else Reflect.deleteProperty(process, 'emitWarning');
  }
}

/** The facts that identify a database. */
export interface DatabaseFacts {
  readonly id: number;
  readonly version: number;
  readonly isEmpty: boolean;
}

/** The first bytes of each SQLite database. */
const MAGIC = 'SQLite format 3\0';
/** Result codes of SQLite. `busy`: another connection has locked the database. */
export const resultCodes = { busy: 5, corrupt: 11, notADatabase: 26 } as const;
/** The extended result code SQLITE_READONLY_ROLLBACK: a killed process left a write that only a writer can undo. */
const READONLY_ROLLBACK = 776;

/** Returns the result code of an error of SQLite: the lowest byte of its extended code, or 0. */
export function readResultCode(error: unknown): number {
  return ((error as { readonly errcode?: number }).errcode ?? 0) % 256;
}

/**
 * Returns the facts of a database, or the first text of a file that is none. Creates a missing file, for its owner only.
 * Changes nothing else, and opens nothing but a regular file. Opens it with SQLite: the end of any other handle releases the locks of this process, also of its
 * other threads.
 */
export function inspectDatabase(path: string, sqlite: Sqlite, timeout = 0): DatabaseFacts | string {
  const { existsSync, statSync } = process.getBuiltinModule('node:fs');
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false)
    throw new Error('it is not a regular file, but a folder, a pipe or a device');
  if (!found) createPrivateFile(path);
  const [, , ...logs] = listFiles(path);
  // A writer would apply an existing log. Without one, only a writer leaves no new log behind.
  const database = new sqlite.DatabaseSync(path, { readOnly: logs.some((file) => existsSync(file)) });
  try {
    database.exec(`pragma busy_timeout = ${timeout}`);
    return readFacts(database);
  } catch (error) {
    const isHot = (error as { readonly errcode?: number }).errcode === READONLY_ROLLBACK;
    if (isHot || readResultCode(error) === resultCodes.notADatabase) return readHeader(path);
    throw error;
  } finally {
    database.close();
  }
}

/** Reads the facts of a file that SQLite does not read. Leaves a database open, which another thread can have locked since. */
function readHeader(path: string): DatabaseFacts | string {
  const { closeSync, openSync, readSync } = process.getBuiltinModule('node:fs');
  const header = Buffer.alloc(105);
  const file = openSync(path, 'r');
  const start = header.toString('latin1', 0, readSync(file, header));
  if (start !== '' && !start.startsWith(MAGIC)) {
    closeSync(file);
    return start;
  }
  const isEmpty = header.readUInt16BE(103) === 0;
  return { id: header.readUInt32BE(68), version: header.readUInt32BE(60), isEmpty };
}

/** Creates an empty file for its owner only, unless there is one. It has its name only after its handle has ended. */
function createPrivateFile(path: string): void {
  const { linkSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const draft = `${path}-${crypto.randomUUID()}`;
  try {
    writeFileSync(draft, '', { mode: 0o600 });
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const folder = process.getBuiltinModule('node:path').dirname(path);
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    const problem = isMissing
      ? `its folder ${folder} does not exist. Create it`
      : message.replace(draft, path);
    throw Object.assign(new Error(problem, { cause }), { code });
  }
  try {
    linkSync(draft, path);
  } catch {
    // Another process has created it, or SQLite does so where there are no links.
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Lists the paths of a database, of the index of its log, and of its logs for both modes. SQLite follows links. */
function listFiles(path: string): readonly string[] {
  const { existsSync, realpathSync } = process.getBuiltinModule('node:fs');
  const place = existsSync(path) ? realpathSync(path) : path;
  return ['', '-shm', '-wal', '-journal'].map((end) => `${place}${end}`);
}

/** Removes the rights of other users on the files of a database. SQLite creates the next ones with the rights of the first. */
export function makePrivate(path: string): void {
  const { chmodSync, statSync } = process.getBuiltinModule('node:fs');
  for (const file of listFiles(path)) {
    const found = statSync(file, { throwIfNoEntry: false });
    try {
      if (found?.isFile() && found.mode & 0o077) chmodSync(file, found.mode & 0o700);
    } catch {
      // The file belongs to another user, or has no modes.
    }
  }
}

/** Reads the facts of an open database. */
export function readFacts(database: DatabaseSync): DatabaseFacts {
  const readPragma = (name: string): number => Number(database.prepare(`pragma ${name}`).get()?.[name]);
  const isEmpty = database.prepare('select 1 from sqlite_schema').get() === undefined;
  return { id: readPragma('application_id'), version: readPragma('user_version'), isEmpty };
}

/** Runs a function in a transaction that begins with the given statement. */
export function transact<T>(database: DatabaseSync, work: () => T, begin = 'begin immediate'): T {
  database.exec(begin);
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    try {
      database.exec('rollback');
    } catch {
      // SQLite has rolled back by itself, for example because the disk is full.
    }
    throw error;
  }
}

/**
 * Repeats a step for up to `timeout` milliseconds while another connection locks the database. SQLite itself tries ever more
 * rarely, so that a busy writer starves others.
 */
export function repeatWhileLocked<T>(step: () => T, timeout: number): T {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (readResultCode(error) !== resultCodes.busy || performance.now() >= end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Creates a function that returns whether the file at a path is still the same: SQLite would write to a removed one. */
export function createMoveCheck(path: string): () => boolean {
  const { statSync } = process.getBuiltinModule('node:fs');
  // SQLite has resolved the path: the process can change its working directory later.
  const place = process.getBuiltinModule('node:path').resolve(path);
  const readInode = (): number | undefined => statSync(place, { throwIfNoEntry: false })?.ino;
  const inode = readInode();
  return () => readInode() === inode;
}
