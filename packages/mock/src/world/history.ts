import { type Status, statuses } from '../domain/status.ts';
import type { ListedTransaction, Transaction } from '../domain/transaction.ts';
import { type TransactionType, transactionTypes } from '@service/contract';
import { type Books, transactionId } from './books.ts';
import { kindOf } from './row-kind.ts';

/** Says which rows of the history to list. */
export interface Selection {
  /** Counted from 1. */
  readonly page: number;
  readonly per_page: number;
  readonly status: Status | undefined;
  readonly type: TransactionType | undefined;
}

/** Holds a page of the history and how many rows there are in all. */
export interface HistoryPage {
  readonly rows: readonly ListedTransaction[];
  readonly total: number;
}

/** Lists a page of the history, newest first; past the end it is empty (contract.md 4). */
export function listTransactions(books: Books, { page, per_page, ...filters }: Selection): HistoryPage {
  const kinds = selectKinds(filters);
  const rows = books.tally.list(kinds, { skip: (page - 1) * per_page, take: per_page });
  return { rows: rows.flatMap((row) => listRow(books, row)), total: books.tally.count(kinds) };
}

function listRow(books: Books, row: number): ListedTransaction[] {
  const transaction: Transaction | undefined = books.transactions[row];
  if (transaction === undefined) return [];
  const payment = books.payments.get(transaction.payment_id ?? '');
  return [{ ...transaction, id: transactionId(books, row), payment }];
}

function selectKinds({ status, type }: Pick<Selection, 'status' | 'type'>): number[] {
  const wantedTypes = transactionTypes.filter((each) => type === undefined || each === type);
  const wantedStatuses = statuses.filter((each) => status === undefined || each === status);
  return wantedTypes.flatMap((each) => wantedStatuses.map((state) => kindOf(each, state)));
}
