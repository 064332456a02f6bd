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
/** The extended result code SQLITE_READONLY_ROLLBACK: a killed process left a write that only a writer can undo. */
const READONLY_ROLLBACK = 776;
/** The facts of a database without a content. */
const empty: DatabaseFacts = { id: 0, version: 0, isEmpty: true };

/**
 * Returns the facts of a database, or the first text of a file that is none. Creates a missing file, for its owner only.
 * Writes nothing else, also not beside the file: a connection would create a write-ahead log, or move one into the
 * database.
 */
export function inspectDatabase(path: string, sqlite: Sqlite, timeout = 0): DatabaseFacts | string {
  const { closeSync, existsSync, openSync, readSync } = process.getBuiltinModule('node:fs');
  const hasLog = existsSync(path) && existsSync(`${path}-wal`);
  // With a log it can be in use by this process, whose locks the end of any other handle would release.
  if (!hasLog) {
    const header = Buffer.alloc(105);
    const file = openSync(path, 'a+', 0o600);
    const length = readSync(file, header, 0, header.length, 0);
    closeSync(file);
    if (length === 0) return empty;
    const start = header.toString('latin1', 0, length);
    if (!start.startsWith(MAGIC)) return start;
    const isEmpty = header.readUInt16BE(103) === 0;
    return { id: header.readUInt32BE(68), version: header.readUInt32BE(60), isEmpty };
  }
  const database = new sqlite.DatabaseSync(path, { readOnly: true });
  try {
    database.exec(`pragma busy_timeout = ${timeout}`);
    return readFacts(database);
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode !== READONLY_ROLLBACK) throw error;
    return empty;
  } finally {
    database.close();
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

/** Creates a function that returns whether the file at a path is still the same: SQLite would write to a removed one. */
export function createMoveCheck(path: string): () => boolean {
  const { statSync } = process.getBuiltinModule('node:fs');
  // SQLite has resolved the path: the process can change its working directory later.
  const place = process.getBuiltinModule('node:path').resolve(path);
  const readInode = (): number | undefined => statSync(place, { throwIfNoEntry: false })?.ino;
  const inode = readInode();
  return () => readInode() === inode;
}
