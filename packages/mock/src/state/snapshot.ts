import type { Currency, Mode } from '@service/contract';
import { isRecord, monotonicNow, toHex } from '@service/internal';
import type { Delivery } from '../domain/delivery.ts';
import type { Instant } from '../domain/json.ts';
import type { Transaction } from '../domain/ledger.ts';
import type { Payment } from '../domain/payment.ts';
import type { Terms } from '../domain/profile.ts';
import type { Account } from './accounts.ts';
import type { AccountState, Endpoint, IdempotencyRecord, ListedItems } from './account-state.ts';
import { MAX_WORK, takeTurn } from './clock.ts';
import { deriveHex, hash } from '../domain/ids.ts';
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
  readonly state: StateSnapshot;
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

/** The accounts of a state, or one of them. */
export type AccountsSnapshot = Pick<StateSnapshot, 'now' | 'profiles' | 'accounts'>;

/** An account in a snapshot. */
export interface AccountSnapshot extends Omit<Account, 'byMode'> {
  /** The payments, wallets and webhooks of each mode. */
  readonly modes: Readonly<Record<Mode, ModeSnapshot>>;
}

/** The lists of one account in one mode in a snapshot. */
export interface ModeLists {
  /** The currencies of all wallets, including empty ones. */
  readonly wallets: readonly Currency[];
  /** All payments, oldest first. */
  readonly payments: readonly EncodedPayment[];
  /** The changes of all wallets, oldest first. */
  readonly transactions: readonly EncodedTransaction[];
  /** The idempotency keys of creates, with their responses. */
  readonly idempotency: readonly IdempotencyRecord[];
  /** The webhook deliveries, oldest first. */
  readonly deliveries: readonly Delivery[];
}

/** The state of one account in one mode in a snapshot. */
export interface ModeSnapshot extends ModeLists {
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
export type EncodedPayment = Encoded<Omit<Payment, 'terms'>> & {
  /** The index of its profile settings in `profiles`. */
  readonly terms: number;
};

/** A row of the transaction history in a snapshot. */
export type EncodedTransaction = Encoded<Transaction>;

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
export function decodeAmounts<Item>(encoded: Encoded<Item> & object): Item {
  return mapFields(encoded, (value, name) => (amounts.has(name) ? BigInt(value as string) : value)) as Item;
}

function mapFields(item: object, change: (value: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, change(value, name)]));
}

/** A list of an account and mode. */
interface StoredList<Item, EncodedItem> {
  readonly items: (accountState: AccountState) => Iterable<Item>;
  readonly keyOf: (item: Item, index: number) => string;
  /** Converts an item to JSON. */
  readonly encode: (item: Item, profiles: ProfileList) => EncodedItem;
}

/** The lists of an account and mode in a snapshot and in a data file. */
const lists: {
  readonly [Name in keyof ListedItems]: StoredList<ListedItems[Name], ModeLists[Name][number]>;
} = {
  wallets: {
    items: ({ ledger }) => ledger.get('wallet')?.keys() ?? [],
    keyOf: (currency) => currency,
    encode: (currency) => currency,
  },
  payments: {
    items: ({ payments }) => payments.values(),
    keyOf: ({ id }) => id,
    encode: (payment, { indexOf }) => encodeAmounts({ ...payment, terms: indexOf(payment.terms) }),
  },
  transactions: {
    items: ({ transactions }) => transactions,
    keyOf: (_, index) => String(index),
    encode: encodeAmounts,
  },
  idempotency: {
    items: ({ idempotency }) => idempotency.values(),
    keyOf: ({ key }) => key,
    encode: (record) => record,
  },
  deliveries: {
    items: ({ deliveries }) => deliveries.values(),
    keyOf: ({ id }) => id,
    encode: (delivery) => delivery,
  },
};

/** The lists of an account and mode by name. */
export const storedLists: ReadonlyMap<string, StoredList<unknown, unknown>> = new Map(
  Object.entries(lists) as [string, StoredList<unknown, unknown>][],
);

/** Encodes the items of a list, immediately or when they are written. */
type EncodeList = <Item, Encoded>(
  items: Iterable<Item>,
  encode: (item: Item) => Encoded,
) => readonly Encoded[];

const encodeNow: EncodeList = (items, encode) => Array.from(items, (item) => encode(item));

/** Encodes the state. The result shares objects with it, which never change. */
export function encodeState(state: State, encodeList: EncodeList = encodeNow): StateSnapshot {
  const profiles = createProfileList();
  return {
    ...encodeSandbox(state, profiles),
    accounts: Array.from(state.accounts.values(), (account) => encodeAccount(account, profiles, encodeList)),
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

/** Encodes an account, or without `encodeList` only its keys and settings. */
export function encodeAccount(
  account: Account,
  profiles: ProfileList,
  encodeList?: EncodeList,
): AccountSnapshot {
  const { byMode, ...rest } = account;
  const encodeMode = (mode: Mode): ModeSnapshot => {
    const { profile, endpoint, secretsIssued } = byMode[mode];
    const encoded = [...(encodeList === undefined ? [] : storedLists)].map(([name, { items, encode }]) => [
      name,
      encodeList?.(items(byMode[mode]), (item) => encode(item, profiles)),
    ]);
    const ofMode = Object.fromEntries(encoded) as ModeLists;
    return { profile: profiles.indexOf(profile), endpoint, secretsIssued, ...ofMode };
  };
  return { ...rest, keys: { ...rest.keys }, modes: { test: encodeMode('test'), live: encodeMode('live') } };
}

/** Encodes one account with its profiles. */
export function encodeOneAccount({ clock }: State, account: Account): AccountsSnapshot {
  const profiles = createProfileList();
  const accounts = [encodeAccount(account, profiles, encodeNow)];
  return { now: clock.now(), profiles: profiles.profiles, accounts };
}

/** Takes a snapshot of the state that shares no object with the state. */
export function takeSnapshot(state: State): Snapshot {
  const encoded = structuredClone(encodeState(state));
  return { format: 'service-sandbox', version: 2, checksum: computeChecksum(encoded), state: encoded };
}

/** The number of characters in a part of a written snapshot. */
const PART = 2 ** 16;

/** The number of items of a list that are encoded together. */
const GROUP = 50;

/** Returns functions that encode the items of a list in groups. */
const encodeLater: EncodeList = (items, encode) => {
  const all = [...items];
  const encodeFrom = (start: number) => () => all.slice(start, start + GROUP).map((item) => encode(item));
  return Array.from({ length: Math.ceil(all.length / GROUP) }, (_, index) =>
    encodeFrom(index * GROUP),
  ) as never;
};

/** Takes a snapshot and writes it as JSON in parts. Gives the event loop turns, so that other requests do not wait. */
export async function writeSnapshot(state: State): Promise<readonly string[]> {
  const encoded = encodeState(state, encodeLater);
  const parts: string[] = [];
  let [text, hashed, startedAt] = ['', hash(''), monotonicNow()];
  for (const piece of writePieces(encoded)) {
    text += piece;
    if (text.length < PART) continue;
    parts.push(text);
    hashed = hash(text, hashed);
    text = '';
    if (monotonicNow() - startedAt < MAX_WORK) continue;
    await takeTurn();
    startedAt = monotonicNow();
  }
  const checksum = deriveHex(hash(text, hashed), 'checksum', 32);
  const head = JSON.stringify({ format: 'service-sandbox', version: 2, checksum });
  return [`${head.slice(0, -1)},"state":`, ...parts, `${text}}`];
}

/** Writes a value like `JSON.stringify`, in pieces. A function returns some items of a list. */
function* writePieces(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      const comma = index === 0 ? '' : ',';
      if (typeof item === 'function') yield comma + JSON.stringify(item()).slice(1, -1);
      else {
        yield comma;
        yield* writePieces(item);
      }
    }
    yield ']';
  } else if (isRecord(value)) {
    let comma = '';
    yield '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      yield `${comma}${JSON.stringify(name)}:`;
      yield* writePieces(field);
      comma = ',';
    }
    yield '}';
  } else yield JSON.stringify(value);
}

/** Computes the checksum of a state. */
export function computeChecksum(state: unknown): string {
  return deriveHex(JSON.stringify(state), 'checksum', 32);
}

/**
 * Computes a SHA-256 digest of the state, or of one account, in hexadecimal. Equal digests mean equal keys, money,
 * payments, events, idempotency records, endpoints, profiles and time. The digest ignores deliveries, the time of a
 * running clock, the request log, injected faults, request ids and rate limit counters. That of one account ignores
 * the time of any clock.
 */
export async function hashState(state: State, account?: Account): Promise<string> {
  const isStill = state.clock.mode === 'manual' && account === undefined;
  const omitted = isStill ? ['deliveries'] : ['deliveries', 'now'];
  const encoded = account === undefined ? encodeState(state) : encodeOneAccount(state, account);
  const text = JSON.stringify(encoded, (name, value: unknown) =>
    omitted.includes(name) ? undefined : value,
  );
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}
