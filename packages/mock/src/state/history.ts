import type { Instant } from '../domain/json.ts';
import type { Status } from '../domain/status.ts';
import type { Transaction } from '../domain/ledger.ts';
import { type Payment, paymentAt } from '../domain/payment.ts';
import { type ListedTransaction, rowTemplates, writeRow } from '../domain/transaction.ts';
import { type AccountState, transactionId } from './account-state.ts';
import { isShown } from './read-lag.ts';
import { type JsonObject, type RowTemplate, toRecord } from '@service/internal';
import { type TransactionType, transactionTypes } from '@service/contract';

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
  const { skip, per_page, before = Infinity, after = -1, status, shown } = selection;
  const { transactions, payments, profile } = accountState;
  const listed = rowTemplates(profile).map(({ of }) => of);
  const types = selectTypes(selection, listed);
  const paymentOf = ({ payment_id }: Transaction): Payment | undefined => {
    const payment = payments.get(payment_id ?? '');
    return payment && time !== undefined ? (paymentAt(payment, time) ?? payment) : payment;
  };
  const isWanted = (row: Transaction): boolean =>
    types.includes(row.type) &&
    (time === undefined || isShown(row, time)) &&
    (status === undefined || status === ((row.type === 'payment' && paymentOf(row)?.status) || 'completed'));
  const hasFees = listed.includes('fee');
  const places: Place[] = [];
  for (let of = transactions.length - 1; of >= 0; of -= 1) {
    const row = transactions[of];
    if (row === undefined || !isWanted(row)) continue;
    if (hasFees && hasFee(row, paymentOf(row))) places.push({ row, of, isFee: true });
    places.push({ row, of });
  }
  // Separate fees number the rows anew.
  const numberOf = (index: number): number =>
    hasFees ? places.length - 1 - index : (places[index]?.of ?? 0);
  const read = (index: number): ListedTransaction[] => {
    const place = places[index];
    if (place === undefined) return [];
    const { row, isFee } = place;
    const number = numberOf(index);
    const id = transactionId(accountState, number);
    return [{ ...row, row: number, id, payment: paymentOf(row), ...(isFee && { isFee }) }];
  };
  let indexes = [...places.keys()];
  if (shown !== undefined)
    indexes = indexes.filter((index) =>
      read(index).some((row) => showsTexts(toRecord(writeRow(row, profile, undefined, shownNames)), shown)),
    );
  const countNewer = (number: number): number => {
    const found = indexes.findIndex((index) => numberOf(index) <= number);
    return found < 0 ? indexes.length : found;
  };
  const total = indexes.length;
  const start = countNewer(before - 1) + skip;
  const end = after < 0 ? start + per_page : countNewer(after);
  const first = after < 0 ? start : Math.max(0, end - per_page);
  return {
    rows: indexes.slice(first, end).flatMap(read),
    total,
    hasMore: end < total,
    hasPrevious: first > 0,
  };
}

/** A place in the list: a row, or the fee of its payment. */
interface Place {
  readonly row: Transaction;
  /** The index of the row in the history. */
  readonly of: number;
  readonly isFee?: true;
}

const shownNames = ['status', 'state', 'type', 'kind'];

/** Returns whether a row shows the status and the type of a filter. */
function showsTexts(row: JsonObject, { status, type }: NonNullable<Selection['shown']>): boolean {
  const hasStatus = status === undefined || row.status === status || row.state === status;
  return hasStatus && (type === undefined || row.type === type || row.kind === type);
}

function hasFee({ type }: Transaction, payment: Payment | undefined): boolean {
  return type === 'payment' && payment !== undefined && payment.fee !== 0n;
}

/** Returns the types of the rows that a query asks for and the profile lists. */
function selectTypes(
  { status, type }: Pick<Selection, 'status' | 'type'>,
  listed: readonly RowTemplate['of'][],
): TransactionType[] {
  if (status === 'nothing') return [];
  return transactionTypes.filter(
    (each) => (type === undefined || each === type) && (listed.includes('any') || listed.includes(each)),
  );
}
