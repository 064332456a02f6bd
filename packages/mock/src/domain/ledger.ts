import type { Currency, TransactionType } from '@service/contract';
import type { Instant } from './json.ts';
import type { Minor } from './money.ts';
import { isOpen, type Payment } from './payment.ts';
import type { Terms } from './profile.ts';

/** The accounts of the double-entry ledger. */
export const ledgerAccounts = [
  'wallet',
  'in_flight',
  'fees',
  'fx',
  'paid_out',
  'funding',
  'adjustments',
] as const;

/** An account of the ledger. */
export type LedgerAccount = (typeof ledgerAccounts)[number];

/** An amount that is added to one ledger account. Negative amounts are debits. */
export interface Posting {
  readonly account: LedgerAccount;
  readonly currency: Currency;
  readonly amount: Minor;
}

/** The kind of a ledger entry. */
type EntryKind = 'deposit' | 'adjustment' | 'payment' | 'completion' | 'refund' | 'return';

/** A ledger entry. Its postings add up to 0 in every currency. */
export interface Entry {
  readonly kind: EntryKind;
  readonly at: Instant;
  readonly payment_id: string | null;
  readonly postings: readonly Posting[];
  /** The one of its postings that changes a wallet, or null. */
  readonly wallet: Posting | null;
  /** The type of its transaction. Undefined for a completion, which does not change a wallet. */
  readonly type: TransactionType | undefined;
}

/**
 * Returns the ledger entries of a payment in order. They follow from its status history and terms; a
 * transition only appends to them (docs/contract.md#payments).
 */
export function paymentEntries(payment: Payment): readonly Entry[] {
  const { completed, failed } = payment.history;
  const { failed: refund, returned } = payment.terms.refund;
  const debited = debitedAt(payment);
  if (debited === undefined) return [];
  const create = (kind: EntryKind, at: Instant, postings: readonly Posting[]): Entry =>
    createEntry(kind, at, postings, payment.id);
  const entries = [
    create('payment', debited, transfer('wallet', 'in_flight', payment.from_currency, payment.debit)),
  ];
  if (completed !== undefined) entries.push(create('completion', completed, completionPostings(payment)));
  if (failed === undefined) return entries;
  if (completed === undefined) entries.push(create('refund', failed, refundPostings(payment, refund)));
  else {
    const reversed = completionPostings(payment).map((posting) => ({ ...posting, amount: -posting.amount }));
    const refunded = refundPostings(payment, returned === 'same' ? refund : returned);
    entries.push(create('return', failed, [...reversed, ...refunded]));
  }
  return entries;
}

/** Returns the time of the debit, or undefined before it. The terms decide which status debits the wallet. */
function debitedAt({ history, terms }: Payment): Instant | undefined {
  const { status } = terms.debitAt;
  if (status === 'create') return history.pending;
  return status === 'processing' ? (history.processing ?? history.completed) : history.completed;
}

/** Returns the amount that a payment reserves: its debit before it is posted, else 0. */
export function reservedBy(payment: Payment): Minor {
  if (payment.terms.debitAt.hold === 'none') return 0n;
  const isToCome = debitedAt(payment) === undefined && isOpen(payment);
  return isToCome ? payment.debit : 0n;
}

/** Creates the entry of a deposit. */
export function depositEntry(currency: Currency, amount: Minor, at: Instant): Entry {
  return createEntry('deposit', at, transfer('funding', 'wallet', currency, amount));
}

/** Creates the entry of an adjustment. A negative amount reduces the balance. */
export function adjustmentEntry(currency: Currency, amount: Minor, at: Instant): Entry {
  return createEntry('adjustment', at, transfer('adjustments', 'wallet', currency, amount));
}

function createEntry(
  kind: EntryKind,
  at: Instant,
  postings: readonly Posting[],
  payment_id: string | null = null,
): Entry {
  const wallet = postings.find(({ account }) => account === 'wallet') ?? null;
  return { kind, at, payment_id, postings, wallet, type: transactionTypeOf[kind] };
}

/** Refunds a debit. The rest is posted as a fee. */
function refundPostings(payment: Payment, refund: Terms['refund']['failed']): Posting[] {
  const { from_currency: currency, debit: amount } = payment;
  const keeps = { full: 0n, lessFee: payment.fee, none: amount };
  const kept = keeps[refund];
  return [
    ...transfer('in_flight', 'wallet', currency, amount - kept),
    ...transfer('in_flight', 'fees', currency, kept),
  ];
}

function transfer(from: LedgerAccount, to: LedgerAccount, currency: Currency, amount: Minor): Posting[] {
  if (amount === 0n) return [];
  return [
    { account: from, currency, amount: -amount },
    { account: to, currency, amount },
  ];
}

function completionPostings(payment: Payment): Posting[] {
  const { from_currency, debit, to_currency, fee, receive_amount } = payment;
  return [
    ...transfer('in_flight', 'fees', from_currency, fee),
    ...transfer('in_flight', 'fx', from_currency, debit - fee),
    ...transfer('fx', 'paid_out', to_currency, receive_amount),
  ];
}

/** One change of a wallet balance. */
export interface Transaction {
  /** The reason for the change, such as `'payment'` or `'refund'`. */
  readonly type: TransactionType;
  /** The ISO 4217 code of the wallet. */
  readonly currency: Currency;
  /** Negative for a debit. */
  readonly amount: Minor;
  /** The balance of the wallet after the change, in minor units. */
  readonly balance_after: Minor;
  /** The id of the payment that caused the change, or null for a deposit or an adjustment. */
  readonly payment_id: string | null;
  /** Sandbox time of the change, in milliseconds since 1970. */
  readonly created_at: Instant;
}

/** The transaction type of each kind of entry. A completion does not change a wallet. */
const transactionTypeOf = {
  deposit: 'deposit',
  adjustment: 'adjustment',
  payment: 'payment',
  completion: undefined,
  refund: 'refund',
  return: 'refund',
} as const satisfies Record<EntryKind, TransactionType | undefined>;
