import type { Currency } from '@service/contract';
import type { Minor } from './money.ts';
import type { Payment } from './payment.ts';
import { debitAmount } from './quote.ts';
import type { Instant } from './timestamp.ts';

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
export type EntryKind = 'deposit' | 'adjustment' | 'payment' | 'completion' | 'refund' | 'return';

/** A ledger entry. Its postings add up to 0 in every currency. */
export interface Entry {
  readonly kind: EntryKind;
  readonly at: Instant;
  readonly payment_id: string | null;
  readonly postings: readonly Posting[];
}

/** Creates the entry of a deposit. */
export function depositEntry(currency: Currency, amount: Minor, at: Instant): Entry {
  return {
    kind: 'deposit',
    at,
    payment_id: null,
    postings: transfer('funding', 'wallet', { currency, amount }),
  };
}

/** Creates the entry of an adjustment. A negative amount reduces the balance. */
export function adjustmentEntry(currency: Currency, amount: Minor, at: Instant): Entry {
  const postings = transfer('adjustments', 'wallet', { currency, amount });
  return { kind: 'adjustment', at, payment_id: null, postings };
}

/** Creates the entry of a payment debit: from the wallet to `in_flight`. */
export function debitEntry(payment: Payment, at: Instant): Entry {
  return {
    kind: 'payment',
    at,
    payment_id: payment.id,
    postings: transfer('wallet', 'in_flight', toDebit(payment)),
  };
}

/** Creates the entry of a refund. The terms decide how much of the debit returns to the wallet. */
export function refundEntry(payment: Payment, at: Instant): Entry {
  return { kind: 'refund', at, payment_id: payment.id, postings: refundPostings(payment) };
}

/** Creates the entry of a completion: fee, exchange and payout. */
export function completionEntry(payment: Payment, at: Instant): Entry {
  return { kind: 'completion', at, payment_id: payment.id, postings: completionPostings(payment) };
}

/** Creates the entry of a bank return: reverses the completion and refunds the debit. */
export function returnEntry(payment: Payment, at: Instant): Entry {
  const reversed = completionPostings(payment).map((posting) => ({ ...posting, amount: -posting.amount }));
  return { kind: 'return', at, payment_id: payment.id, postings: [...reversed, ...refundPostings(payment)] };
}

/** Returns the wallet posting of an entry, or undefined without one. */
export function walletPosting(entry: Entry): Posting | undefined {
  return entry.postings.find((posting) => posting.account === 'wallet');
}

interface CurrencyAmount {
  readonly currency: Currency;
  readonly amount: Minor;
}

function toDebit(payment: Payment): CurrencyAmount {
  return { currency: payment.from_currency, amount: debitAmount(payment, payment.terms) };
}

/** Refunds a debit as far as the terms allow. The rest is posted as a fee. */
function refundPostings(payment: Payment): Posting[] {
  const { currency, amount } = toDebit(payment);
  const keeps = { full: 0n, lessFee: payment.fee, none: amount };
  const kept = keeps[payment.terms.refund];
  return [
    ...transfer('in_flight', 'wallet', { currency, amount: amount - kept }),
    ...transfer('in_flight', 'fees', { currency, amount: kept }),
  ];
}

function transfer(from: LedgerAccount, to: LedgerAccount, { currency, amount }: CurrencyAmount): Posting[] {
  if (amount === 0n) return [];
  return [
    { account: from, currency, amount: -amount },
    { account: to, currency, amount },
  ];
}

function completionPostings(payment: Payment): Posting[] {
  const { currency, amount } = toDebit(payment);
  const { to_currency, fee, receive_amount } = payment;
  return [
    ...transfer('in_flight', 'fees', { currency, amount: fee }),
    ...transfer('in_flight', 'fx', { currency, amount: amount - fee }),
    ...transfer('fx', 'paid_out', { currency: to_currency, amount: receive_amount }),
  ];
}
