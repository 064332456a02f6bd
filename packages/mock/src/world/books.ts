import type { Binding, Change } from '../domain/change.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { PaymentEvent } from '../domain/event.ts';
import { type Entry, type LedgerAccount, type Posting, walletPosting } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import type { Payment } from '../domain/payment.ts';
import { recordTransaction, type Transaction } from '../domain/transaction.ts';
import type { Currency, Mode } from '@service/contract';
import { deriveText, toSortable } from './ids.ts';

/** Remembers what an idempotency key is bound to, and how its first call was answered. */
export interface IdempotencyRecord extends Binding {
  /** The body of the first answer; null while the first call is still running. */
  answer: string | null;
}

/** Says where events of one account and mode go, and what signs them. */
export interface Endpoint {
  readonly url: string;
  readonly secret: string;
}

/** Holds one mode of one account: a world of its own. */
export interface Books {
  readonly mode: Mode;
  /** Names the books in the derivation of ids: seed, account name and mode. */
  readonly source: string;
  readonly ledger: Map<LedgerAccount, Map<Currency, Minor>>;
  readonly entries: Entry[];
  readonly payments: Map<string, Payment>;
  /** In the order of commits, which is the order of time and of ids. */
  readonly transactions: Transaction[];
  readonly events: PaymentEvent[];
  readonly idempotency: Map<string, IdempotencyRecord>;
  /** What became of each event that was for an endpoint, by delivery id. */
  readonly deliveries: Map<string, Delivery>;
  endpoint: Endpoint | null;
  /** Counts the signing secrets that were ever issued, so that each one differs from all before it. */
  secretsIssued: number;
}

/** Opens empty books. */
export function openBooks(mode: Mode, source: string): Books {
  return {
    mode,
    source,
    ledger: new Map(),
    entries: [],
    payments: new Map(),
    transactions: [],
    events: [],
    idempotency: new Map(),
    deliveries: new Map(),
    endpoint: null,
    secretsIssued: 0,
  };
}

/** Returns the balance of a ledger account, 0 where nothing was ever booked. */
export function balanceOf(books: Books, account: LedgerAccount, currency: Currency): Minor {
  return books.ledger.get(account)?.get(currency) ?? 0n;
}

/** Draws the id of the next payment; it stays the same until a payment with it is committed. */
export function nextPaymentId(books: Books): string {
  return drawId(books, 'pay', books.payments.size + 1);
}

/** Draws the id of the next delivery; it stays the same until a delivery with it is entered. */
export function nextDeliveryId(books: Books): string {
  return drawId(books, 'dlv', books.deliveries.size + 1);
}

/** Commits a change as a whole; throws before anything is changed when it would break the ledger. */
export function commit(books: Books, change: Change): void {
  const { payment, binding, opens, entries = [], events = [] } = change;
  checkEntries(books, entries);
  if (opens !== undefined) post(books, { account: 'wallet', currency: opens, amount: 0n });
  if (payment !== undefined) books.payments.set(payment.id, payment);
  if (binding !== undefined) books.idempotency.set(binding.key, { ...binding, answer: null });
  for (const entry of entries) commitEntry(books, entry);
  books.events.push(...events);
}

function commitEntry(books: Books, entry: Entry): void {
  const transaction = recordTransaction(entry, () => ({
    id: drawId(books, 'txn', books.transactions.length + 1),
    balanceBefore: walletBalance(books, entry),
  }));
  if (transaction !== undefined) books.transactions.push(transaction);
  for (const posting of entry.postings) post(books, posting);
  books.entries.push(entry);
}

function walletBalance(books: Books, entry: Entry): Minor {
  const posting = walletPosting(entry);
  return posting === undefined ? 0n : balanceOf(books, 'wallet', posting.currency);
}

function post(books: Books, { account, currency, amount }: Posting): void {
  const balances = books.ledger.get(account) ?? new Map<Currency, Minor>();
  books.ledger.set(account, balances.set(currency, (balances.get(currency) ?? 0n) + amount));
}

/** Guards the invariants that no bug above may break: entries balance, and no wallet falls below zero. */
function checkEntries(books: Books, entries: readonly Entry[]): void {
  for (const entry of entries) {
    const sums = new Map<Currency, Minor>();
    for (const { currency, amount } of entry.postings)
      sums.set(currency, (sums.get(currency) ?? 0n) + amount);
    if ([...sums.values()].some((sum) => sum !== 0n)) throw new Error(`unbalanced entry: ${entry.kind}`);
    const moved = walletPosting(entry);
    if (moved !== undefined && walletBalance(books, entry) + moved.amount < 0n) {
      throw new Error(`overdrawn wallet: ${entry.kind}`);
    }
  }
}

function drawId(books: Books, kind: 'pay' | 'txn' | 'dlv', count: number): string {
  const tail = deriveText(books.source, `${kind} ${count}`, 18);
  return `${kind}_${books.mode}_${toSortable(count, 6)}${tail}`;
}
