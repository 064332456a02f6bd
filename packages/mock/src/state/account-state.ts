import type { Currency, Mode } from '@service/contract';
import type { Change } from '../domain/decision.ts';
import type { Delivery } from '../domain/delivery.ts';
import {
  type Entry,
  type LedgerAccount,
  type Posting,
  reservedBy,
  type Transaction,
} from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Payment } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import type { Instant } from '../domain/json.ts';
import { categoryOf, type RowIndex } from './row-index.ts';

/** The webhook endpoint of an account and mode. */
export interface Endpoint {
  /** The URL that receives events; `collect:` for collected events. */
  readonly url: string;
  /** The signing secret. */
  readonly secret: string;
}

/** An idempotency key and the payment of its first request. */
export interface IdempotencyRecord {
  /** The `Idempotency-Key` header of the request. */
  readonly key: string;
  /** The hash of the request body. A repeated request must have the same one. */
  readonly fingerprint: string;
  /** Sandbox time of the first request, in milliseconds since 1970. */
  readonly reserved_at: Instant;
  /** End of replays, 24 hours later, in milliseconds since 1970. */
  readonly expires_at: Instant;
  /** The payment of the first request. */
  readonly payment_id: string;
}

/** The time for which a key is remembered, in milliseconds (docs/contract.md#idempotency-keys). */
export const KEY_LIFETIME: number = 24 * 3_600_000;

/** All state of one account in one mode. */
export class AccountState {
  /** The id of the account. */
  readonly account: string;
  readonly mode: Mode;
  /** The seed of derived ids: sandbox seed, account name and mode. */
  readonly source: string;
  profile: Profile;
  readonly ledger: Map<LedgerAccount, Map<Currency, Minor>> = new Map();
  /** The pending debits of payments, by currency. */
  readonly reserved: Map<Currency, Minor> = new Map();
  /** Ledger entries and events of a payment follow from the payment. */
  readonly payments: Map<string, Payment> = new Map();
  /** In commit order, which is also the order of times and ids. */
  readonly transactions: Transaction[] = [];
  readonly idempotency: Map<string, IdempotencyRecord> = new Map();
  /**
   * The keys whose first request is still running. Snapshots omit them: a request does not outlive its
   * process.
   */
  readonly running: Set<string> = new Set();
  /** The reordered deliveries by payment, which wait for its next event. */
  readonly held: Map<string, readonly string[]> = new Map();
  /** The deliveries by id. Events without an endpoint have none. */
  readonly deliveries: Map<string, Delivery> = new Map();
  /** The index of `transactions`, from the first read of the list on. */
  rowIndex: RowIndex | undefined;
  endpoint: Endpoint | null = null;
  /** True after a restore or reset has replaced this state. It must not change any more. */
  isReplaced = false;
  /** The number of signing secrets issued so far. It makes each derived secret unique. */
  secretsIssued = 0;

  constructor(account: string, mode: Mode, source: string, profile: Profile) {
    this.account = account;
    this.mode = mode;
    this.source = source;
    this.profile = profile;
  }
}

/** An account: two keys and the state of each mode. */
export interface Account {
  /** The id (`acct_…`). */
  readonly id: string;
  /** The unique name from `accounts.create` or the seed. */
  readonly name: string;
  readonly byMode: Readonly<Record<Mode, AccountState>>;
  /** The current API key of each mode. */
  readonly keys: Record<Mode, string>;
  /** The number of keys issued so far. It makes each derived key unique. */
  keysIssued: number;
  /** Whether every request of the account responds 403. */
  suspended: boolean;
}

/** Creates the empty state of both modes of an account. */
export function createStateByMode(
  { id, name }: { readonly id: string; readonly name: string },
  seed: string,
  profile: Profile,
): Record<Mode, AccountState> {
  const create = (mode: Mode): AccountState =>
    new AccountState(id, mode, `${seed}\n${name}\n${mode}`, profile);
  return { test: create('test'), live: create('live') };
}

/** Returns the balance of a ledger account, or 0 without postings. */
export function balanceOf(accountState: AccountState, account: LedgerAccount, currency: Currency): Minor {
  return accountState.ledger.get(account)?.get(currency) ?? 0n;
}

/** Returns the balance of a wallet minus the pending debits of payments. */
export function availableOf(accountState: AccountState, currency: Currency): Minor {
  return balanceOf(accountState, 'wallet', currency) - (accountState.reserved.get(currency) ?? 0n);
}

/** Applies a change as a whole. Throws before the first change if it would violate a ledger invariant. */
export function applyChange(accountState: AccountState, change: Change, record?: IdempotencyRecord): void {
  const { payment, opens, entries = [] } = change;
  for (const entry of entries) checkEntry(accountState, entry);
  if (opens !== undefined) applyPosting(accountState, { account: 'wallet', currency: opens, amount: 0n });
  for (const entry of entries) applyEntry(accountState, entry);
  if (record !== undefined) rememberKey(accountState.idempotency, record);
  if (payment !== undefined) storePayment(accountState, payment);
}

/** Remembers a key, and forgets the expired ones, which come first. */
export function rememberKey(keys: Map<string, IdempotencyRecord>, record: IdempotencyRecord): void {
  for (const [key, { expires_at }] of keys) {
    if (expires_at > record.reserved_at) break;
    keys.delete(key);
  }
  keys.set(record.key, record);
}

/** Stores a new or changed payment and updates the reserved amount. */
export function storePayment(accountState: AccountState, payment: Payment): void {
  const { payments, reserved, rowIndex } = accountState;
  const before = payments.get(payment.id);
  if (before !== undefined && before.debit_row !== null)
    rowIndex?.move(
      before.debit_row,
      categoryOf('payment', before.status),
      categoryOf('payment', payment.status),
    );
  // Debited at its create, a payment reserves nothing.
  if (payment.terms.debitAt.status !== 'create') {
    const change = reservedBy(payment) - (before === undefined ? 0n : reservedBy(before));
    const { from_currency: currency } = payment;
    if (change !== 0n) reserved.set(currency, (reserved.get(currency) ?? 0n) + change);
  }
  payments.set(payment.id, payment);
}

function applyEntry(accountState: AccountState, entry: Entry): void {
  for (const posting of entry.postings) applyPosting(accountState, posting);
  const { type, wallet, payment_id, at: created_at } = entry;
  if (wallet === null || type === undefined) return;
  const { currency, amount } = wallet;
  const balance_after = balanceOf(accountState, 'wallet', currency);
  accountState.transactions.push({ type, currency, amount, balance_after, payment_id, created_at });
}

/** Adds an amount to a ledger account. */
export function applyPosting(accountState: AccountState, { account, currency, amount }: Posting): void {
  const balances = accountState.ledger.get(account) ?? new Map<Currency, Minor>();
  accountState.ledger.set(account, balances.set(currency, (balances.get(currency) ?? 0n) + amount));
}

/** Checks the ledger invariants: the entry is balanced, and the wallet does not become negative. */
function checkEntry(accountState: AccountState, { kind, postings, wallet }: Entry): void {
  for (const { currency } of postings) {
    let sum = 0n;
    for (const posting of postings) if (posting.currency === currency) sum += posting.amount;
    if (sum !== 0n) throw new Error(`unbalanced entry: ${kind}`);
  }
  if (wallet !== null && balanceOf(accountState, 'wallet', wallet.currency) + wallet.amount < 0n)
    throw new Error(`overdrawn wallet: ${kind}`);
}
