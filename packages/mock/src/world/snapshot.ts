import type { Delivery } from '../domain/delivery.ts';
import type { Terms } from '../domain/profile.ts';
import type { Instant } from '../domain/wire.ts';
import type { Currency, Mode } from '@service/contract';
import type { Account } from './account.ts';
import type { Books, Endpoint, IdempotencyRecord } from './books.ts';
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
import type { World } from './world.ts';

/** Holds all that a sandbox knows, as JSON. It holds the keys and signing secrets of the sandbox's own accounts. */
export interface Snapshot {
  readonly format: 'service-sandbox';
  readonly version: 1;
  /** Tells whether the state is the one that was taken. */
  readonly checksum: string;
  readonly state: SandboxState;
}

/** Describes what a sandbox knows. What the ledger holds follows from the payments and the rows, and is not repeated. */
export interface SandboxState {
  readonly seed: string;
  readonly now: Instant;
  /** The profiles that accounts have and payments were made under. */
  readonly profiles: readonly Terms[];
  /** The place of the sandbox's own profile among `profiles`. */
  readonly profile: number;
  readonly accounts: readonly AccountState[];
  /** The keys that were replaced. */
  readonly retiredKeys: readonly string[];
}

/** Describes an account in a snapshot. */
export interface AccountState extends Omit<Account, 'books'> {
  readonly books: Readonly<Record<Mode, BooksState>>;
}

/** Describes one mode of an account in a snapshot. */
export interface BooksState {
  readonly profile: number;
  /** The wallets that are listed, whatever they hold. */
  readonly wallets: readonly Currency[];
  readonly payments: readonly EncodedPayment[];
  readonly transactions: readonly EncodedTransaction[];
  readonly idempotency: readonly IdempotencyRecord[];
  readonly deliveries: readonly Delivery[];
  readonly endpoint: Endpoint | null;
  readonly secretsIssued: number;
}

/** Takes a snapshot of a world. */
export function takeSnapshot(world: World): Snapshot {
  const state = describeWorld(world);
  return { format: 'service-sandbox', version: 1, checksum: sumUp(state), state };
}

/** Computes the checksum of a state. */
export function sumUp(state: SandboxState): string {
  return deriveHex(JSON.stringify(state), 'checksum', 32);
}

/** Computes what differs between two snapshots only when there is something to keep: the time of a clock that runs is not. */
export function sumUpLasting({ checksum, state }: Snapshot, clock: ClockMode): string {
  return clock === 'manual' ? checksum : sumUp({ ...state, now: 0 });
}

/**
 * Computes a digest of all that the world knows: SHA-256 in hex. Two digests are equal exactly when nothing has changed:
 * keys, money, payments, events, idempotency records, endpoints, profiles and the time. Left out is what changes by itself
 * or by being looked at: deliveries, the time of a clock that runs, the journal, armed faults, request ids and rate counters.
 */
export async function hashState(world: World): Promise<string> {
  const isStill = world.clock.mode === 'manual';
  const text = JSON.stringify(describeWorld(world), (name, value: unknown) =>
    name === 'deliveries' || (name === 'now' && !isStill) ? undefined : value,
  );
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function describeWorld(world: World): SandboxState {
  const profiles = createProfileList();
  const profile = profiles.placeOf(world.profile);
  const accounts = [...world.accounts.values()].map((account) => describeAccount(account, profiles));
  const { seed, clock, retiredKeys } = world;
  const now = clock.now();
  return { seed, now, profiles: profiles.profiles, profile, accounts, retiredKeys: [...retiredKeys] };
}

function describeAccount(account: Account, profiles: ProfileList): AccountState {
  const { test, live } = account.books;
  return {
    ...account,
    keys: { ...account.keys },
    books: { test: describeBooks(test, profiles), live: describeBooks(live, profiles) },
  };
}

function describeBooks(books: Books, profiles: ProfileList): BooksState {
  return {
    profile: profiles.placeOf(books.profile),
    wallets: [...(books.ledger.get('wallet') ?? new Map<Currency, bigint>()).keys()],
    payments: Array.from(books.payments.values(), (payment) =>
      encodePayment(payment, profiles.placeOf(payment.terms)),
    ),
    transactions: books.transactions.map(encodeTransaction),
    idempotency: Array.from(books.idempotency.values(), (record) => ({ ...record })),
    deliveries: [...books.deliveries.values()],
    endpoint: books.endpoint,
    secretsIssued: books.secretsIssued,
  };
}
