import { type Entry, type EntryKind, walletPosting } from './ledger.ts';
import { type Minor, toAmount } from './money.ts';
import type { Payment } from './payment.ts';
import { type Instant, toTimestamp, type Written } from './wire.ts';
import type {
  Currency,
  TransactionStatus,
  TransactionType,
  Transaction as WireTransaction,
} from '@service/contract';

/** Holds one movement of a wallet; what its payment knows is read from the payment. */
export interface Transaction {
  readonly id: string;
  readonly type: TransactionType;
  readonly currency: Currency;
  /** Signed: money that leaves the wallet is negative. */
  readonly amount: Minor;
  readonly balance_after: Minor;
  readonly payment_id: string | null;
  readonly created_at: Instant;
}

/** Maps what an entry books to the type of the row that shows it; a completion leaves the wallet alone. */
const typeOf = {
  deposit: 'deposit',
  adjustment: 'adjustment',
  payment: 'payment',
  completion: undefined,
  refund: 'refund',
  return: 'refund',
} as const satisfies Record<EntryKind, TransactionType | undefined>;

/** Gives a row its place in the history: the id that it takes, and what the wallet held before it. */
export interface Place {
  readonly id: string;
  readonly balanceBefore: Minor;
}

/** Records what an entry moved on the wallet, or undefined when it moved nothing there. */
export function recordTransaction(entry: Entry, place: () => Place): Transaction | undefined {
  const type = typeOf[entry.kind];
  const posting = walletPosting(entry);
  if (type === undefined || posting === undefined) return undefined;
  const { id, balanceBefore } = place();
  return {
    id,
    type,
    currency: posting.currency,
    amount: posting.amount,
    balance_after: balanceBefore + posting.amount,
    payment_id: entry.payment_id,
    created_at: entry.at,
  };
}

/** Reads the status of a row: a `payment` row mirrors its payment, every other is completed (contract.md 4). */
export function statusOf(transaction: Transaction, payment: Payment | undefined): TransactionStatus {
  return transaction.type === 'payment' && payment !== undefined ? payment.status : 'completed';
}

/** Shows a row as it stands on the wire. */
export function toWireTransaction(
  transaction: Transaction,
  payment: Payment | undefined,
): Written<WireTransaction> {
  const isPayment = transaction.type === 'payment' && payment !== undefined;
  return {
    id: transaction.id,
    type: transaction.type,
    status: statusOf(transaction, payment),
    currency: transaction.currency,
    amount: toAmount(transaction.amount),
    fee: isPayment ? toAmount(payment.fee) : null,
    balance_after: toAmount(transaction.balance_after),
    payment_id: transaction.payment_id,
    reference: payment?.purpose ?? null,
    created_at: toTimestamp(transaction.created_at),
  };
}
