import { type Entry, type EntryKind, walletPosting } from './ledger.ts';
import { type Minor, toAmount } from './money.ts';
import type { Payment } from './payment.ts';
import type { Profile } from './profile.ts';
import { type Instant, toTimestamp } from './timestamp.ts';
import { formatOptional } from './profile.ts';
import type { WithDecimals } from './json.ts';
import type {
  Currency,
  TransactionStatus,
  TransactionType,
  Transaction as WireTransaction,
} from '@service/contract';

/** Holds one movement of a wallet; what its payment knows is read from the payment. */
export interface Transaction {
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

/** Records what an entry moved on the wallet, or undefined when it moved nothing there. */
export function recordTransaction(entry: Entry, balanceBefore: Minor): Transaction | undefined {
  const type = typeOf[entry.kind];
  const posting = walletPosting(entry);
  if (type === undefined || posting === undefined) return undefined;
  return {
    type,
    currency: posting.currency,
    amount: posting.amount,
    balance_after: balanceBefore + posting.amount,
    payment_id: entry.payment_id,
    created_at: entry.at,
  };
}

/** Holds a row of the history with what it is listed with: its id, and the payment that it belongs to. */
export interface ListedTransaction extends Transaction {
  /** Its place in the history, counted from 0, oldest first. */
  readonly row: number;
  readonly id: string;
  readonly payment: Payment | undefined;
}

/**
 * Shows a row as it stands on the wire, in the forms of a profile. A `payment` row mirrors its payment, every other is
 * completed (contract.md 4).
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
    // A profile can invent a status that the contract does not know.
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
