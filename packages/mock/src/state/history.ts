import { type Status, statuses } from '../domain/status.ts';
import type { ListedTransaction, Transaction } from '../domain/transaction.ts';
import { type TransactionType, transactionTypes } from '@service/contract';
import { type AccountState, transactionId } from './account-state.ts';
import { kindOf } from './row-kind.ts';

/** Says which rows of the history to list. */
export interface Selection {
  /** Counted from 1. */
  readonly page: number;
  readonly per_page: number;
  /** Lists only rows that are older than the row at this place; all when undefined. */
  readonly before: number | undefined;
  /** Lists only rows in this status, or none at all. */
  readonly status: Status | 'nothing' | undefined;
  /** Lists only rows of this type, or none at all. */
  readonly type: TransactionType | 'nothing' | undefined;
}

/** Holds a page of the history and how many rows there are in all. */
export interface HistoryPage {
  readonly rows: readonly ListedTransaction[];
  readonly total: number;
  /** Tells whether there are older rows than those of this page. */
  readonly hasMore: boolean;
}

/** Lists a page of the history, newest first; past the end it is empty (contract.md 4). */
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
  return wantedTypes.flatMap((each) => wantedStatuses.map((state) => kindOf(each, state)));
}
