import type { DatabaseSync } from 'node:sqlite';
import { type Mode, modes } from '@service/contract';
import { clearTimeout, createDeferred, type Deferred, setImmediate, setTimeout } from '@service/internal';
import { createMoveCheck, transact } from '@service/internal/sqlite';
import type { AccountState, ChangeRecorder } from '../state/account-state.ts';
import {
  createProfileList,
  encodeAccount,
  encodeSandbox,
  type ProfileList,
  type StateSnapshot,
  storedLists,
} from '../state/snapshot.ts';
import type { State } from '../state/state.ts';

const { crc32 } = process.getBuiltinModule('node:zlib');

/** An account whose lists are filled. */
interface OpenAccount {
  readonly modes: Record<Mode, Record<string, unknown[]>>;
}

/** Reads the state. Returns undefined for a new database. */
export function readState(database: DatabaseSync): StateSnapshot | undefined {
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
      for (const mode of modes) for (const each of storedLists.keys()) account.modes[mode][each] = [];
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

/** The reasons of failures by the result code of SQLite, without its extension, or by the code of the system. */
const reasons: Readonly<Record<string, string>> = {
  5: 'another process uses it',
  8: 'it is read-only',
  10: 'the disk reported an error',
  13: 'the disk is full',
  EACCES: 'access is denied',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reported an error',
  ENOENT: 'there is no such directory',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a directory',
  EPERM: 'access is denied',
  EROFS: 'the file system is read-only',
};

/** An error of SQLite or of the system. */
export interface FileError {
  readonly errcode?: number;
  readonly code?: string;
  readonly message?: string;
}

/** Converts an error of a file to its reason, such as "the disk is full". */
export function explainError(error: unknown): string {
  const { errcode, code, message = '' } = error as FileError;
  return reasons[errcode === undefined ? (code ?? '') : errcode % 256] ?? message;
}

/** A new or changed item. */
interface Item {
  readonly account: string;
  readonly owner: string;
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
  readonly onError: (error: unknown) => void;
}

function ownerOf({ account, mode }: AccountState): string {
  return `${account} ${mode}`;
}

/** The time between a failure and an attempt to end it, in milliseconds. */
const RETRY_DELAY = 1000;

/** Writes the changes of each turn of the event loop in one transaction. After a failure, the next one has those of all turns. */
export class DataRecorder implements ChangeRecorder {
  readonly #options: RecorderOptions;
  readonly #isInPlace: () => boolean;
  /** Writes a row. The owner is an account and mode. */
  readonly #put: (kind: string, owner: string, key: string, value: unknown) => void;
  readonly #remove: (owner: string) => void;
  #profiles: ProfileList;
  /** The number of profiles in the database. */
  #written: number;
  /** The items, the accounts with new settings and the replaced accounts since the last transaction, or the whole state. */
  readonly #changed = new Map<string, Item>();
  readonly #accounts = new Set<string>();
  readonly #replaced = new Set<string>();
  #isWhole: boolean;
  /** Resolves after the transaction of this turn. */
  #pending: Deferred<void> | undefined;
  #failure: Error | undefined;
  /** Resolves at the end of the failure. */
  #recovery: Deferred<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

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
    const remove = database.prepare('delete from items where owner = ?');
    this.#put = (kind, owner, key, value) => {
      const text = JSON.stringify(value);
      (kind === 'idempotency' ? replace : update).run(kind, owner, key, text, crc32(text));
    };
    this.#remove = (owner) => remove.run(owner);
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  recordItem(accountState: AccountState, list: string, key: string, item: unknown): void {
    // A restore has replaced the state of a running attempt.
    if (accountState.isReplaced) return;
    const { account } = accountState;
    const owner = ownerOf(accountState);
    this.#changed.set(`${owner} ${list} ${key}`, { account, owner, list, key, item });
    this.#schedule();
  }

  recordSettings(account?: string): void {
    if (account !== undefined) this.#accounts.add(account);
    this.#schedule();
  }

  recordState(account?: string): void {
    if (account === undefined) this.#isWhole = true;
    else this.#replaced.add(account);
    this.recordSettings(account);
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
      pending?.reject(this.#fail(error));
      throw error;
    }
    this.#written = this.#profiles.profiles.length;
    for (const each of [this.#changed, this.#accounts, this.#replaced]) each.clear();
    this.#isWhole = false;
    this.#failure = undefined;
    this.#recovery?.resolve();
    this.#recovery = undefined;
    pending?.resolve();
  }

  /** Starts no further attempt to end a failure. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #writeChanges(profiles: ProfileList): void {
    const { database, state } = this.#options;
    const isReplaced = (id: string): boolean => this.#isWhole || this.#replaced.has(id);
    if (this.#isWhole) database.exec('delete from items');
    for (const id of this.#isWhole ? state.accounts.keys() : this.#accounts) {
      const account = state.accounts.get(id);
      if (account === undefined) continue;
      this.#put('account', '', id, encodeAccount(account, profiles));
      if (isReplaced(id)) for (const mode of modes) this.#replaceLists(account.byMode[mode], profiles);
    }
    for (const { account, owner, list, key, item } of this.#changed.values())
      if (!isReplaced(account)) this.#put(list, owner, key, storedLists.get(list)?.encode(item, profiles));
    this.#put('settings', '', '', encodeSandbox(state, profiles));
    const known = this.#isWhole ? 0 : this.#written;
    for (const [index, value] of profiles.profiles.slice(known).entries())
      this.#put('profile', '', String(known + index), value);
  }

  #replaceLists(accountState: AccountState, profiles: ProfileList): void {
    const owner = ownerOf(accountState);
    this.#remove(owner);
    for (const [list, { items, keyOf, encode }] of storedLists)
      for (const [index, item] of [...items(accountState)].entries())
        this.#put(list, owner, keyOf(item, index), encode(item, profiles));
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
      const message = `The data file cannot be written: ${explainError(error)}.`;
      this.#failure = new Error(message, { cause: error });
      this.#recovery = createDeferred();
      this.#options.onError(error);
    }
    if (!this.#isStopped) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#tryToWrite(), RETRY_DELAY);
      this.#timer.unref();
    }
    return this.#failure;
  }
}
