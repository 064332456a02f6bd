import { completionEntry, debitEntry, refundEntry, returnEntry, type Entry } from './ledger.ts';
import type { Minor } from './money.ts';
import type { Payment } from './payment.ts';
import { debitAmount } from './quote.ts';
import { isOpen } from './status.ts';
import type { Instant } from './timestamp.ts';

/**
 * Lists what the ledger booked for a payment, first to last (contract.md 3). It follows from the payment's history and terms
 * alone; a move adds to the end.
 */
export function paymentEntries(payment: Payment): readonly Entry[] {
  const { completed, failed } = payment.history;
  const debited = debitedAt(payment);
  if (debited === undefined) return [];
  const entries = [debitEntry(payment, debited)];
  if (completed !== undefined) entries.push(completionEntry(payment, completed));
  if (failed === undefined) return entries;
  entries.push(completed === undefined ? refundEntry(payment, failed) : returnEntry(payment, failed));
  return entries;
}

/** Tells when the wallet was debited: at the first status from which the terms ask for it, or undefined. */
function debitedAt({ history, terms }: Payment): Instant | undefined {
  if (terms.debitAt === 'create') return history.pending;
  return terms.debitAt === 'processing' ? (history.processing ?? history.completed) : history.completed;
}

/** Returns what a payment will still take from its wallet: its debit while that is to come, else 0. */
export function reservedBy(payment: Payment): Minor {
  const isToCome = isOpen(payment.status) && debitedAt(payment) === undefined;
  return isToCome ? debitAmount(payment, payment.terms) : 0n;
}
