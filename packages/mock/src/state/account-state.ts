import type { KeyReservation, Change } from '../domain/change.ts';
import type { Delivery } from '../domain/delivery.ts';
import { reservedBy } from '../domain/payment-entries.ts';
import { type Entry, type LedgerAccount, type Posting, walletPosting } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Payment } from '../domain/payment.ts';
import { defaultProfile, type Profile } from '../domain/profile.ts';
import { recordTransaction, type Transaction } from '../domain/transaction.ts';
import type { Currency, Mode } from '@service/contract';
import { deriveText, toSortable } from './ids.ts';
import { kindOf, rowKinds } from './row-kind.ts';
import { createRowIndex, type RowIndex } from './row-index.ts';

/** Remembers what an idempotency key is bound to, and how its first call was answered. */
export interface IdempotencyRecord extends KeyReservation {
  /** The body of the first answer, set in the step that makes the payment. */
  response: string;
}

/** Says where events of one account and mode go, and what signs them. */
export interface Endpoint {
  readonly url: string;
  readonly secret: string;
}

/** Holds one mode of one account: a world of its own. */
export interface AccountState {
  readonly mode: Mode;
  /** Names the books in the derivation of ids: seed, account name and mode. */
  readonly source: string;
  readonly ledger: Map<LedgerAccount, Map<Currency, Minor>>;
  /** What payments that are not debited yet will take from each wallet. */
  readonly reserved: Map<Currency, Minor>;
  /** What the ledger booked for each, and its events, follow from the payment itself. */
  readonly payments: Map<string, Payment>;
  /** In the order of commits, which is the order of time and of ids. */
  readonly transactions: Transaction[];
  /** Knows the type and status of each row of `transactions`. */
  readonly rowIndex: RowIndex;
  readonly idempotency: Map<string, IdempotencyRecord>;
  /** The keys whose first call is still running; a call does not outlive its process, so no snapshot has them. */
  readonly running: Set<string>;
  /** What became of each event that was for an endpoint, by delivery id. */
  readonly deliveries: Map<string, Delivery>;
  endpoint: Endpoint | null;
  profile: Profile;
  /** Set once a restore or reset has put other books in their place: nothing may change in these any more. */
  isReplaced: boolean;
  /** Counts the signing secrets that were ever issued, so that each one differs from all before it. */
  secretsIssued: number;
}

/** Opens empty books. */
export function createAccountState(
  mode: Mode,
  source: string,
  profile: Profile = defaultProfile,
): AccountState {
  return {
    mode,
    source,
    profile,
    isReplaced: false,
    ledger: new Map(),
    reserved: new Map(),
    payments: new Map(),
    transactions: [],
    rowIndex: createRowIndex(rowKinds),
    idempotency: new Map(),
    running: new Set(),
    deliveries: new Map(),
    endpoint: null,
    secretsIssued: 0,
  };
}

/** Returns the balance of a ledger account, 0 where nothing was ever booked. */
export function balanceOf(accountState: AccountState, account: LedgerAccount, currency: Currency): Minor {
  return accountState.ledger.get(account)?.get(currency) ?? 0n;
}

/** Returns the balance of a wallet less what payments that are not debited yet will take from it. */
export function availableOf(accountState: AccountState, currency: Currency): Minor {
  return balanceOf(accountState, 'wallet', currency) - (accountState.reserved.get(currency) ?? 0n);
}

/** Draws the id of the next payment; it stays the same until a payment with it is committed. */
export function nextPaymentId(accountState: AccountState): string {
  return drawId(accountState, 'pay', accountState.payments.size + 1);
}

/** Draws the id of the next delivery; it stays the same until a delivery with it is entered. */
export function nextDeliveryId(accountState: AccountState): string {
  return drawId(accountState, 'dlv', accountState.deliveries.size + 1);
}

/** Derives the id of a row of the transaction history from its place, counted from 0. */
export function transactionId(accountState: AccountState, row: number): string {
  return drawId(accountState, 'txn', row + 1);
}

/** Commits a change as a whole; throws before anything is changed when it would break the ledger. */
export function commit(accountState: AccountState, change: Change): void {
  const { payment, reservation, opens, entries = [] } = change;
  checkEntries(accountState, entries);
  if (opens !== undefined) applyPosting(accountState, { account: 'wallet', currency: opens, amount: 0n });
  if (reservation !== undefined) saveReservation(accountState, reservation);
  for (const entry of entries) commitEntry(accountState, entry, payment);
  if (payment !== undefined) commitPayment(accountState, payment);
}

/** Remembers a binding, and forgets those whose time is over: the oldest come first. */
function saveReservation({ idempotency }: AccountState, reservation: KeyReservation): void {
  for (const [key, { expires_at }] of idempotency) {
    if (expires_at > reservation.reserved_at) break;
    idempotency.delete(key);
  }
  idempotency.set(reservation.key, { ...reservation, response: '' });
}

function commitEntry(accountState: AccountState, entry: Entry, payment: Payment | undefined): void {
  const transaction = recordTransaction(entry, walletBalance(accountState, entry));
  if (transaction !== undefined) {
    const status = transaction.type === 'payment' ? payment?.status : undefined;
    accountState.transactions.push(transaction);
    accountState.rowIndex.add(kindOf(transaction.type, status ?? 'completed'));
  }
  for (const posting of entry.postings) applyPosting(accountState, posting);
}

function commitPayment(accountState: AccountState, payment: Payment): void {
  const isNew = !accountState.payments.has(payment.id);
  storePayment(accountState, payment);
  if (!isNew && payment.debit_row !== null)
    accountState.rowIndex.change(payment.debit_row, kindOf('payment', payment.status));
}

/** Enters a payment, new or moved, and what it reserves. */
export function storePayment(accountState: AccountState, payment: Payment): void {
  const before = accountState.payments.get(payment.id);
  accountState.payments.set(payment.id, payment);
  const change = reservedBy(payment) - (before === undefined ? 0n : reservedBy(before));
  const { from_currency: currency } = payment;
  if (change !== 0n)
    accountState.reserved.set(currency, (accountState.reserved.get(currency) ?? 0n) + change);
}

function walletBalance(accountState: AccountState, entry: Entry): Minor {
  const posting = walletPosting(entry);
  return posting === undefined ? 0n : balanceOf(accountState, 'wallet', posting.currency);
}

/** Posts an amount to an account of the ledger. */
export function applyPosting(accountState: AccountState, { account, currency, amount }: Posting): void {
  const balances = accountState.ledger.get(account) ?? new Map<Currency, Minor>();
  accountState.ledger.set(account, balances.set(currency, (balances.get(currency) ?? 0n) + amount));
}

/** Guards the invariants that no bug above may break: entries balance, and no wallet falls below zero. */
function checkEntries(accountState: AccountState, entries: readonly Entry[]): void {
  for (const entry of entries) {
    const sums = new Map<Currency, Minor>();
    for (const { currency, amount } of entry.postings)
      sums.set(currency, (sums.get(currency) ?? 0n) + amount);
    if ([...sums.values()].some((sum) => sum !== 0n)) throw new Error(`unbalanced entry: ${entry.kind}`);
    const moved = walletPosting(entry);
    if (moved !== undefined && walletBalance(accountState, entry) + moved.amount < 0n) {
      throw new Error(`overdrawn wallet: ${entry.kind}`);
    }
  }
}

function drawId(accountState: AccountState, kind: 'pay' | 'txn' | 'dlv', count: number): string {
  const tail = deriveText(accountState.source, `${kind} ${count}`, 18);
  return `${kind}_${accountState.mode}_${toSortable(count, 6)}${tail}`;
}
