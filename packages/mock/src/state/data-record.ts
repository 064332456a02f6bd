import type { Currency, Mode } from '@service/contract';
import type { Delivery } from '../domain/delivery.ts';
import type { Terms } from '../domain/profile.ts';
import type { Instant } from '../domain/json.ts';
import type { Account } from './account.ts';
import { type AccountState, type IdempotencyRecord, saveIdempotencyRecord } from './account-state.ts';
import {
  type AccountSnapshot,
  encodeAccount,
  type EncodedPayment,
  type EncodedTransaction,
  encodeState,
  type ModeSnapshot,
  type ProfileList,
  type StateSnapshot,
} from './snapshot.ts';
import type { State } from './state.ts';
/** The keys and settings of an account in a data file. */
export interface AccountRecord extends Omit<AccountSnapshot, 'modes'> {
  readonly modes: Readonly<Record<Mode, ModeSettings>>;
}

type ModeSettings = Pick<ModeSnapshot, 'profile' | 'endpoint' | 'secretsIssued'>;

/** New or changed items of an account and mode. */
export type ChangedItems = Partial<Omit<ModeSnapshot, keyof ModeSettings>>;

/**
 * A record of a data file: the parts of the state that a change has added or replaced. A record with a seed begins a
 * whole state.
 */
export interface DataRecord {
  readonly now: Instant;
  readonly seed?: string | undefined;
  /** The index of the default profile. */
  readonly profile?: number | undefined;
  /** Profiles that earlier records do not contain. */
  readonly profiles?: readonly (readonly [index: number, profile: Terms])[] | undefined;
  readonly retiredKeys?: readonly string[] | undefined;
  readonly openedAt?: Instant | undefined;
  readonly account?: AccountRecord | undefined;
  /** Whether `account` begins a new state of the account, without its earlier items. */
  readonly isReplacement?: true | undefined;
  /** The account and mode of `items`. */
  readonly of?: readonly [id: string, mode: Mode] | undefined;
  readonly items?: ChangedItems | undefined;
}

/** Encodes the default profile and the retired keys. */
export function describeSettings(
  state: State,
  profiles: ProfileList,
): Pick<DataRecord, 'now' | 'profile' | 'retiredKeys'> {
  const profile = profiles.indexOf(state.profile);
  return { now: state.clock.now(), profile, retiredKeys: [...state.retiredKeys] };
}

/** Encodes the keys and settings of an account. */
export function describeAccount(account: Account, profiles: ProfileList): AccountRecord {
  const { byMode, opening: _, ...rest } = account;
  const describeMode = (accountState: AccountState): ModeSettings => ({
    profile: profiles.indexOf(accountState.profile),
    endpoint: accountState.endpoint,
    secretsIssued: accountState.secretsIssued,
  });
  return {
    ...rest,
    keys: { ...rest.keys },
    modes: { test: describeMode(byMode.test), live: describeMode(byMode.live) },
  };
}

/** The number of items in a record of a whole state. */
const ITEMS = 100;

/**
 * Copies the whole state and returns its records, which are encoded during the iteration. Later changes of the state do
 * not affect them.
 */
export function describeState(state: State, profiles: ProfileList): Iterable<DataRecord> {
  const { accounts, ...settings } = encodeState(state, profiles);
  const { now } = settings;
  return (function* () {
    yield { ...settings, profiles: [...settings.profiles.entries()] };
    for (const account of accounts) yield* describeCopy(account, { now });
  })();
}

/** Copies an account that replaces its earlier state, and returns its records. */
export function describeReplacement(
  state: State,
  account: Account,
  profiles: ProfileList,
): Iterable<DataRecord> {
  const head = { now: state.clock.now(), isReplacement: true } as const;
  return describeCopy(encodeAccount(account, profiles), head);
}

/** Returns the records of an account. `head` is part of the first one. */
function* describeCopy(
  { modes: { test, live }, ...rest }: AccountSnapshot,
  head: Pick<DataRecord, 'now' | 'isReplacement'>,
): Generator<DataRecord> {
  const { now } = head;
  yield { ...head, account: { ...rest, modes: { test: settingsOf(test), live: settingsOf(live) } } };
  for (const [mode, copy] of Object.entries({ test, live }) as [Mode, ModeSnapshot][])
    for (const [name, list] of Object.entries(copy) as [string, unknown][])
      for (let start = 0; Array.isArray(list) && start < list.length; start += ITEMS)
        yield { now, of: [rest.id, mode], items: { [name]: list.slice(start, start + ITEMS) } };
}

function settingsOf({ profile, endpoint, secretsIssued }: ModeSnapshot): ModeSettings {
  return { profile, endpoint, secretsIssued };
}

/** The items of an account and mode by their keys, in the order of their creation. */
interface FoldedMode {
  readonly wallets: Set<Currency>;
  readonly payments: Map<string, EncodedPayment>;
  readonly transactions: EncodedTransaction[];
  readonly idempotency: Map<string, IdempotencyRecord>;
  readonly deliveries: Map<string, Delivery>;
}

interface FoldedAccount {
  record: AccountRecord;
  readonly modes: Readonly<Record<Mode, FoldedMode>>;
}

/** The state after some records. */
interface FoldedState {
  readonly accounts: Map<string, FoldedAccount>;
  readonly profiles: Terms[];
  latest: DataRecord;
}

/**
 * Applies the records of a data file to an empty state. Returns undefined without records.
 *
 * @throws {Error} if the first record is not that of a whole state, and if a record belongs to no account
 */
export function foldRecords(records: Iterable<DataRecord>): StateSnapshot | undefined {
  let folded: FoldedState | undefined;
  for (const record of records) {
    if (record.seed !== undefined) folded = { accounts: new Map(), profiles: [], latest: record };
    if (folded === undefined) throw new Error('The first record has no seed.');
    applyRecord(folded, record);
  }
  if (folded === undefined) return undefined;
  const { accounts, profiles, latest } = folded;
  const { now, seed = '', profile = 0, retiredKeys = [], openedAt } = latest;
  const encoded = Array.from(accounts.values(), toAccountSnapshot);
  return {
    seed,
    now,
    profiles,
    profile,
    accounts: encoded,
    retiredKeys,
    ...(openedAt !== undefined && { openedAt }),
  };
}

function applyRecord(
  folded: FoldedState,
  { account, isReplacement, of, items, profiles = [], ...settings }: DataRecord,
): void {
  folded.latest = { ...folded.latest, ...settings };
  for (const [index, profile] of profiles) folded.profiles[index] = profile;
  if (account !== undefined) {
    const known = folded.accounts.get(account.id);
    if (known !== undefined && isReplacement === undefined) known.record = account;
    else
      folded.accounts.set(account.id, { record: account, modes: { test: createMode(), live: createMode() } });
  }
  if (of === undefined || items === undefined) return;
  const owner = folded.accounts.get(of[0]);
  if (owner === undefined) throw new Error('A record belongs to an unknown account.');
  applyItems(owner.modes[of[1]], items);
}

function createMode(): FoldedMode {
  return {
    wallets: new Set(),
    payments: new Map(),
    transactions: [],
    idempotency: new Map(),
    deliveries: new Map(),
  };
}

function applyItems(mode: FoldedMode, items: ChangedItems): void {
  for (const currency of items.wallets ?? []) mode.wallets.add(currency);
  for (const payment of items.payments ?? []) mode.payments.set(payment.id, payment);
  for (const row of items.transactions ?? []) mode.transactions.push(row);
  for (const record of items.idempotency ?? []) saveIdempotencyRecord(mode, record);
  for (const delivery of items.deliveries ?? []) mode.deliveries.set(delivery.id, delivery);
}

function toModeSnapshot(settings: ModeSettings, mode: FoldedMode): ModeSnapshot {
  return {
    ...settings,
    wallets: [...mode.wallets],
    payments: [...mode.payments.values()],
    transactions: mode.transactions,
    idempotency: [...mode.idempotency.values()],
    deliveries: [...mode.deliveries.values()],
  };
}

function toAccountSnapshot({ record, modes: { test, live } }: FoldedAccount): AccountSnapshot {
  const encoded = {
    test: toModeSnapshot(record.modes.test, test),
    live: toModeSnapshot(record.modes.live, live),
  };
  return { ...record, modes: encoded };
}
