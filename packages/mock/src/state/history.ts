import type { Instant } from '../domain/json.ts';
import { type Status, statuses } from '../domain/status.ts';
import type { Transaction } from '../domain/ledger.ts';
import { paymentAt } from '../domain/payment.ts';
import { type ListedTransaction, rowTemplates, writeRow } from '../domain/transaction.ts';
import { type JsonObject, type RowTemplate, toRecord } from '@service/internal';
import { transactionStatuses, type TransactionType, transactionTypes } from '@service/contract';
import { type AccountState, rowKind, transactionId } from './account-state.ts';
import { isShown } from './read-lag.ts';

/** A query of the transaction history. */
export interface Selection {
  /** The number of newer rows to leave out. */
  readonly skip: number;
  readonly per_page: number;
  /** Only rows before this index; all rows if undefined. */
  readonly before?: number | undefined;
  /** Only the oldest rows after this index; all rows if undefined. */
  readonly after?: number | undefined;
  /** Only rows with this status; `'nothing'` selects no rows. */
  readonly status: Status | 'nothing' | undefined;
  /** Only rows that show these texts, for rows of templates. */
  readonly shown?: { readonly status: string | undefined; readonly type: string | undefined } | undefined;
  /** Only rows of this type; `'nothing'` selects no rows. */
  readonly type: TransactionType | 'nothing' | undefined;
}

/** A page of the transaction history and the number of all matching rows. */
export interface HistoryPage {
  readonly rows: readonly ListedTransaction[];
  readonly total: number;
  /** Whether there are older matching rows. */
  readonly hasMore: boolean;
  /** Whether there are newer matching rows. */
  readonly hasPrevious: boolean;
}

/**
 * Returns a page of the transaction history, newest first, as it was at a time if one is given. A page past the end is
 * empty (docs/contract.md#transactions).
 */
export function listTransactions(
  accountState: AccountState,
  selection: Selection,
  time?: Instant,
): HistoryPage {
  const { skip, per_page, before, after, shown, ...filters } = selection;
  const listed = rowTemplates(accountState.profile).map(({ of }) => of);
  const kinds = selectKinds(filters, listed);
  const hasFees = listed.includes('fee');
  const { status } = filters;
  if (
    hasFees ||
    after !== undefined ||
    time !== undefined ||
    shown !== undefined ||
    (status !== undefined && !transactionStatuses.some((each) => each === status))
  )
    return listAll(accountState, { skip, per_page, before, after, kinds, hasFees, time, status, shown });
  const found = accountState.rowIndex.list(kinds, { skip, take: per_page + 1, before });
  const rows = found.slice(0, per_page).flatMap((row) => listRow(accountState, row));
  const [newest = -1] = before === undefined ? [] : accountState.rowIndex.list(kinds, { skip: 0, take: 1 });
  const hasPrevious = skip > 0 || newest >= (before ?? Infinity);
  return { rows, total: accountState.rowIndex.count(kinds), hasMore: found.length > per_page, hasPrevious };
}

/** A selection of rows that no index has. */
interface AllRows extends Omit<Selection, 'type'> {
  readonly kinds: readonly number[];
  /** Whether fees are separate rows. */
  readonly hasFees: boolean;
  /** The time whose state the page shows, if it is not the present one. */
  readonly time: Instant | undefined;
}

/**
 * Returns a page in which fees are separate rows, or as it was at a time. Separate fees number the rows anew. No index helps:
 * such a page takes a time that grows with the history.
 */
function listAll(
  accountState: AccountState,
  { skip, per_page, before = Infinity, after = -1, kinds, hasFees, time, status, shown }: AllRows,
): HistoryPage {
  const listed = accountState.transactions
    .flatMap((_, row) => listRow(accountState, row))
    .toReversed()
    .flatMap((row) => (time === undefined ? [row] : rowAt(row, time)))
    .filter(({ type, payment }) => {
      const state = (type === 'payment' ? payment?.status : undefined) ?? 'completed';
      return kinds.includes(rowKind(type, state)) && (status === undefined || status === state);
    });
  const all = hasFees
    ? listed.flatMap((row) => (hasFee(row) ? [{ ...row, isFee: true as const }, row] : [row]))
    : listed;
  const numbered = all
    .map((each, index) => {
      const row = all.length - 1 - index;
      return hasFees ? { ...each, row, id: transactionId(accountState, row) } : each;
    })
    .filter(
      (row) =>
        shown === undefined ||
        showsTexts(toRecord(writeRow(row, accountState.profile, undefined, shownNames)), shown),
    );
  const total = numbered.length;
  const start = numbered.filter(({ row }) => row >= before).length + skip;
  const end = after < 0 ? start + per_page : numbered.filter(({ row }) => row > after).length;
  const first = after < 0 ? start : Math.max(0, end - per_page);
  return { rows: numbered.slice(first, end), total, hasMore: end < total, hasPrevious: first > 0 };
}

const shownNames = ['status', 'state', 'type', 'kind'];

/** Returns whether a row shows the status and the type of a filter. */
function showsTexts(row: JsonObject, { status, type }: NonNullable<Selection['shown']>): boolean {
  const hasStatus = status === undefined || row.status === status || row.state === status;
  return hasStatus && (type === undefined || row.type === type || row.kind === type);
}

/** Returns a row with the status that its payment had at a time, if reads show it. */
function rowAt(row: ListedTransaction, time: Instant): ListedTransaction[] {
  if (!isShown(row, time)) return [];
  return [{ ...row, payment: row.payment && (paymentAt(row.payment, time) ?? row.payment) }];
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
  if (status === 'nothing') return [];
  const wantedStatuses = status === undefined ? statuses : [status];
  return wantedTypes.flatMap((each) => wantedStatuses.map((state) => rowKind(each, state)));
}
