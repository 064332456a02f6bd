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

/** One change of a wallet balance. */
export interface Transaction {
  readonly type: TransactionType;
  readonly currency: Currency;
  /** Negative for a debit. */
  readonly amount: Minor;
  readonly balance_after: Minor;
  readonly payment_id: string | null;
  readonly created_at: Instant;
}

/** The transaction type of each kind of entry. A completion does not change a wallet. */
const typeOf = {
  deposit: 'deposit',
  adjustment: 'adjustment',
  payment: 'payment',
  completion: undefined,
  refund: 'refund',
  return: 'refund',
} as const satisfies Record<EntryKind, TransactionType | undefined>;

/** Returns the transaction of an entry, or undefined if the entry does not change a wallet. */
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
