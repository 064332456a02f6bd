import { type Currency, type Mode, modes } from '@service/contract';
import { toHex } from '@service/internal';
import type { Delivery } from '../domain/delivery.ts';
import type { Instant } from '../domain/json.ts';
import {
  adjustmentEntry,
  depositEntry,
  type Entry,
  paymentEntries,
  type Transaction,
} from '../domain/ledger.ts';
import type { Payment } from '../domain/payment.ts';
import { defaultProfile, loadStored, type Profile, type Terms } from '../domain/profile.ts';
import { deriveHex } from '../domain/ids.ts';
import type { Account } from './account-state.ts';
import {
  type AccountState,
  applyPosting,
  balanceOf,
  createStateByMode,
  type Endpoint,
  storePayment,
} from './account-state.ts';
import type { Timer } from './clock.ts';
import { type IdempotencyRecord, rememberKey } from './idempotency.ts';
import { SandboxError } from './sandbox-error.ts';
import type { State } from './state.ts';

/**
 * The state of a sandbox as JSON. It contains the API keys and signing secrets of the sandbox's own accounts.
 */
export interface Snapshot {
  /** Identifies the format. */
  readonly format: 'service-sandbox';
  /** The version of the format. */
  readonly version: 2;
  /** Checksum of the state; detects damage and manual edits. */
  readonly checksum: string;
  /** The content. Do not edit it: `restore` compares the checksum. */
  readonly state: object;
}

/** The state of a sandbox. Ledger balances follow from the payments and transactions and are not stored. */
export interface StateSnapshot {
  /** The seed of the ids and keys of all accounts. */
  readonly seed: string;
  /** Sandbox time, in milliseconds since 1970. */
  readonly now: Instant;
  /** The distinct profiles of all accounts and payments. */
  readonly profiles: readonly Terms[];
  /** The index of the default profile in `profiles`. */
  readonly profile: number;
  /** The accounts, oldest first. */
  readonly accounts: readonly AccountSnapshot[];
  /** API keys that were replaced. */
  readonly retiredKeys: readonly string[];
}

/** An account in a snapshot. */
export interface AccountSnapshot extends Omit<Account, 'byMode'> {
  /** The payments, wallets and webhooks of each mode. */
  readonly modes: Readonly<Record<Mode, ModeSnapshot>>;
}

/** The lists of one account in one mode in a snapshot. */
interface ModeLists {
  /** The currencies of all wallets, including empty ones. */
  readonly wallets: readonly Currency[];
  /** All payments, oldest first. */
  readonly payments: readonly EncodedPayment[];
  /** The changes of all wallets, oldest first. */
  readonly transactions: readonly EncodedTransaction[];
  /** The idempotency keys of creates. */
  readonly idempotency: readonly IdempotencyRecord[];
  /** The webhook deliveries, oldest first. */
  readonly deliveries: readonly Delivery[];
}

/** The state of one account in one mode in a snapshot. */
interface ModeSnapshot extends ModeLists {
  /** The index of its profile in `profiles`. */
  readonly profile: number;
  /** The webhook endpoint with its signing secret, or null. */
  readonly endpoint: Endpoint | null;
  /** The number of signing secrets issued so far, so that each derived one is new. */
  readonly secretsIssued: number;
}

/** A record in a snapshot: amounts and rates are text. */
type Encoded<Item> = {
  readonly [Name in keyof Item]: Exclude<Item[Name], undefined> extends bigint ? string : Item[Name];
};

/** A payment in a snapshot. */
type EncodedPayment = Encoded<Omit<Payment, 'terms'>> & {
  /** The index of its profile settings in `profiles`. */
  readonly terms: number;
};

/** A row of the transaction history in a snapshot. */
type EncodedTransaction = Encoded<Transaction>;

/** The distinct profiles of a snapshot. */
export interface ProfileList {
  readonly profiles: readonly Terms[];
  /** Returns the index of a profile. Adds a new one to the list. */
  readonly indexOf: (profile: Terms) => number;
}

/** Creates a list of profiles. */
export function createProfileList(initial: readonly Terms[] = []): ProfileList {
  const profiles = [...initial];
  const indexes = new Map(profiles.map((profile, index) => [JSON.stringify(profile), index]));
  const known = new WeakMap<Terms, number>();
  const add = (profile: Terms): number => {
    const text = JSON.stringify(profile);
    const index = indexes.get(text) ?? profiles.push(profile) - 1;
    indexes.set(text, index);
    known.set(profile, index);
    return index;
  };
  return { profiles, indexOf: (profile) => known.get(profile) ?? add(profile) };
}

function encodeAmounts<Item extends object>(item: Item): Encoded<Item> {
  return mapFields(item, (value) => (typeof value === 'bigint' ? String(value) : value)) as Encoded<Item>;
}

/** The amounts and rates of payments and transactions. */
const amounts: ReadonlySet<string> = new Set([
  'send_amount',
  'fee',
  'debit',
  'rate',
  'receive_amount',
  'amount',
  'balance_after',
]);

/** Reads the amounts and rates of an item of a snapshot. */
function decodeAmounts<Item>(encoded: Encoded<Item> & object): Item {
  return mapFields(encoded, (value, name) => (amounts.has(name) ? BigInt(value as string) : value)) as Item;
}

function mapFields(item: object, change: (value: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, change(value, name)]));
}

/** A list of an account and mode: its items in the state, and an item as JSON. */
interface StoredList<Item, EncodedItem> {
  readonly items: (accountState: AccountState) => Iterable<Item>;
  readonly encode: (item: Item, profiles: ProfileList) => EncodedItem;
  readonly restore: (
    accountState: AccountState,
    encoded: EncodedItem,
    profileAt: (index: number) => Profile,
  ) => void;
}

/** Hides the types of a list. */
function storedList<Item, EncodedItem>(list: StoredList<Item, EncodedItem>): StoredList<unknown, unknown> {
  return list as StoredList<unknown, unknown>;
}

/** The lists of an account and mode in a snapshot and in a data file, in the order of a restore. */
const lists: Readonly<Record<keyof ModeLists, StoredList<unknown, unknown>>> = {
  wallets: storedList({
    items: ({ ledger }) => ledger.get('wallet')?.keys() ?? [],
    encode: (currency) => currency,
    restore: (accountState, currency) =>
      applyPosting(accountState, { account: 'wallet', currency, amount: 0n }),
  }),
  payments: storedList({
    items: ({ payments }) => payments.values(),
    encode: (payment, { indexOf }) => encodeAmounts({ ...payment, terms: indexOf(payment.terms) }),
    restore(accountState, encoded: EncodedPayment, profileAt) {
      const payment = decodeAmounts<Payment>({ ...encoded, terms: profileAt(encoded.terms) });
      storePayment(accountState, payment);
      for (const entry of paymentEntries(payment)) postAll(accountState, entry);
    },
  }),
  transactions: storedList({
    items: ({ transactions }) => transactions,
    encode: encodeAmounts<Transaction>,
    restore(accountState, encoded: EncodedTransaction) {
      const row = decodeAmounts<Transaction>(encoded);
      accountState.transactions.push(row);
      const { type, currency, amount, created_at } = row;
      if (type === 'deposit') postAll(accountState, depositEntry(currency, amount, created_at));
      if (type === 'adjustment') postAll(accountState, adjustmentEntry(currency, amount, created_at));
    },
  }),
  idempotency: storedList({
    items: ({ idempotency }) => idempotency.values(),
    encode: (record) => record,
    restore: (accountState, record) => rememberKey(accountState.idempotency, { ...record }),
  }),
  deliveries: storedList({
    items: ({ deliveries }) => deliveries.values(),
    encode: (delivery) => delivery,
    restore: ({ deliveries }, delivery) => void deliveries.set(delivery.id, delivery),
  }),
};

/** The lists of an account and mode by name. */
export const storedLists: ReadonlyMap<string, StoredList<unknown, unknown>> = new Map(Object.entries(lists));

/** Encodes the state. The result shares objects with it, which never change. */
export function encodeState(state: State): StateSnapshot {
  const profiles = createProfileList();
  return {
    ...encodeSandbox(state, profiles),
    accounts: Array.from(state.accounts.values(), (account) => encodeAccount(account, profiles, true)),
    profiles: profiles.profiles,
  };
}

/** Encodes the state that belongs to no account. */
export function encodeSandbox(
  { seed, clock, profile, retiredKeys }: State,
  { indexOf }: ProfileList,
): Omit<StateSnapshot, 'accounts' | 'profiles'> {
  return { seed, now: clock.now(), profile: indexOf(profile), retiredKeys: [...retiredKeys] };
}

/** Encodes the keys and settings of an account, and `withLists` also its lists. */
export function encodeAccount(account: Account, profiles: ProfileList, withLists: boolean): AccountSnapshot {
  const { byMode, ...rest } = account;
  const encodeMode = (mode: Mode): ModeSnapshot => {
    const { profile, endpoint, secretsIssued } = byMode[mode];
    const encoded = [...(withLists ? storedLists : [])].map(([name, { items, encode }]) => [
      name,
      Array.from(items(byMode[mode]), (item) => encode(item, profiles)),
    ]);
    const ofMode = Object.fromEntries(encoded) as ModeLists;
    return { profile: profiles.indexOf(profile), endpoint, secretsIssued, ...ofMode };
  };
  return { ...rest, keys: { ...rest.keys }, modes: { test: encodeMode('test'), live: encodeMode('live') } };
}

/** Takes a snapshot of the state that shares no object with the state. */
export function takeSnapshot(state: State): Snapshot {
  const encoded = structuredClone(encodeState(state));
  return { format: 'service-sandbox', version: 2, checksum: computeChecksum(encoded), state: encoded };
}

/** Computes the checksum of a state. */
export function computeChecksum(state: unknown): string {
  return deriveHex(JSON.stringify(state), 'checksum', 32);
}

/**
 * Computes a SHA-256 digest of the state in hexadecimal. Equal digests mean equal keys, money, payments, events, idempotency
 * records, endpoints, profiles and time. The digest ignores deliveries, the time of a running clock, the request log,
 * injected faults, request ids and rate limit counters.
 */
export async function hashState(state: State): Promise<string> {
  const omitted = state.clock.mode === 'manual' ? ['deliveries'] : ['deliveries', 'now'];
  const text = JSON.stringify(encodeState(state), (name, value: unknown) =>
    omitted.includes(name) ? undefined : value,
  );
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}

/**
 * Restores a state whose checksum was verified.
 *
 * @throws {SandboxError} without a change if it is inconsistent
 */
export function restoreEncoded(state: State, encoded: StateSnapshot): void {
  const accounts = decodeAccounts(encoded);
  for (const { byMode } of state.accounts.values()) for (const mode of modes) byMode[mode].isReplaced = true;
  state.accounts.clear();
  state.apiKeys.clear();
  state.retiredKeys.clear();
  for (const key of encoded.retiredKeys) state.retiredKeys.add(key);
  state.seed = encoded.seed;
  const profile = encoded.profiles[encoded.profile] as Profile | undefined;
  if (profile !== undefined) state.profile = profile;
  state.restores += 1;
  for (const account of accounts) {
    state.accounts.set(account.id, account);
    for (const mode of modes)
      state.apiKeys.set(account.keys[mode], { account, accountState: account.byMode[mode] });
  }
  state.clock.restart(encoded.now, listTimers(state, accounts));
}

/** Returns the timers of the automatic transitions of all payments of some accounts. */
function listTimers(state: State, accounts: readonly Account[]): Timer[] {
  const owners = accounts.flatMap(({ byMode }) => modes.map((mode) => byMode[mode]));
  return owners.flatMap((owner) =>
    [...owner.payments.values()].flatMap(({ id, next }) =>
      next === null ? [] : [{ at: next.at, tieBreaker: id, owner, run: state.runTimer }],
    ),
  );
}

/**
 * Reads the state of a snapshot.
 *
 * @throws {SandboxError} if it is damaged or of another version
 */
export function readSnapshot(snapshot: Snapshot): StateSnapshot {
  const { format, version, checksum, state } = (snapshot ?? {}) as Partial<Snapshot>;
  if (format !== 'service-sandbox' || state === undefined)
    throw invalidSnapshot('This is not a snapshot of a sandbox. sandbox.snapshot() creates one.');
  if (version !== 2)
    throw invalidSnapshot(
      `This snapshot has version ${JSON.stringify(version)}; this package reads version 2.`,
    );
  if (checksum !== computeChecksum(state))
    throw invalidSnapshot('This snapshot is damaged or was edited: its checksum does not match its state.');
  return state as StateSnapshot;
}

/** Decodes all accounts before the first change. */
function decodeAccounts(encoded: StateSnapshot): Account[] {
  const profiles = encoded.profiles.map((stored) => {
    const profile = loadStored(stored);
    if (typeof profile === 'string')
      throw invalidSnapshot(`The state has a profile that is refused: ${profile}.`);
    return profile;
  });
  try {
    const accounts = encoded.accounts.map((account) => decodeAccount(account, encoded.seed, profiles));
    // A reset to this state does not check them again.
    Object.assign(encoded, { profiles });
    return accounts;
  } catch (cause) {
    throw invalidSnapshot('This snapshot is inconsistent.', { cause });
  }
}

/** Decodes an account. Payments with the same terms share one object of `profiles`. */
function decodeAccount(encoded: AccountSnapshot, seed: string, profiles: readonly Profile[]): Account {
  const { modes: encodedModes, ...rest } = encoded;
  const byMode = createStateByMode(rest, seed, defaultProfile);
  for (const mode of modes) decodeMode(encodedModes[mode], byMode[mode], profiles);
  return { ...rest, keys: { ...encoded.keys }, byMode };
}

/** Restores the state of a mode into an empty account state. */
function decodeMode(encoded: ModeSnapshot, accountState: AccountState, profiles: readonly Profile[]): void {
  const profileAt = (index: number): Profile => {
    const profile = profiles[index];
    if (profile === undefined) throw new Error('a profile is missing');
    return profile;
  };
  accountState.profile = profileAt(encoded.profile);
  for (const [name, { restore }] of storedLists)
    for (const item of encoded[name as keyof ModeLists]) restore(accountState, item, profileAt);
  accountState.endpoint = encoded.endpoint;
  accountState.secretsIssued = encoded.secretsIssued;
  checkBalances(accountState);
}

function postAll(accountState: AccountState, entry: Entry): void {
  for (const posting of entry.postings) applyPosting(accountState, posting);
}

/** Checks that the last row of each wallet agrees with the ledger. */
function checkBalances(accountState: AccountState): void {
  const last = new Map(accountState.transactions.map((row) => [row.currency, row.balance_after]));
  for (const [currency, balance] of last) {
    if (balanceOf(accountState, 'wallet', currency) !== balance)
      throw new Error(`the balance of ${currency} is off`);
  }
}

function invalidSnapshot(message: string, options?: ErrorOptions): SandboxError {
  return new SandboxError('invalid_argument', message, options);
}
