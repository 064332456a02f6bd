import { isRecord } from '@service/internal';
import { formatOptional, type Payment, paymentFacts } from './payment.ts';
import { type Budget, Decimal, type Facts, type Json, toAmount, fill } from './json.ts';
import type { Transaction } from './ledger.ts';
import type { Profile } from './profile.ts';

/** A row of the transaction history with its id and its payment. */
export interface ListedTransaction extends Transaction {
  /** The index in the history, from 0, oldest first. */
  readonly row: number;
  readonly id: string;
  readonly payment: Payment | undefined;
  /** Whether it is the fee of its payment, which a profile lists as a separate row. */
  readonly isFee: boolean;
}

/** Writes a row in the shape of a profile, or only some of its fields (docs/contract.md#transactions). */
export function writeRow(
  row: ListedTransaction,
  profile: Profile,
  budget?: Budget,
  names?: readonly string[],
): Json {
  const kind = row.isFee ? 'fee' : row.type;
  const template = profile.transactionShape.find(({ of }) => of === kind || (of === 'any' && kind !== 'fee'));
  const shape = template?.row ?? null;
  const chosen =
    names === undefined || !isRecord(shape)
      ? shape
      : Object.fromEntries(Object.entries(shape).filter(([name]) => names.includes(name)));
  const { numbers } = profile;
  return fill(chosen, rowFacts(row, profile), { profile, numbers, ...(budget && { budget }) });
}

/** The status of a `payment` row is that of its payment; other rows, also those of fees, are completed. */
function rowFacts(row: ListedTransaction, profile: Profile): Facts {
  const { payment } = row;
  const debit = row.type === 'payment' ? payment : undefined;
  const { absent } = profile;
  const amount = row.isFee && payment !== undefined ? -payment.fee : row.amount;
  const kind = row.isFee ? 'fee' : row.type;
  return {
    ...(payment && paymentFacts(payment, profile)),
    payment_status: payment?.status ?? null,
    payment_created_at: payment === undefined ? null : new Date(payment.history.pending),
    id: row.id,
    number: new Decimal(BigInt(row.row + 1), 0, 'number'),
    type: kind,
    status: (row.isFee ? undefined : debit?.status) ?? 'completed',
    currency: row.currency,
    amount: toAmount(amount),
    sign: amount < 0n ? '-' : '+',
    row_fee: debit === undefined ? (absent === 'omit' ? undefined : null) : toAmount(debit.fee),
    balance_after: toAmount(row.balance_after),
    payment_id: formatOptional(row.payment_id, absent),
    reference: formatOptional(payment?.purpose ?? null, absent),
    created_at: new Date(row.created_at),
  };
}
