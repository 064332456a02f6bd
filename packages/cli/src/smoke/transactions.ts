import type { Client, Payment, Transaction } from '@service/sdk';
import { Discrepancy, pass, skip, type StepResult, warn } from './checks.ts';

/** The options of the search for the transaction of a payment. */
export interface TransactionContext {
  readonly client: Client;
  readonly payment: Payment;
  readonly purpose: string;
  readonly signal: AbortSignal;
}

/** Maximum number of transactions to search. The payment is new and the list is newest first. */
const MAX_ROWS = 500;

/**
 * Finds the transaction of the payment, and checks that it has the id with which `payment reconcile` finds a
 * lost payment.
 */
export async function checkTransactions(context: TransactionContext): Promise<StepResult> {
  const { client, payment, purpose, signal } = context;
  const list = client.transactions.list({ per_page: 100 }, { signal });
  const { warnings } = await list.withResponse();
  const rows: Transaction[] = [];
  const unclear = warnings.find(({ code }) => code === 'unclear_amount')?.message.replace(/\.$/, '');
  for await (const row of list) {
    if (JSON.stringify(row).includes(payment.id))
      return pass(`${row.id ?? 'a transaction'} has the payment id${unclear ? `. ${unclear}` : ''}`);
    if (row.reference === purpose) return warn('the transaction of the payment does not have the payment id');
    rows.push(row);
    if (rows.length >= MAX_ROWS) break;
  }
  const unreadable = warnings.find(({ code }) => code === 'unreadable_row');
  if (unreadable) return warn(unreadable.message.replace(/\.$/, ''));
  const hasReferences = rows.some((row) => row.payment_id !== undefined || row.reference !== undefined);
  if (payment.status !== 'completed')
    return skip(`not checked: a ${payment.status} payment may have no transaction`);
  if (rows.length > 0 && !hasReferences)
    return warn('the transactions have neither payment_id nor reference');
  throw new Discrepancy(`the payment is completed but not among ${rows.length} transactions`);
}
