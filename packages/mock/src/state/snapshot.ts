import type { Delivery } from '../domain/delivery.ts';
import type { Terms } from '../domain/profile.ts';
import type { Instant } from '../domain/json.ts';
import type { Currency, Mode } from '@service/contract';
import type { Account } from './account.ts';
import type { AccountState, Endpoint, IdempotencyRecord } from './account-state.ts';
import {
  createProfileList,
  type EncodedPayment,
  type EncodedTransaction,
  encodePayment,
  encodeTransaction,
  type ProfileList,
} from './codec.ts';
import type { ClockMode } from './clock.ts';
import { deriveHex } from './ids.ts';
import type { IssuedIds } from './open-accounts.ts';
import type { State } from './state.ts';

/**
 * The state of a sandbox as JSON. It contains the API keys and signing secrets of the sandbox's own accounts.
 */
export interface Snapshot {
  /** `'service-sandbox-account'` if the state is that of one account. */
  readonly format: 'service-sandbox' | 'service-sandbox-account';
  readonly version: 2;
  /** Checksum of the state; detects damage and manual edits. */
  readonly checksum: string;
  readonly state: StateSnapshot;
  /** Shows a control API that it has returned this snapshot of one account, so that its API key can restore it. */
  readonly signature?: string;
}

/** The state of a sandbox. Ledger balances follow from the payments and transactions and are not stored. */
export interface StateSnapshot {
  /** Empty in the snapshot of one account: the seed derives the ids and keys of all accounts. */
  readonly seed: string;
  readonly now: Instant;
  /** The distinct profiles of all accounts and payments. */
  readonly profiles: readonly Terms[];
  /** The index of the default profile in `profiles`. */
  readonly profile: number;
  readonly accounts: readonly AccountSnapshot[];
  /** API keys that were replaced. Empty in the snapshot of one account. */
  readonly retiredKeys: readonly string[];
  /** The time of the opening deposits of accounts that keys open; only with the policy `open`. */
  readonly openedAt?: Instant;
  /** Removed accounts and the numbers of ids that they have issued. */
  readonly removed?: readonly (readonly [id: string, issued: IssuedIds])[];
}

/** An account in a snapshot. */
export interface AccountSnapshot extends Omit<Account, 'byMode' | 'opening'> {
  readonly modes: Readonly<Record<Mode, ModeSnapshot>>;
}

/** The state of one account in one mode in a snapshot. */
export interface ModeSnapshot {
  readonly profile: number;
  /** The currencies of all wallets, including empty ones. */
  readonly wallets: readonly Currency[];
  readonly payments: readonly EncodedPayment[];
  readonly transactions: readonly EncodedTransaction[];
  readonly idempotency: readonly IdempotencyRecord[];
  readonly deliveries: readonly Delivery[];
  readonly endpoint: Endpoint | null;
  readonly secretsIssued: number;
  /** The numbers of payments, transactions and deliveries of removed accounts with the same id. */
  readonly issuedBefore?: readonly number[];
}

/** Creates a snapshot of an encoded state. Computes its checksum only when it is read. */
export function toSnapshot(state: StateSnapshot): Snapshot {
  return {
    format: 'service-sandbox',
    version: 2,
    get checksum() {
      return computeChecksum(state);
    },
    state,
  };
}

/** Creates a snapshot of the state, or of one account. */
export function takeSnapshot(state: State, account?: Account): Snapshot {
  const encoded = account === undefined ? encodeState(state) : encodeOneAccount(state, account);
  const format = account === undefined ? 'service-sandbox' : 'service-sandbox-account';
  return { format, version: 2, checksum: computeChecksum(encoded), state: encoded };
}

/** Returns the state of one account in the state of a sandbox. Undefined if the account is not in it. */
export function selectAccount(encoded: StateSnapshot, id: string): StateSnapshot | undefined {
  const account = encoded.accounts.find((each) => each.id === id);
  return account && { ...encoded, ...withoutOthers, accounts: [account] };
}

/** The parts of a state that reveal other accounts. */
const withoutOthers: Pick<StateSnapshot, 'seed' | 'retiredKeys'> = { seed: '', retiredKeys: [] };

/** Computes the checksum of a state. */
export function computeChecksum(state: unknown): string {
  return deriveHex(JSON.stringify(state), 'checksum', 32);
}

/** Computes a checksum for autosave. It ignores the time of a running clock. */
export function computeDurableChecksum({ checksum, state }: Snapshot, clock: ClockMode): string {
  return clock === 'manual' ? checksum : computeChecksum({ ...state, now: 0 });
}

/**
 * Computes a SHA-256 digest of the state, or of one account, in hexadecimal. Equal digests mean equal keys, money,
 * payments, events, idempotency records, endpoints, profiles and time. The digest ignores deliveries, the time of a
 * running clock, the request log, injected faults, request ids and rate limit counters. That of one account ignores
 * the time of any clock.
 */
export async function hashState(state: State, account?: Account): Promise<string> {
  const isStill = state.clock.mode === 'manual' && account === undefined;
  const encoded = account === undefined ? encodeState(state) : encodeAlone(account);
  const text = JSON.stringify(encoded, (name, value: unknown) =>
    name === 'deliveries' || (name === 'now' && !isStill) ? undefined : value,
  );
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function encodeState(state: State): StateSnapshot {
  const profiles = createProfileList();
  const profile = profiles.indexOf(state.profile);
  const accounts = [...state.accounts.values()].map((account) => encodeAccount(account, profiles));
  const { seed, clock, retiredKeys } = state;
  const now = clock.now();
  return {
    seed,
    now,
    profiles: profiles.profiles,
    profile,
    accounts,
    retiredKeys: [...retiredKeys],
    ...encodeOpenAccounts(state),
  };
}

/** Encodes the opening time and the removed accounts. */
export function encodeOpenAccounts({
  accountPolicy,
  openedAt,
  openAccounts: { removed },
}: State): Pick<StateSnapshot, 'openedAt' | 'removed'> {
  return {
    ...(accountPolicy === 'open' && { openedAt }),
    ...(removed.size > 0 && { removed: [...removed] }),
  };
}

/** Encodes the numbers of ids of removed accounts with the same id. */
export function encodeIssuedBefore({ issuedBefore }: AccountState): Pick<ModeSnapshot, 'issuedBefore'> {
  return issuedBefore.length > 0 ? { issuedBefore } : {};
}

/** Encodes one account with the default profile and the time. */
function encodeOneAccount(state: State, account: Account): StateSnapshot {
  const profiles = createProfileList();
  const profile = profiles.indexOf(state.profile);
  const accounts = [encodeAccount(account, profiles)];
  return { ...withoutOthers, now: state.clock.now(), profiles: profiles.profiles, profile, accounts };
}

/** Encodes one account and its profiles. */
function encodeAlone(account: Account): object {
  const profiles = createProfileList();
  return { account: encodeAccount(account, profiles), profiles: profiles.profiles };
}

function encodeAccount(account: Account, profiles: ProfileList): AccountSnapshot {
  const { byMode, opening: _, ...rest } = account;
  return {
    ...rest,
    keys: { ...account.keys },
    modes: { test: encodeMode(byMode.test, profiles), live: encodeMode(byMode.live, profiles) },
  };
}

function encodeMode(accountState: AccountState, profiles: ProfileList): ModeSnapshot {
  return {
    profile: profiles.indexOf(accountState.profile),
    wallets: [...(accountState.ledger.get('wallet') ?? new Map<Currency, bigint>()).keys()],
    payments: Array.from(accountState.payments.values(), (payment) =>
      encodePayment(payment, profiles.indexOf(payment.terms)),
    ),
    transactions: accountState.transactions.map(encodeTransaction),
    idempotency: Array.from(accountState.idempotency.values(), (record) => ({ ...record })),
    deliveries: [...accountState.deliveries.values()],
    endpoint: accountState.endpoint,
    secretsIssued: accountState.secretsIssued,
    ...encodeIssuedBefore(accountState),
  };
}
