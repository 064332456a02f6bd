import type { DatabaseSync } from 'node:sqlite';
import { nonEmptyText } from '@service/internal';
import {
  createMoveCheck,
  type DatabaseFacts,
  inspectDatabase,
  loadSqlite,
  makePrivate,
  readFacts,
  readResultCode,
  repeatWhileLocked,
  resultCodes,
  type Sqlite,
  transact,
} from '@service/internal/sqlite';
import { ConfigurationError, createUsageError, parseUsage } from '../errors.ts';
import type { Intent, IntentFilter, IntentStore, IntentWrite, StoreAccount, SwapResult } from './intent.ts';
import { fingerprintKeyField, parseIntent } from './checked-store.ts';

/** The secret key of a store in SQLite. */
export interface SqliteStoreOptions {
  /**
   * The secret key of the stored HMACs of bodies and beneficiaries: at least 32 characters, the same in all
   * processes.
   *
   * @default none: the digest of a body is a plain SHA-256
   */
  readonly fingerprintKey?: string | undefined;
}

/** A store of intents in a SQLite database. */
export interface SqliteStore extends IntentStore {
  /** Closes the database. */
  readonly close: () => void;
}

/** The format of the tables: the `user_version` of the database. */
const FORMAT = 2;

const schema = `create table payment_intents (
     reference text primary key,
     version integer not null,
     write_id text not null,
     state text not null,
     payment_id text unique,
     has_conflicts integer not null,
     intent text not null
   ) without rowid;
   create index payment_intents_state on payment_intents (state, reference);
   create index payment_intents_conflicts on payment_intents (reference) where has_conflicts;
   create table payment_intents_account (id integer primary key check (id = 1), account text not null);
   -- The sum shows a file that lacks pages.
   create table payment_intents_sum (id integer primary key check (id = 1), digests integer not null);
   insert into payment_intents_sum values (1, 0);
   create trigger payment_intents_added after insert on payment_intents begin
     update payment_intents_sum set digests = digests + intent_digest(new.write_id, new.intent); end;
   create trigger payment_intents_changed after update on payment_intents begin update payment_intents_sum
     set digests = digests - intent_digest(old.write_id, old.intent) + intent_digest(new.write_id, new.intent); end;`;

/** Maximum wait for a write of another process, in milliseconds. */
const BUSY_TIMEOUT = 5_000;

/** The application id of the database, so that no other database is changed. */
const APPLICATION_ID = 0x70_61_79_69;

/**
 * Creates a store of intents in a SQLite database. The first use opens the file, or creates it, and makes it private to its
 * owner. Several processes of one machine can use it, on a local file system. A write is durable when it returns, and then in
 * the file itself, not only in its log.
 *
 * @throws {ConfigurationError} before Node 22.13, and when an option is invalid. Each use of the store, when the file cannot
 * be opened, is not a store of intents, has a later format, or lacks a part because it was copied without its log. The file
 * is not changed.
 * @example
 * const store = sqliteStore('payments.db');
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): SqliteStore {
  parseUsage('The arguments of sqliteStore', { path }, { path: { ...nonEmptyText, isRequired: true } });
  if (path === ':memory:')
    throw createUsageError('sqliteStore needs the path of a file. memoryStore() keeps intents in memory.');
  const fields = { fingerprintKey: fingerprintKeyField };
  const { fingerprintKey } = parseUsage('The options of sqliteStore', options, fields);
  const sqlite = loadSqlite();
  if (sqlite === undefined) {
    const { process } = globalThis as { process?: NodeJS.Process };
    throw new ConfigurationError(
      `sqliteStore needs node:sqlite, of Node 22.13 or later. This is ${process?.version ?? 'another runtime'}. Update it, or use postgresStore.`,
    );
  }
  // The working directory may change before the first use.
  const location = process.getBuiltinModule('node:path').resolve(path);
  let opened: OpenDatabase | undefined;
  let isClosed = false;
  const use = (): OpenDatabase => {
    if (isClosed)
      throw new ConfigurationError('The intent store is closed. Close it after the last payment and run.');
    return (opened ??= open(location, sqlite));
  };
  return {
    fingerprintKey,
    read: async (reference) => {
      const row = use()
        .database.prepare('select intent from payment_intents where reference = ?')
        .get(reference);
      return row && parseIntent(row);
    },
    swap: async (next, write) => {
      const { enqueue, database } = use();
      return enqueue(() => swap(database, next, write));
    },
    list: async (filter) => listIntents(use().database, filter),
    bindAccount: async (account) => {
      const { enqueue, database } = use();
      return enqueue(() => {
        const insert =
          'insert into payment_intents_account (id, account) values (1, ?) on conflict do nothing';
        database.prepare(insert).run(JSON.stringify(account));
        const row = database.prepare('select account from payment_intents_account').get();
        return JSON.parse(String(row?.account)) as StoreAccount;
      });
    },
    close: () => {
      if (!isClosed) opened?.database.close();
      isClosed = true;
    },
  };
}

/** An open database, and the queue of its writes. */
interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly enqueue: <T>(step: () => T) => Promise<T>;
}

function open(path: string, sqlite: Sqlite): OpenDatabase {
  let database: DatabaseSync | undefined;
  try {
    checkFacts(inspectDatabase(path, sqlite, BUSY_TIMEOUT), path);
    makePrivate(path);
    database = new sqlite.DatabaseSync(path);
    database.function('intent_digest', { deterministic: true }, digest);
    // FULL syncs the commits of new tables. The option `timeout` of the constructor needs Node 22.16.
    database.exec(
      `pragma busy_timeout = ${BUSY_TIMEOUT}; pragma synchronous = full; pragma secure_delete = on`,
    );
    prepareTables(database, path);
    // Each write has several attempts, and a checkpoint that syncs the log and the file.
    database.exec('pragma busy_timeout = 100; pragma synchronous = normal');
    return { database, enqueue: createGroupCommit(database, path) };
  } catch (cause) {
    database?.close();
    if (cause instanceof ConfigurationError) throw cause;
    const incomplete = `it is incomplete. It was copied or moved without ${path}-wal, or it is damaged. Put both files side by side again: without all of its intents, payments can be made again`;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${path} cannot be used as an intent store: ${readResultCode(cause) === resultCodes.corrupt ? incomplete : reason}.`;
    throw new ConfigurationError(message, { cause });
  }
}

/** Returns 32 bits of a hash of an intent. */
function digest(writeId: unknown, intent: unknown): bigint {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return BigInt(createHash('sha256').update([writeId, intent].join('\n')).digest().readUInt32BE());
}

/** Checks the tables of a database, or creates those of a new one. */
function prepareTables(database: DatabaseSync, path: string): void {
  const { version } = readFacts(database);
  if (!isComplete(database, version)) throw Object.assign(new Error(), { errcode: resultCodes.corrupt });
  repeatWhileLocked(() => database.exec('pragma journal_mode = wal'), BUSY_TIMEOUT);
  if (version === FORMAT) return;
  transact(database, () => {
    const facts = readFacts(database);
    // Another process can have written the file since it was checked.
    checkFacts(facts, path);
    if (facts.version === FORMAT) return;
    database.exec(`${schema} pragma application_id = ${APPLICATION_ID}; pragma user_version = ${FORMAT}`);
  });
}

/** Whether no intents are missing: a file that was copied without its log can have some pages of a write only. */
function isComplete(database: DatabaseSync, version: number): boolean {
  const [result] = database.prepare('pragma integrity_check(1)').all();
  const sum = 'select coalesce(sum(intent_digest(write_id, intent)), 0) from payment_intents';
  const compare = `select (${sum}) = digests as is_equal from payment_intents_sum`;
  return (
    result?.integrity_check === 'ok' && (version === 0 || database.prepare(compare).get()?.is_equal === 1)
  );
}

/** Writes the log back to the database, so that its file has all intents without it. Only a full checkpoint always syncs the file. */
function writeBack(database: DatabaseSync): void {
  const checkpoint = database.prepare('pragma main.wal_checkpoint(full)');
  repeatWhileLocked(() => {
    if (checkpoint.get()?.busy === 0) return;
    throw Object.assign(new Error('another connection reads it for over 5 s'), { errcode: resultCodes.busy });
  }, BUSY_TIMEOUT);
}

/** Rejects the file of another application. */
function checkFacts(facts: DatabaseFacts | string, path: string): void {
  if (typeof facts === 'string')
    throw new ConfigurationError(
      `${path} is not a SQLite database. Use a new file; but if it was a store, restore it: without it, payments can be made again.`,
    );
  const { id, version, isEmpty } = facts;
  if (id !== APPLICATION_ID && !(id === 0 && isEmpty))
    throw new ConfigurationError(`${path} is a database of another application. Use a new file.`);
  if (id === APPLICATION_ID && version !== FORMAT)
    throw new ConfigurationError(
      `${path} has format ${version} of intents; this release reads format ${FORMAT}. Use the release that wrote it.`,
    );
}

/** Runs steps that were added in one turn of the event loop in one transaction, because each commit syncs the disk. */
function createGroupCommit(database: DatabaseSync, path: string): OpenDatabase['enqueue'] {
  const isInPlace = createMoveCheck(path);
  let steps: (() => unknown)[] = [];
  let committed: Promise<readonly unknown[]> | undefined;
  const commit = (): readonly unknown[] => {
    const group = steps;
    steps = [];
    committed = undefined;
    // SQLite would write to the removed file.
    if (!isInPlace())
      throw new ConfigurationError(
        `${path} was moved, removed or replaced while it was open. Restore it: without it, payments can be made again.`,
      );
    const work = (): readonly unknown[] => transact(database, () => group.map((run) => run()));
    const results = repeatWhileLocked(work, BUSY_TIMEOUT);
    writeBack(database);
    return results;
  };
  return async <T>(step: () => T) => {
    const index = steps.push(step) - 1;
    committed ??= new Promise(setImmediate).then(commit);
    return (await committed)[index] as T;
  };
}

function swap(database: DatabaseSync, next: Intent, { fromVersion, writeId }: IntentWrite): SwapResult {
  const { reference, version, state, paymentId = null, conflicts = [] } = next;
  const before = database
    .prepare('select version, write_id from payment_intents where reference = ?')
    .get(reference);
  if (before?.write_id === writeId) return 'done';
  if (Number(before?.version ?? 0) !== fromVersion) return 'lost';
  const findHolder = 'select 1 from payment_intents where payment_id = ? and reference <> ?';
  if (paymentId !== null && database.prepare(findHolder).get(paymentId, reference)) return 'id_taken';
  const upsert = `insert into payment_intents (reference, version, write_id, state, payment_id, has_conflicts, intent)
    values (?, ?, ?, ?, ?, ?, ?) on conflict (reference) do update set version = excluded.version,
    write_id = excluded.write_id, state = excluded.state, payment_id = excluded.payment_id,
    has_conflicts = excluded.has_conflicts, intent = excluded.intent`;
  const hasConflicts = Number(conflicts.length > 0);
  database
    .prepare(upsert)
    .run(reference, version, writeId, state, paymentId, hasConflicts, JSON.stringify(next));
  return 'done';
}

function listIntents(
  database: DatabaseSync,
  { states, paymentIds, hasConflicts }: IntentFilter,
): readonly Intent[] {
  const conditions = ['true'];
  if (states) conditions.push('state in (select value from json_each(?))');
  if (paymentIds) conditions.push('payment_id in (select value from json_each(?))');
  if (hasConflicts) conditions.push('has_conflicts');
  const lists = [states, paymentIds].flatMap((list) => (list ? [JSON.stringify(list)] : []));
  const sql = `select intent from payment_intents where ${conditions.join(' and ')} order by reference`;
  return database
    .prepare(sql)
    .all(...lists)
    .map(parseIntent);
}
