import type { DatabaseSync } from 'node:sqlite';
import { type Mode, modes } from '@service/contract';
import { clearTimeout, createDeferred, type Deferred, setImmediate, setTimeout } from '@service/internal';
import { createMoveCheck, transact } from '@service/internal/sqlite';
import type { Delivery } from '../domain/delivery.ts';
import type { Account } from '../state/accounts.ts';
import type { AccountState, ChangeRecorder, RecordedChange } from '../state/account-state.ts';
import {
  createProfileList,
  encodeLists,
  encodePayment,
  encodeSettings,
  encodeTransaction,
  type ModeLists,
  type ProfileList,
  type StateSnapshot,
} from '../state/snapshot.ts';
import type { State } from '../state/state.ts';

const { crc32 } = process.getBuiltinModule('node:zlib');

/** The lists of a mode in a snapshot, and the key of an item. */
const itemKeys = {
  wallets: String,
  payments: ({ id }: { readonly id: string }) => id,
  transactions: (_: unknown, index: number) => String(index),
  idempotency: ({ key }: { readonly key: string }) => key,
  deliveries: ({ id }: { readonly id: string }) => id,
} satisfies Record<keyof ModeLists, (item: never, index: number) => string>;

type ItemKind = keyof ModeLists;

const itemKinds = Object.keys(itemKeys) as ItemKind[];

/** An account whose lists are filled. */
interface OpenAccount {
  readonly modes: Record<Mode, Record<ItemKind, unknown[]>>;
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
    if (kind === 'settings') settings = { ...settings, ...(value as object) };
    else if (kind === 'profile') profiles[Number(key)] = value;
    else if (kind === 'account') {
      const account = value as OpenAccount;
      for (const mode of modes) for (const each of itemKinds) account.modes[mode][each] = [];
      accounts.set(key, account);
    } else {
      const [id = '', mode = ''] = owner.split(' ');
      const list = accounts.get(id)?.modes[mode as Mode][kind as ItemKind];
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
  readonly kind: string;
  /** The account and mode. */
  readonly owner: string;
  readonly key: string;
  readonly value: unknown;
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

/** The time between a failure and an attempt to end it, in milliseconds. */
const RETRY_DELAY = 1000;

/** Writes the changes of each turn of the event loop in one transaction. After a failure, the next one has those of all turns. */
export class DataRecorder implements ChangeRecorder {
  readonly #options: RecorderOptions;
  readonly #isInPlace: () => boolean;
  readonly #put: (item: Item) => void;
  readonly #remove: (owner: string) => void;
  #profiles: ProfileList;
  /** The number of profiles in the database. */
  #written: number;
  /** The changed items since the last transaction, and whether those of the whole state. */
  readonly #changed = new Map<string, Item & { readonly account: string }>();
  readonly #accounts = new Set<string>();
  readonly #replaced = new Set<string>();
  #hasSettings = false;
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
    this.#put = ({ kind, owner, key, value }) => {
      const text = JSON.stringify(value);
      (kind === 'idempotency' ? replace : update).run(kind, owner, key, text, crc32(text));
    };
    this.#remove = (owner) => remove.run(owner);
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  recordAccount(account: Account): void {
    this.#accounts.add(account.id);
    this.recordSettings();
  }

  recordChange(
    accountState: AccountState,
    { payment, wallets, rowsBefore, idempotency }: RecordedChange,
  ): void {
    for (const currency of wallets) this.#note(accountState, 'wallets', currency, currency);
    if (payment !== undefined)
      this.#note(accountState, 'payments', payment.id, encodePayment(payment, this.#profiles));
    for (const [index, row] of accountState.transactions.slice(rowsBefore).entries())
      this.#note(accountState, 'transactions', String(rowsBefore + index), encodeTransaction(row));
    if (idempotency !== undefined) this.#note(accountState, 'idempotency', idempotency.key, idempotency);
  }

  recordDelivery(accountState: AccountState, delivery: Delivery): void {
    this.#note(accountState, 'deliveries', delivery.id, delivery);
  }

  recordSettings(accountState?: AccountState): void {
    if (accountState !== undefined) this.#accounts.add(accountState.account);
    this.#hasSettings = true;
    this.#schedule();
  }

  recordState(account?: Account): void {
    if (account === undefined) this.#isWhole = true;
    else this.#replaced.add(account.id);
    this.recordSettings();
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
    this.#hasSettings = this.#isWhole = false;
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
    if (this.#isWhole) database.exec('delete from items');
    const accounts = this.#isWhole ? state.accounts.keys() : new Set([...this.#accounts, ...this.#replaced]);
    for (const id of accounts) this.#writeAccount(state.accounts.get(id), profiles);
    for (const item of this.#changed.values()) if (!this.#isReplaced(item.account)) this.#put(item);
    const own = { owner: '', kind: 'settings' };
    if (this.#isWhole || this.#hasSettings) {
      const { seed, profile, retiredKeys } = state;
      const settings = { seed, profile: profiles.indexOf(profile), retiredKeys: [...retiredKeys] };
      this.#put({ ...own, key: 'all', value: settings });
    }
    this.#put({ ...own, key: 'time', value: { now: state.clock.now() } });
    const known = this.#isWhole ? 0 : this.#written;
    for (const [index, value] of profiles.profiles.slice(known).entries())
      this.#put({ kind: 'profile', owner: '', key: String(known + index), value });
  }

  #writeAccount(account: Account | undefined, profiles: ProfileList): void {
    if (account === undefined) return;
    const { id, byMode } = account;
    this.#put({ kind: 'account', owner: '', key: id, value: encodeSettings(account, profiles) });
    if (!this.#isReplaced(id)) return;
    for (const mode of modes) {
      const owner = `${id} ${mode}`;
      this.#remove(owner);
      const lists = encodeLists(byMode[mode], profiles);
      for (const kind of itemKinds)
        for (const [index, value] of lists[kind].entries())
          this.#put({ kind, owner, key: itemKeys[kind](value, index), value });
    }
  }

  #isReplaced(account: string): boolean {
    return this.#isWhole || this.#replaced.has(account);
  }

  #note(accountState: AccountState, kind: ItemKind, key: string, value: unknown): void {
    // A restore has replaced the state of a running attempt.
    if (accountState.isReplaced) return;
    const { account, mode } = accountState;
    const owner = `${account} ${mode}`;
    this.#changed.set(`${owner} ${kind} ${key}`, { account, kind, owner, key, value });
    this.#schedule();
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
