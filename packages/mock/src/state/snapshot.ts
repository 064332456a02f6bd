import type { Delivery } from '../domain/delivery.ts';
import type { Terms } from '../domain/profile.ts';
import type { Instant } from '../domain/json.ts';
import type { Currency, Mode } from '@service/contract';
import { createTurns } from '@service/internal';
import type { Account } from './account.ts';
import type { Endpoint, IdempotencyRecord } from './account-state.ts';
import type { ClockMode } from './clock.ts';
import type { EncodedPayment, EncodedTransaction } from './codec.ts';
import { createHexDigest, deriveHex } from './ids.ts';
import type { IssuedIds } from './open-accounts.ts';
import type { State } from './state.ts';
import {
  createOneAccountCopy,
  createStateCopy,
  encodeState,
  type OneAccountHead,
  type StateCopy,
  withoutOthers,
} from './state-copy.ts';
import { joinInTurns, writeState } from './state-text.ts';

/**
 * The state of a sandbox as JSON. It contains the API keys and signing secrets of the sandbox's own accounts.
 */
export interface Snapshot {
  /** `'service-sandbox-account'` if the state is that of one account. */
  readonly format: 'service-sandbox' | 'service-sandbox-account';
  /** The version of the format. `restore` also reads earlier versions. */
  readonly version: 2;
  /** Checksum of the state; detects damage and manual edits. */
  readonly checksum: string;
  /** The content. Do not edit it: `restore` compares the checksum. */
  readonly state: StateSnapshot;
  /** Shows a control API that it has returned this snapshot of one account, so that its API key can restore it. */
  readonly signature?: string;
}

/** The state of a sandbox. Ledger balances follow from the payments and transactions and are not stored. */
export interface StateSnapshot {
  /** Empty in the snapshot of one account: the seed derives the ids and keys of all accounts. */
  readonly seed: string;
  /** Sandbox time, in milliseconds since 1970. */
  readonly now: Instant;
  /** The distinct profiles of all accounts and payments. */
  readonly profiles: readonly Terms[];
  /** The index of the default profile in `profiles`. */
  readonly profile: number;
  /** The accounts, oldest first. */
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
  /** The payments, wallets and webhooks of each mode. */
  readonly modes: Readonly<Record<Mode, ModeSnapshot>>;
}

/** The state of one account in one mode in a snapshot. */
export interface ModeSnapshot {
  /** The index of its profile in `profiles`. */
  readonly profile: number;
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
  /** The webhook endpoint with its signing secret, or null. */
  readonly endpoint: Endpoint | null;
  /** The number of signing secrets issued so far, so that each derived one is new. */
  readonly secretsIssued: number;
  /** The numbers of payments, transactions and deliveries of removed accounts with the same id. */
  readonly issuedBefore?: readonly number[];
}

/** The purpose and the number of the digits of a checksum. */
const CHECKSUM = ['checksum', 32] as const;

/** Creates a snapshot of an encoded state. Reads the state, and computes its checksum, only when they are read. */
export function toSnapshot(read: () => StateSnapshot): Snapshot {
  return {
    format: 'service-sandbox',
    version: 2,
    get checksum() {
      return computeChecksum(read());
    },
    get state() {
      return read();
    },
  };
}

/** Creates a snapshot of the state, or of one account. */
export function takeSnapshot(state: State, account?: Account): Snapshot {
  const copy = account === undefined ? createStateCopy(state) : createOneAccountCopy(account, toHead(state));
  const encoded = encodeState(copy);
  const format = account === undefined ? 'service-sandbox' : 'service-sandbox-account';
  return { ...toSnapshot(() => encoded), format };
}

function toHead({ clock, profile }: State): OneAccountHead {
  return { now: clock.now(), profile };
}

/** Creates a snapshot of the state that is encoded only when it is read. It shares objects with the state. */
export function createBaseline(state: State): Snapshot {
  const copy = createStateCopy(state);
  return toSnapshot(() => encodeState(copy));
}

/**
 * Copies the state and returns the text of its snapshot, which is written during the iteration. Later changes of the state
 * do not affect it.
 */
export function streamSnapshot(state: State): AsyncIterable<string> {
  const takeTurn = createTurns();
  return joinInTurns(writeSnapshot(createStateCopy(state)), takeTurn);
}

function* writeSnapshot(copy: StateCopy): Generator<string> {
  const checksum = createHexDigest(...CHECKSUM);
  yield '{"format":"service-sandbox","version":2,"state":';
  for (const part of writeState(copy)) {
    checksum.add(part);
    yield part;
  }
  yield `,"checksum":"${checksum.read()}"}`;
}

/** Returns the state of one account in the state of a sandbox. Undefined if the account is not in it. */
export function selectAccount(encoded: StateSnapshot, id: string): StateSnapshot | undefined {
  const account = encoded.accounts.find((each) => each.id === id);
  return account && { ...encoded, ...withoutOthers, accounts: [account] };
}

/** Computes the checksum of a state. */
export function computeChecksum(state: unknown): string {
  return deriveHex(JSON.stringify(state), ...CHECKSUM);
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
  const omitted = isStill ? ['deliveries'] : ['deliveries', 'now'];
  // The default profile of the sandbox is not part of the state of an account.
  const copy =
    account === undefined
      ? createStateCopy(state)
      : createOneAccountCopy(account, { now: 0, profile: account.byMode.test.profile });
  const encoder = new TextEncoder();
  let digest = new Uint8Array();
  // `crypto.subtle` takes no data in parts: the digest of each block includes that of the previous one.
  const takeTurn = createTurns();
  const parts = writeState(copy, omitted);
  for await (const block of joinInTurns(parts, takeTurn)) {
    const bytes = encoder.encode(block);
    const data = new Uint8Array(digest.length + bytes.length);
    data.set(digest);
    data.set(bytes, digest.length);
    digest = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
  }
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
