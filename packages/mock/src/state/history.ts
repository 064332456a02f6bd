import { type Status, statuses } from '../domain/status.ts';
import type { Transaction } from '../domain/ledger.ts';
import { type ListedTransaction, rowTemplates } from '../domain/transaction.ts';
import type { RowTemplate } from '@service/internal';
import { type TransactionType, transactionTypes } from '@service/contract';
import { type AccountState, rowKind, transactionId } from './account-state.ts';

/** A query of the transaction history. */
export interface Selection {
  /** The number of newer rows to leave out. */
  readonly skip: number;
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
  { skip, per_page, before, ...filters }: Selection,
): HistoryPage {
  const listed = rowTemplates(accountState.profile).map(({ of }) => of);
  const kinds = selectKinds(filters, listed);
  if (listed.includes('fee')) return listWithFees(accountState, { skip, per_page, before, kinds });
  const found = accountState.rowIndex.list(kinds, { skip, take: per_page + 1, before });
  const rows = found.slice(0, per_page).flatMap((row) => listRow(accountState, row));
  return { rows, total: accountState.rowIndex.count(kinds), hasMore: found.length > per_page };
}

/**
 * Returns a page in which fees are separate rows. The rows are numbered anew, and no index helps: such a page takes a time that
 * grows with the history.
 */
function listWithFees(
  accountState: AccountState,
  { skip, per_page, before = Infinity, kinds }: Omit<Selection, 'status' | 'type'> & { kinds: number[] },
): HistoryPage {
  const all = accountState.rowIndex
    .list(kinds, { skip: 0, take: Infinity })
    .flatMap((row) => listRow(accountState, row))
    .flatMap((row) => (hasFee(row) ? [{ ...row, isFee: true as const }, row] : [row]));
  const numbered = all.map((each, index) => {
    const row = all.length - 1 - index;
    return { ...each, row, id: transactionId(accountState, row) };
  });
  const older = numbered.filter(({ row }) => row < before);
  const rows = older.slice(skip, skip + per_page);
  return { rows, total: numbered.length, hasMore: older.length > skip + per_page };
}

function hasFee({ type, payment }: ListedTransaction): boolean {
  return type === 'payment' && payment !== undefined && payment.fee !== 0n;
}

function listRow(accountState: AccountState, row: number): ListedTransaction[] {
  const transaction: Transaction | undefined = accountState.transactions[row];
  if (transaction === undefined) return [];
  const payment = accountState.payments.get(transaction.payment_id ?? '');
  return [{ ...transaction, row, id: transactionId(accountState, row), payment }];
}

/** Returns the kinds of the rows that a query asks for and the profile lists. */
function selectKinds(
  { status, type }: Pick<Selection, 'status' | 'type'>,
  listed: readonly RowTemplate['of'][],
): number[] {
  const wantedTypes = transactionTypes.filter(
    (each) => (type === undefined || each === type) && (listed.includes('any') || listed.includes(each)),
  );
  const wantedStatuses = statuses.filter((each) => status === undefined || each === status);
  return wantedTypes.flatMap((each) => wantedStatuses.map((state) => rowKind(each, state)));
}
