import { statusOf, type Transaction } from '../domain/transaction.ts';
import type { TransactionStatus, TransactionType } from '@service/contract';
import type { Books } from './books.ts';

/** Says which rows of the history to list. */
export interface Selection {
  /** Counted from 1. */
  readonly page: number;
  readonly per_page: number;
  readonly status: TransactionStatus | undefined;
  readonly type: TransactionType | undefined;
}

/** Holds a page of the history and how many rows there are in all. */
export interface HistoryPage {
  readonly rows: readonly Transaction[];
  readonly total: number;
}

/** Lists a page of the history, newest first; past the end it is empty (contract.md 4). */
export function listTransactions(books: Books, { page, per_page, status, type }: Selection): HistoryPage {
  const matching =
    status === undefined && type === undefined ? books.transactions : books.transactions.filter(matches);
  const end = Math.max(0, matching.length - (page - 1) * per_page);
  return { rows: matching.slice(Math.max(0, end - per_page), end).toReversed(), total: matching.length };

  function matches(row: Transaction): boolean {
    if (type !== undefined && row.type !== type) return false;
    return status === undefined || statusOf(row, books.payments.get(row.payment_id ?? '')) === status;
  }
}
