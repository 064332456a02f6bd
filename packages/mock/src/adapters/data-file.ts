import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Mode, modes } from '@service/contract';
import { clearTimeout, createDeferred, type Deferred, setImmediate, setTimeout } from '@service/internal';
import {
  createMoveCheck,
  inspectDatabase,
  loadSqlite,
  makePrivate,
  readFacts,
  readResultCode,
  resultCodes,
  type Sqlite,
  transact,
} from '@service/internal/sqlite';
import type { Context } from '../control/operation.ts';
import { resumeState } from '../control/replace-state.ts';
import { applyStanding } from '../seed/apply.ts';
import { type Mock, PARTS, REPORT_DEFECT } from '../core.ts';
import type { AccountState, ChangeRecorder, State } from '../state/state.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import {
  createProfileList,
  encodeAccount,
  encodeItem,
  encodeSandbox,
  loadProfiles,
  type ProfileList,
  restoreEncoded,
  type StateSnapshot,
  storedLists,
} from '../state/snapshot.ts';

const { crc32 } = process.getBuiltinModule('node:zlib');

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

/** Opens a data file. Tests replace the database module. */
export async function openDataFile(
  mock: Mock,
  givenPath: string,
  sqlite: Sqlite | undefined = loadSqlite(),
): Promise<DataFile> {
  const parts = mock[PARTS] as Context;
  const { changes } = parts.state;
  if (changes.recorder !== undefined)
    throw new SandboxError('invalid_state', 'The mock has a data file already. Close it first.');
  if (sqlite === undefined) {
    const message = `A data file needs node:sqlite, of Node 22.13 or later. This is Node ${process.version}. Update it, or leave out the data file.`;
    throw new SandboxError('invalid_state', message);
  }
  const path = resolve(givenPath);
  const database = openDatabase(path, sqlite);
  const encoded = restore(parts.state, database, path);
  const recorder = new DataRecorder({
    database,
    path,
    state: parts.state,
    encoded,
    onFailure: mock[REPORT_DEFECT],
  });
  // Before due timers run, so that their changes are recorded.
  changes.recorder = recorder;
  if (encoded !== undefined) {
    parts.baseline = encoded;
    resumeState(parts);
    applyStanding(parts);
  }
  const release = (): void => {
    changes.recorder = undefined;
    database.close();
  };
  try {
    recorder.write();
  } catch (cause) {
    release();
    throw toOpenError(path, cause);
  }
  const save = async (): Promise<void> => {
    if (changes.recorder !== recorder)
      throw new SandboxError('invalid_state', `${path} is closed. Another sandbox may be using it.`);
    recorder.write();
  };
  const close = async (): Promise<void> => {
    if (changes.recorder !== recorder) return;
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
    const stored = readState(database);
    const encoded = stored && loadProfiles(stored);
    if (encoded !== undefined) restoreEncoded(state, encoded);
    return encoded;
  } catch (cause) {
    database.close();
    throw createUnreadableError(path, toMessage(cause), { cause });
  }
}

/** The application id of a data file, so that no other database is changed. */
const APPLICATION_ID = 0x73_61_6e_64;
/** The version of the tables and of the values in them. */
const FORMAT = 1;

/**
 * Opens a database with an exclusive lock, or creates it.
 *
 * @throws {SandboxError} without a change of a file that is not a data file, and of one that is in use
 */
function openDatabase(path: string, sqlite: Sqlite): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    checkFacts(path, inspectDatabase(path, sqlite));
    makePrivate(path);
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
  if (typeof facts === 'string') throw createUnreadableError(path, 'It is not a SQLite database.');
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
  const code = readResultCode(cause);
  if (code === resultCodes.busy) {
    const message = `${path} is in use by another sandbox. Stop that one, or use another file.`;
    return new SandboxError('invalid_state', message, { cause });
  }
  if (code === resultCodes.corrupt || code === resultCodes.notADatabase)
    return createUnreadableError(path, 'It is damaged.', { cause });
  return new SandboxError('invalid_argument', `${path} cannot be used: ${toMessage(cause)}.`, { cause });
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function createUnreadableError(file: string, why: string, options?: ErrorOptions): SandboxError {
  const message = `${file} is not a valid data file of a sandbox and was not changed. ${why} Move the file to start without it.`;
  return new SandboxError('invalid_argument', message, options);
}

/** An account whose lists are filled. */
interface OpenAccount {
  readonly modes: Record<Mode, Record<string, unknown[]>>;
}

/** Reads the state. Returns undefined for a new database. */
function readState(database: DatabaseSync): StateSnapshot | undefined {
  const accounts = new Map<string, OpenAccount>();
  const profiles: unknown[] = [];
  let settings: object | undefined;
  for (const row of database.prepare('select * from items order by rowid').iterate()) {
    const [kind, owner, key] = [String(row.kind), String(row.owner), String(row.key)];
    const text = String(row.value);
    if (crc32(text) !== row.crc) throw new Error('It is damaged.');
    const value = JSON.parse(text) as unknown;
    if (kind === 'settings') settings = value as object;
    else if (kind === 'profile') profiles[Number(key)] = value;
    else if (kind === 'account') {
      const account = value as OpenAccount;
      for (const mode of modes) for (const each of Object.keys(storedLists)) account.modes[mode][each] = [];
      accounts.set(key, account);
    } else {
      const [id = '', mode = ''] = owner.split(' ');
      const list = accounts.get(id)?.modes[mode as Mode][kind];
      if (list === undefined) throw new Error('An item belongs to no account.');
      list.push(value);
    }
  }
  if (settings === undefined) return undefined;
  return { ...settings, profiles, accounts: [...accounts.values()] } as object as StateSnapshot;
}

/** A new or changed item of a list. */
interface Item {
  readonly accountState: AccountState;
  readonly list: string;
  readonly key: string;
  readonly item: unknown;
}

/** The database and the state of a recorder. */
interface RecorderOptions {
  readonly database: DatabaseSync;
  readonly path: string;
  readonly state: State;
  /** The state in the database. Undefined for a new one. */
  readonly encoded: StateSnapshot | undefined;
  /** Called for the first failure after a success. */
  readonly onFailure: (error: unknown) => void;
}

function ownerOf({ account, mode }: AccountState): string {
  return `${account} ${mode}`;
}

/** Returns the key of an item of a list: its id or idempotency key, a currency, or the index of a transaction. */
function keyOf(item: unknown, index: number): string {
  if (typeof item === 'string') return item;
  const { id, key } = item as { readonly id?: string; readonly key?: string };
  return id ?? key ?? String(index);
}

/** The time between a failure and an attempt to end it, in milliseconds. */
const RETRY_DELAY = 1000;

/** Writes the changes of each turn of the event loop in one transaction. After a failure, the next one has those of all turns. */
class DataRecorder implements ChangeRecorder {
  readonly #options: RecorderOptions;
  readonly #isInPlace: () => boolean;
  /** Writes a row. The owner is an account and mode. */
  readonly #put: (kind: string, owner: string, key: string, value: unknown) => void;
  #profiles: ProfileList;
  /** The number of profiles in the database. */
  #written: number;
  /** The items and the accounts with new settings since the last transaction, or the whole state. */
  readonly #changed = new Map<string, Item>();
  readonly #accounts = new Set<string>();
  #isWhole: boolean;
  /** Resolves after the transaction of this turn. */
  #pending: Deferred<void> | undefined;
  #failure: Error | undefined;
  /** Resolves at the end of the failure. */
  #recovery: Deferred<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { database, path, encoded } = options;
    this.#isInPlace = createMoveCheck(path);
    this.#profiles = createProfileList(encoded?.profiles);
    this.#written = this.#profiles.profiles.length;
    this.#isWhole = encoded === undefined;
    const columns = 'into items (kind, owner, key, value, crc) values (?, ?, ?, ?, ?)';
    const update = database.prepare(
      `insert ${columns} on conflict (owner, kind, key) do update set value = excluded.value, crc = excluded.crc`,
    );
    // A key that is used again comes last.
    const replace = database.prepare(`insert or replace ${columns}`);
    this.#put = (kind, owner, key, value) => {
      const text = JSON.stringify(value);
      (kind === 'idempotency' ? replace : update).run(kind, owner, key, text, crc32(text));
    };
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  recordItem(accountState: AccountState, list: string, key: string, item: unknown): void {
    this.#changed.set(`${ownerOf(accountState)} ${list} ${key}`, { accountState, list, key, item });
    this.#schedule();
  }

  recordSettings(account?: string): void {
    if (account !== undefined) this.#accounts.add(account);
    this.#schedule();
  }

  recordState(): void {
    this.#isWhole = true;
    this.#schedule();
  }

  confirm(): Promise<void> | undefined {
    return this.#failure === undefined ? this.#pending?.promise : Promise.reject(this.#failure);
  }

  confirmEventually(): Promise<void> | undefined {
    return this.confirm()?.catch(() => this.#recovery?.promise);
  }

  /** Writes all changes now. Ends a failure. */
  write(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    try {
      if (!this.#isInPlace()) throw new Error('it was moved, removed or replaced');
      const { database } = this.#options;
      const profiles = this.#isWhole ? createProfileList() : this.#profiles;
      transact(database, () => this.#writeChanges(profiles));
      this.#profiles = profiles;
    } catch (error) {
      const failure = this.#fail(error);
      pending?.reject(failure);
      throw failure;
    }
    this.#written = this.#profiles.profiles.length;
    for (const each of [this.#changed, this.#accounts]) each.clear();
    this.#isWhole = false;
    this.#failure = undefined;
    this.#recovery?.resolve();
    this.#recovery = undefined;
    pending?.resolve();
  }

  #writeChanges(profiles: ProfileList): void {
    const { database, state } = this.#options;
    if (this.#isWhole) database.exec('delete from items');
    for (const id of this.#isWhole ? state.accounts.keys() : this.#accounts) {
      const account = state.accounts.get(id);
      if (account === undefined) continue;
      this.#put('account', '', id, encodeAccount(account, profiles, false));
      if (this.#isWhole) for (const mode of modes) this.#putLists(account.byMode[mode], profiles);
    }
    for (const { accountState, list, key, item } of this.#changed.values())
      // A restore has replaced the state of a running attempt.
      if (!accountState.isReplaced) this.#put(list, ownerOf(accountState), key, encodeItem(item, profiles));
    this.#put('settings', '', '', encodeSandbox(state, profiles));
    const known = this.#isWhole ? 0 : this.#written;
    for (const [index, value] of profiles.profiles.slice(known).entries())
      this.#put('profile', '', String(known + index), value);
  }

  #putLists(accountState: AccountState, profiles: ProfileList): void {
    const owner = ownerOf(accountState);
    for (const [list, { items }] of Object.entries(storedLists))
      for (const [index, item] of [...items(accountState)].entries())
        this.#put(list, owner, keyOf(item, index), encodeItem(item, profiles));
  }

  /** Writes the changes at the end of this turn of the event loop. */
  #schedule(): void {
    if (this.#pending !== undefined || this.#failure !== undefined) return;
    const pending = createDeferred();
    pending.promise.catch(() => {});
    this.#pending = pending;
    setImmediate(() => {
      if (this.#pending === pending) this.#tryToWrite();
    });
  }

  #tryToWrite(): void {
    try {
      this.write();
    } catch {
      // The failure is known to everyone who waits.
    }
  }

  #fail(error: unknown): Error {
    if (this.#failure === undefined) {
      // Without the path of the file, which is for the operator only.
      const message = `The data file cannot be written: ${toMessage(error)}.`;
      this.#failure = new SandboxError('unavailable', message, { cause: error });
      this.#recovery = createDeferred();
      this.#options.onFailure(this.#failure);
    }
    // Not after the file was closed.
    if (this.#options.state.changes.recorder === this) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#tryToWrite(), RETRY_DELAY);
      this.#timer.unref();
    }
    return this.#failure;
  }
}
