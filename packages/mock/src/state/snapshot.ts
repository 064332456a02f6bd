import { type Currency, type Mode, modes } from '@service/contract';
import { isRecord, memoize, toHex } from '@service/internal';
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
import { applyChoice, defaultProfile, type Profile, profileChoice, type Terms } from '../domain/profile.ts';
import { check, formatProblem } from '../domain/schema.ts';
import { deriveText, HEX } from '../domain/ids.ts';
import {
  type Account,
  type AccountState,
  applyPosting,
  createStateByMode,
  type Endpoint,
  type IdempotencyRecord,
  rememberKey,
  type State,
  type StoredListName,
  storePayment,
} from './state.ts';
import type { Timer } from './clock.ts';
import { SandboxError } from './sandbox-error.ts';

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
  readonly profiles: readonly Profile[];
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

/** An item in a snapshot: amounts and rates are text, and the terms of a payment are the index of a profile. */
type Encoded<Item> = {
  readonly [Name in keyof Item]: Name extends 'terms'
    ? number
    : Item[Name] extends bigint
      ? string
      : Item[Name];
};

/** The state of one account in one mode in a snapshot: its settings and its lists, oldest first. */
interface ModeSnapshot {
  readonly wallets: readonly Currency[];
  readonly payments: readonly Encoded<Payment>[];
  readonly transactions: readonly Encoded<Transaction>[];
  readonly idempotency: readonly IdempotencyRecord[];
  readonly deliveries: readonly Delivery[];
  /** The index of its profile in `profiles`. */
  readonly profile: number;
  /** The webhook endpoint with its signing secret, or null. */
  readonly endpoint: Endpoint | null;
  /** The number of signing secrets issued so far, so that each derived one is new. */
  readonly secretsIssued: number;
}

/** The distinct profiles of a snapshot. */
export interface ProfileList {
  readonly profiles: readonly Profile[];
  /** Returns the index of a profile. Adds a new one to the list. */
  readonly indexOf: (profile: Terms) => number;
}

/** Creates a list of profiles. */
export function createProfileList(initial: readonly Profile[] = []): ProfileList {
  const profiles = [...initial];
  const indexes = new Map(profiles.map((profile, index) => [JSON.stringify(profile), index]));
  const indexOf = memoize((profile: Terms): number => {
    const text = JSON.stringify(profile);
    // The terms of a payment are the profile at its create.
    const index = indexes.get(text) ?? profiles.push(profile as Profile) - 1;
    indexes.set(text, index);
    return index;
  });
  return { profiles, indexOf };
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

/** Encodes an item of a list as JSON. The terms of a payment are the index of a profile. */
export function encodeItem(item: unknown, { indexOf }: ProfileList): unknown {
  return mapFields(item, (name, value) => {
    if (name === 'terms') return indexOf(value as Terms);
    return typeof value === 'bigint' ? String(value) : value;
  });
}

/** Decodes an item of a list. Payments with the same terms share one object of `profiles`. */
function decodeItem(item: unknown, profiles: readonly Profile[]): unknown {
  return mapFields(item, (name, value) => {
    if (name === 'terms') return profileAt(profiles, value as number);
    return amounts.has(name) ? BigInt(value as string) : value;
  });
}

function mapFields(item: unknown, change: (name: string, value: unknown) => unknown): unknown {
  if (!isRecord(item)) return item;
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, change(name, value)]));
}

function profileAt(profiles: readonly Profile[], index: number): Profile {
  const profile = profiles[index];
  if (profile === undefined) throw new Error('a profile is missing');
  return profile;
}

/**
 * The lists of an account and mode in a snapshot and in a data file, in the order of a restore. `restore` restores an item, and
 * posts the ledger entries that follow from it.
 */
export const storedLists: {
  readonly [Name in StoredListName]: {
    readonly items: (accountState: AccountState) => Iterable<unknown>;
    readonly restore: (accountState: AccountState, item: never) => void;
  };
} = {
  wallets: {
    items: ({ ledger }) => ledger.get('wallet')?.keys() ?? [],
    restore: (accountState, currency: Currency) =>
      applyPosting(accountState, { account: 'wallet', currency, amount: 0n }),
  },
  payments: {
    items: ({ payments }) => payments.values(),
    restore(accountState, payment: Payment) {
      storePayment(accountState, payment);
      for (const entry of paymentEntries(payment)) postAll(accountState, entry);
    },
  },
  transactions: {
    items: ({ transactions }) => transactions,
    restore(accountState, row: Transaction) {
      accountState.transactions.push(row);
      const { type, currency, amount, created_at } = row;
      if (type === 'deposit') postAll(accountState, depositEntry(currency, amount, created_at));
      if (type === 'adjustment') postAll(accountState, adjustmentEntry(currency, amount, created_at));
    },
  },
  idempotency: {
    items: ({ idempotency }) => idempotency.values(),
    restore: ({ idempotency }, record: IdempotencyRecord) => rememberKey(idempotency, record),
  },
  deliveries: {
    items: ({ deliveries }) => deliveries.values(),
    restore: ({ deliveries }, delivery: Delivery) => void deliveries.set(delivery.id, delivery),
  },
};

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
    const filled = Object.entries(withLists ? storedLists : {}).map(([name, { items }]) => [
      name,
      Array.from(items(byMode[mode]), (item) => encodeItem(item, profiles)),
    ]);
    const ofMode = { profile: profiles.indexOf(profile), endpoint, secretsIssued };
    return { ...ofMode, ...(Object.fromEntries(filled) as Pick<ModeSnapshot, StoredListName>) };
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
  return deriveText(JSON.stringify(state), 'checksum', 32, HEX);
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
 * Restores a state whose profiles were loaded.
 *
 * @throws {SandboxError} without a change if it is inconsistent
 */
export function restoreEncoded(state: State, encoded: StateSnapshot): void {
  const { seed, profiles, retiredKeys } = encoded;
  let accounts: Account[];
  try {
    accounts = encoded.accounts.map(({ modes: encodedModes, ...rest }) => {
      const byMode = createStateByMode(rest, seed, defaultProfile);
      for (const mode of modes) restoreMode(byMode[mode], encodedModes[mode], profiles);
      return { ...rest, keys: { ...rest.keys }, byMode };
    });
    state.profile = profileAt(profiles, encoded.profile);
  } catch (cause) {
    throw invalidSnapshot('This snapshot is inconsistent.', { cause });
  }
  for (const { byMode } of state.accounts.values()) for (const mode of modes) byMode[mode].isReplaced = true;
  state.accounts.clear();
  state.apiKeys.clear();
  state.retiredKeys.clear();
  for (const key of retiredKeys) state.retiredKeys.add(key);
  state.seed = seed;
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
  return loadProfiles(structuredClone(state) as StateSnapshot);
}

/**
 * Loads the profiles of a stored state.
 *
 * @throws {SandboxError} that names each setting that is refused
 */
export function loadProfiles(stored: StateSnapshot): StateSnapshot {
  const profiles = (stored.profiles ?? []).map((each) => {
    const { problems } = check(profileChoice, each);
    const found = problems.map(formatProblem).join('; ');
    if (found !== '') throw invalidSnapshot(`The state has a profile that is refused: ${found}.`);
    return applyChoice(defaultProfile, each);
  });
  return { ...stored, profiles };
}

/** Restores the state of a mode into an empty account state. */
function restoreMode(accountState: AccountState, encoded: ModeSnapshot, profiles: readonly Profile[]): void {
  accountState.profile = profileAt(profiles, encoded.profile);
  accountState.endpoint = encoded.endpoint;
  accountState.secretsIssued = encoded.secretsIssued;
  for (const [name, { restore }] of Object.entries(storedLists))
    for (const item of encoded[name as StoredListName])
      restore(accountState, decodeItem(item, profiles) as never);
}

function postAll(accountState: AccountState, entry: Entry): void {
  for (const posting of entry.postings) applyPosting(accountState, posting);
}

function invalidSnapshot(message: string, options?: ErrorOptions): SandboxError {
  return new SandboxError('invalid_argument', message, options);
}
