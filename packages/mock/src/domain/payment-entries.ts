import { completionEntry, debitEntry, refundEntry, returnEntry, type Entry } from './ledger.ts';
import type { Minor } from './money.ts';
import type { Payment } from './payment.ts';
import { debitAmount } from './quote.ts';
import { isOpen } from './status.ts';
import type { Instant } from './timestamp.ts';

/**
 * Returns the ledger entries of a payment in order. They follow from its status history and terms; a
 * transition only appends to them (docs/contract.md#payments).
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

/** Returns the time of the debit, or undefined before it. The terms decide which status debits the wallet. */
function debitedAt({ history, terms }: Payment): Instant | undefined {
  if (terms.debitAt === 'create') return history.pending;
  return terms.debitAt === 'processing' ? (history.processing ?? history.completed) : history.completed;
}

/** Returns the amount that a payment reserves: its debit before it is posted, else 0. */
export function reservedBy(payment: Payment): Minor {
  const isToCome = isOpen(payment.status) && debitedAt(payment) === undefined;
  return isToCome ? debitAmount(payment, payment.terms) : 0n;
}
