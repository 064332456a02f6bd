import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { inspectDatabase, loadSqlite, readFacts, type Sqlite, transact } from '@service/internal/sqlite';
import type { Context } from '../control/operation.ts';
import { resumeState, setBaseline } from '../control/replace-state.ts';
import { applyStanding } from '../seed/apply.ts';
import { type Mock, PARTS } from '../core.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { restoreEncoded, type StateSnapshot } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';
import { DataRecorder, explainError, type FileError, readState } from './data-recorder.ts';

/** A file that stores the state of a mock. */
export interface DataFile extends AsyncDisposable {
  /** The absolute path. */
  readonly path: string;
  /** Whether the file existed and its state was restored. */
  readonly isRestored: boolean;
  /** Resolves when all changes are durable. Rejects if they cannot be written. */
  readonly save: () => Promise<void>;
  /** Saves changes and releases the file. The mock stays open. */
  readonly close: () => Promise<void>;
}

/** The options of `keepData`. */
export interface DataFileOptions {
  /**
   * Called for a failed write in the background, once per series of failures.
   *
   * @default logs it with `console.error`
   */
  readonly onError?: (error: unknown) => void;
}

/** The database module, which tests replace. */
export interface OpenDataOptions extends DataFileOptions {
  readonly sqlite?: Sqlite | undefined;
}

/** Opens a data file. */
export async function openDataFile(
  mock: Mock,
  givenPath: string,
  { onError = reportError, sqlite = loadSqlite() }: OpenDataOptions,
): Promise<DataFile> {
  const parts = mock[PARTS] as Context;
  const { durability } = parts.state;
  if (durability.recorder !== undefined)
    throw new SandboxError('invalid_state', 'The mock has a data file already. Close it first.');
  if (sqlite === undefined) {
    const message = `A data file needs node:sqlite, of Node 22.13 or later. This is Node ${process.version}. Update it, or leave out the data file.`;
    throw new SandboxError('invalid_state', message);
  }
  const path = resolve(givenPath);
  const database = openDatabase(path, sqlite);
  const encoded = restore(parts.state, database, path);
  const recorder = new DataRecorder({ database, path, state: parts.state, encoded, onError });
  // Before due timers run, so that their changes are recorded.
  durability.recorder = recorder;
  if (encoded !== undefined) {
    setBaseline(parts, encoded);
    resumeState(parts);
    applyStanding(parts, parts.standing);
  }
  const release = (): void => {
    recorder.stop();
    durability.recorder = undefined;
    database.close();
  };
  try {
    recorder.write();
  } catch (cause) {
    release();
    throw toOpenError(path, cause);
  }
  const save = async (): Promise<void> => {
    if (durability.recorder !== recorder)
      throw new SandboxError('invalid_state', `${path} is closed. Another sandbox may be using it.`);
    try {
      recorder.write();
    } catch (cause) {
      throw new SandboxError('unavailable', recorder.failure?.message ?? '', { cause });
    }
  };
  const close = async (): Promise<void> => {
    if (durability.recorder !== recorder) return;
    await save().finally(release);
  };
  return { path, isRestored: encoded !== undefined, save, close, [Symbol.asyncDispose]: close };
}

/**
 * Restores the state of a database, and returns it. Returns undefined for a new one.
 *
 * @throws {SandboxError} without a change if it is damaged
 */
function restore(state: State, database: DatabaseSync, path: string): StateSnapshot | undefined {
  try {
    const encoded = readState(database);
    if (encoded !== undefined) restoreEncoded(state, encoded);
    return encoded;
  } catch (cause) {
    database.close();
    throw createUnreadableError(path, cause instanceof Error ? cause.message : '', { cause });
  }
}

/** The application id of a data file, so that no other database is changed. */
const APPLICATION_ID = 0x73_61_6e_64;
/** The version of the tables and of the values in them. */
const FORMAT = 1;
/** The start of a data file of the release before. */
const APPEND_LOG = 'append-log ';

/**
 * Opens a database with an exclusive lock, or creates it.
 *
 * @throws {SandboxError} without a change of a file that is not a data file, and of one that is in use
 */
function openDatabase(path: string, sqlite: Sqlite): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === false)
      throw cannotUse(path, 'It is not a regular file, but a directory or a device.');
    if (found !== undefined) accessSync(path, constants.R_OK | constants.W_OK);
    checkFacts(path, inspectDatabase(path, sqlite));
    database = new sqlite.DatabaseSync(path);
    // FULL syncs each commit before it returns.
    database.exec('pragma locking_mode = exclusive; pragma synchronous = full');
    createTables(database, path);
    database.exec('pragma journal_mode = wal; begin immediate; commit');
    return database;
  } catch (cause) {
    database?.close();
    throw toOpenError(path, cause);
  }
}

function checkFacts(path: string, facts: ReturnType<typeof inspectDatabase>): void {
  if (typeof facts === 'string') {
    if (facts.startsWith(APPEND_LOG))
      throw createUnreadableError(
        path,
        'An earlier release wrote it. Start that release with it, save its state with `service-cli sandbox snapshot > state.json`, and restore it in a mock of this release with `service-cli sandbox restore state.json`.',
      );
    if (facts.startsWith('{"format":"service-sandbox"'))
      throw createUnreadableError(
        path,
        'It is a snapshot. Start the mock with a new file, and restore it with `service-cli sandbox restore FILE`.',
      );
    throw createUnreadableError(path, 'It is not a SQLite database.');
  }
  if (facts.id !== APPLICATION_ID && !(facts.id === 0 && facts.isEmpty))
    throw createUnreadableError(path, 'It is a database of another application.');
  if (facts.version > FORMAT)
    throw createUnreadableError(
      path,
      `It has format ${facts.version}; this release reads format ${FORMAT}. Use the release that wrote it.`,
    );
}

/** Creates the tables of a new database, and checks those of another one. */
function createTables(database: DatabaseSync, path: string): void {
  const create = (): void => {
    const facts = readFacts(database);
    // Another process can have written the file since it was checked.
    checkFacts(path, facts);
    if (!facts.isEmpty) return;
    database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${FORMAT};
      create table items (kind text not null, owner text not null, key text not null, value text not null,
        crc integer not null, unique (owner, kind, key))`);
  };
  transact(database, create, 'begin exclusive');
  const [problem] = database.prepare('pragma quick_check(1)').all();
  if (problem?.quick_check !== 'ok') throw createUnreadableError(path, 'It is damaged.');
}

function toOpenError(path: string, cause: unknown): SandboxError {
  if (cause instanceof SandboxError) return cause;
  const code = Number((cause as FileError).errcode) % 256;
  if (code === 5) {
    const message = `${path} is in use by another sandbox. Stop that one, or use another file.`;
    return new SandboxError('invalid_state', message, { cause });
  }
  // SQLITE_CORRUPT and SQLITE_NOTADB.
  if (code === 11 || code === 26) return createUnreadableError(path, 'It is damaged.', { cause });
  return cannotUse(path, `Reason: ${explainError(cause)}.`, { cause });
}

function cannotUse(path: string, why: string, options?: ErrorOptions): SandboxError {
  return new SandboxError('invalid_argument', `${path} cannot be used. ${why}`, options);
}

function createUnreadableError(file: string, why: string, options?: ErrorOptions): SandboxError {
  const message = `${file} is not a valid data file of a sandbox and was not changed. ${why} Move the file to start without it.`;
  return new SandboxError('invalid_argument', message, options);
}

function reportError(error: unknown): void {
  // oxlint-disable-next-line no-console -- the default listener: changes are no longer stored
  console.error('@service/mock: the data file cannot be written', error);
}
