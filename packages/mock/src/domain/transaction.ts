import type { TransactionStatus, Transaction as WireTransaction } from '@service/contract';
import { formatOptional, toTimestamp, type WithDecimals } from './json.ts';
import type { Transaction } from './ledger.ts';
import { toAmount } from './money.ts';
import type { Payment } from './payment.ts';
import type { Profile } from './profile.ts';

/** A row of the transaction history with its id and its payment. */
export interface ListedTransaction extends Transaction {
  /** The index in the history, from 0, oldest first. */
  readonly row: number;
  readonly id: string;
  readonly payment: Payment | undefined;
}

/**
 * Converts a row to its JSON shape in the forms of a profile. The status of a `payment` row is that of its
 * payment; other rows are completed (docs/contract.md#transactions).
 */
export function toWireTransaction(
  row: ListedTransaction,
  profile: Profile,
): WithDecimals<WireTransaction> | WithDecimals<MinimalTransaction> {
  const debit = row.type === 'payment' ? row.payment : undefined;
  const { absent, timestamps, transactionShape } = profile;
  const minimal = {
    id: row.id,
    type: row.type,
    // A profile can add a status that the contract types do not include.
    status: (debit?.status ?? 'completed') as TransactionStatus,
    currency: row.currency,
    amount: toAmount(transactionShape === 'minimal' && row.amount < 0n ? -row.amount : row.amount),
  };
  const created_at = toTimestamp(row.created_at, timestamps);
  if (transactionShape === 'minimal') return { ...minimal, created_at };
  return {
    ...minimal,
    fee: debit === undefined ? (absent === 'omit' ? (undefined as never) : null) : toAmount(debit.fee),
    balance_after: toAmount(row.balance_after),
    payment_id: formatOptional(row.payment_id, absent),
    reference: formatOptional(row.payment?.purpose ?? null, absent),
    created_at,
  };
}

type MinimalTransaction = Pick<
  WireTransaction,
  'id' | 'type' | 'status' | 'currency' | 'amount' | 'created_at'
>;
