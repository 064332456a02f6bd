import type { Currency } from '@service/contract';
import type { Minor } from './money.ts';
import type { Payment } from './payment.ts';
import { debitAmount } from './quote.ts';
import type { Instant } from './timestamp.ts';

/** Lists the accounts of the double-entry ledger (contract.md 3). */
export const ledgerAccounts = [
  'wallet',
  'in_flight',
  'fees',
  'fx',
  'paid_out',
  'funding',
  'adjustments',
] as const;

/** Names an account of the ledger. */
export type LedgerAccount = (typeof ledgerAccounts)[number];

/** Moves an amount in one currency on one account of the ledger. */
export interface Posting {
  readonly account: LedgerAccount;
  readonly currency: Currency;
  readonly amount: Minor;
}

/** Names what an entry books. */
export type EntryKind = 'deposit' | 'adjustment' | 'payment' | 'completion' | 'refund' | 'return';

/** Books one happening: postings that sum to 0 in every currency. */
export interface Entry {
  readonly kind: EntryKind;
  readonly at: Instant;
  readonly payment_id: string | null;
  readonly postings: readonly Posting[];
}

/** Books money that comes in from outside. */
export function depositEntry(currency: Currency, amount: Minor, at: Instant): Entry {
  return {
    kind: 'deposit',
    at,
    payment_id: null,
    postings: transfer('funding', 'wallet', { currency, amount }),
  };
}

/** Books a correction of a wallet; a negative amount takes money out. */
export function adjustmentEntry(currency: Currency, amount: Minor, at: Instant): Entry {
  const postings = transfer('adjustments', 'wallet', { currency, amount });
  return { kind: 'adjustment', at, payment_id: null, postings };
}

/** Books the debit of a payment: the money leaves the wallet and is in flight. */
export function debitEntry(payment: Payment, at: Instant): Entry {
  return {
    kind: 'payment',
    at,
    payment_id: payment.id,
    postings: transfer('wallet', 'in_flight', toDebit(payment)),
  };
}

/** Books the refund of a payment that failed on its way: all of the debit, fee included, unless the terms keep some. */
export function refundEntry(payment: Payment, at: Instant): Entry {
  return { kind: 'refund', at, payment_id: payment.id, postings: refundPostings(payment) };
}

/** Books a completed payment: the fee is earned, the rest exchanged and paid out. */
export function completionEntry(payment: Payment, at: Instant): Entry {
  return { kind: 'completion', at, payment_id: payment.id, postings: completionPostings(payment) };
}

/** Books the return of a completed payment: the completion reversed, then the same as a refund. */
export function returnEntry(payment: Payment, at: Instant): Entry {
  const reversed = completionPostings(payment).map((posting) => ({ ...posting, amount: -posting.amount }));
  return { kind: 'return', at, payment_id: payment.id, postings: [...reversed, ...refundPostings(payment)] };
}

/** Returns what an entry moves on the wallet, or undefined when it leaves every wallet alone. */
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

/** Gives a debit back as far as the terms say; what they keep is earned as a fee. */
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
