import { type Currency, type Mode, modes } from '@service/contract';
import type { Delivery } from '../domain/delivery.ts';
import type { Payment } from '../domain/payment.ts';
import type { Terms } from '../domain/profile.ts';
import type { Instant } from '../domain/json.ts';
import type { Account } from './account.ts';
import { type AccountState, type IdempotencyRecord, saveIdempotencyRecord } from './account-state.ts';
import {
  type EncodedPayment,
  type EncodedTransaction,
  encodePayment,
  encodeTransaction,
  type ProfileList,
} from './codec.ts';
import type { IssuedIds } from './open-accounts.ts';
import {
  type AccountSnapshot,
  encodeIssuedBefore,
  encodeOpenAccounts,
  type ModeSnapshot,
  type StateSnapshot,
} from './snapshot.ts';
import type { State } from './state.ts';

/** The keys and settings of an account in a data file. */
export interface AccountRecord extends Omit<AccountSnapshot, 'modes'> {
  readonly modes: Readonly<Record<Mode, ModeSettings>>;
}

type ModeSettings = Pick<ModeSnapshot, 'profile' | 'endpoint' | 'secretsIssued' | 'issuedBefore'>;

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
  /** Removed accounts and the numbers of ids that they have issued. */
  readonly removed?: readonly (readonly [id: string, issued: IssuedIds])[] | undefined;
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
    ...encodeIssuedBefore(accountState),
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
  const { now, ...settings } = describeSettings(state, profiles);
  const accounts = Array.from(state.accounts.values(), (account) => copyAccount(account, profiles));
  const first = {
    now,
    seed: state.seed,
    ...settings,
    ...encodeOpenAccounts(state),
    profiles: [...profiles.profiles.entries()],
  };
  return (function* () {
    yield first;
    for (const account of accounts) yield* encodeAccount(account, { now });
  })();
}

/** Copies an account that replaces its earlier state, and returns its records. */
export function describeReplacement(
  state: State,
  account: Account,
  profiles: ProfileList,
): Iterable<DataRecord> {
  return encodeAccount(copyAccount(account, profiles), { now: state.clock.now(), isReplacement: true });
}

interface CopiedAccount {
  readonly account: AccountRecord;
  readonly lists: readonly ItemList[];
}

function copyAccount(account: Account, profiles: ProfileList): CopiedAccount {
  return {
    account: describeAccount(account, profiles),
    lists: modes.flatMap((mode) => copyLists(account.byMode[mode], profiles)),
  };
}

function* encodeAccount(
  { account, lists }: CopiedAccount,
  { now, ...rest }: Pick<DataRecord, 'now' | 'isReplacement'>,
): Generator<DataRecord> {
  yield { now, ...rest, account };
  for (const { mode, name, items, encode } of lists)
    for (let start = 0; start < items.length; start += ITEMS) {
      const part = items.slice(start, start + ITEMS);
      yield {
        now,
        of: [account.id, mode],
        items: { [name]: encode === undefined ? part : part.map((item) => encode(item as never)) },
      };
    }
}

/** A copied list of an account and mode. Its items never change. */
interface ItemList {
  readonly mode: Mode;
  readonly name: keyof ChangedItems;
  readonly items: readonly unknown[];
  readonly encode?: (item: never) => object;
}

function copyLists(accountState: AccountState, profiles: ProfileList): ItemList[] {
  const { mode, ledger, payments, transactions, idempotency, deliveries } = accountState;
  const copies = [...payments.values()];
  // The first record of a state contains all profiles, so they must be known before it is written.
  for (const { terms } of copies) profiles.indexOf(terms);
  return [
    { mode, name: 'wallets', items: [...(ledger.get('wallet')?.keys() ?? [])] },
    {
      mode,
      name: 'payments',
      items: copies,
      encode: (payment: Payment) => encodePayment(payment, profiles.indexOf(payment.terms)),
    },
    { mode, name: 'transactions', items: [...transactions], encode: encodeTransaction },
    { mode, name: 'idempotency', items: [...idempotency.values()] },
    { mode, name: 'deliveries', items: [...deliveries.values()] },
  ];
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
  readonly removed: Map<string, IssuedIds>;
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
    if (record.seed !== undefined)
      folded = { accounts: new Map(), removed: new Map(), profiles: [], latest: record };
    if (folded === undefined) throw new Error('The first record has no seed.');
    applyRecord(folded, record);
  }
  if (folded === undefined) return undefined;
  const { accounts, profiles, latest, removed } = folded;
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
    ...(removed.size > 0 && { removed: [...removed] }),
  };
}

function applyRecord(
  folded: FoldedState,
  { account, isReplacement, of, items, profiles = [], removed = [], ...settings }: DataRecord,
): void {
  folded.latest = { ...folded.latest, ...settings };
  for (const [id, issued] of removed) {
    folded.accounts.delete(id);
    folded.removed.set(id, issued);
  }
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
