import { type Status, statuses } from '../domain/status.ts';
import type { Transaction } from '../domain/ledger.ts';
import type { ListedTransaction } from '../domain/transaction.ts';
import { type TransactionType, transactionTypes } from '@service/contract';
import { type AccountState, rowKind, transactionId } from './account-state.ts';

/** A query of the transaction history. */
export interface Selection {
  /** The page number, from 1. */
  readonly page: number;
  readonly per_page: number;
  /** Only rows before this index; all rows if undefined. */
  readonly before: number | undefined;
  /** Only rows with this status; `'nothing'` selects no rows. */
  readonly status: Status | 'nothing' | undefined;
  /** Only rows of this type; `'nothing'` selects no rows. */
  readonly type: TransactionType | 'nothing' | undefined;
}

/** A page of the transaction history and the number of all matching rows. */
export interface HistoryPage {
  readonly rows: readonly ListedTransaction[];
  readonly total: number;
  /** Whether there are older matching rows. */
  readonly hasMore: boolean;
}

/**
 * Returns a page of the transaction history, newest first. A page past the end is empty
 * (docs/contract.md#transactions).
 */
export function listTransactions(
  accountState: AccountState,
  { page, per_page, before, ...filters }: Selection,
): HistoryPage {
  const kinds = selectKinds(filters);
  const range = { skip: (page - 1) * per_page, take: per_page + 1, before };
  const found = accountState.rowIndex.list(kinds, range);
  const rows = found.slice(0, per_page).flatMap((row) => listRow(accountState, row));
  return { rows, total: accountState.rowIndex.count(kinds), hasMore: found.length > per_page };
}

function listRow(accountState: AccountState, row: number): ListedTransaction[] {
  const transaction: Transaction | undefined = accountState.transactions[row];
  if (transaction === undefined) return [];
  const payment = accountState.payments.get(transaction.payment_id ?? '');
  return [{ ...transaction, row, id: transactionId(accountState, row), payment }];
}

function selectKinds({ status, type }: Pick<Selection, 'status' | 'type'>): number[] {
  const wantedTypes = transactionTypes.filter((each) => type === undefined || each === type);
  const wantedStatuses = statuses.filter((each) => status === undefined || each === status);
  return wantedTypes.flatMap((each) => wantedStatuses.map((state) => rowKind(each, state)));
}
