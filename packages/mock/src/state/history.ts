import { type Payment, paymentAt, type Status } from '../domain/payment.ts';
import { type ListedTransaction, writeRow } from '../domain/transaction.ts';
import { type AccountState, transactionId } from './account-state.ts';
import { type Duration, parseJson, toMilliseconds, toRecord } from '@service/internal';
import type { Currency, TransactionType } from '@service/contract';
import { type Instant, toJson } from '../domain/json.ts';
import { reservedBy, type Transaction } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';

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
  const { skip, per_page, before = Infinity, after = -1, status, type, shown } = selection;
  const { transactions, payments, profile } = accountState;
  const listed = new Set(profile.transactionShape.map(({ of }) => of));
  const hasFees = listed.has('fee');
  const isListed = (row: Transaction): boolean => listed.has('any') || listed.has(row.type);
  const paymentOf = ({ payment_id }: Transaction): Payment | undefined => {
    const payment = payments.get(payment_id ?? '');
    return payment && time !== undefined ? (paymentAt(payment, time) ?? payment) : payment;
  };
  const isWanted = (row: Transaction): boolean =>
    (type ?? row.type) === row.type &&
    (time === undefined || isShown(row, time)) &&
    (status === undefined || status === ((row.type === 'payment' && paymentOf(row)?.status) || 'completed'));
  /** The matching rows, oldest first, with the positions from which their ids are derived, and the separate fees of their payments. */
  const found: { readonly row: Transaction; readonly number: number; readonly isFee: boolean }[] = [];
  const toListed = ({ row, number, isFee }: (typeof found)[number]): ListedTransaction => {
    const [id, payment] = [transactionId(accountState, number), paymentOf(row)];
    return { ...row, row: number, id, payment, isFee };
  };
  /** Returns whether a row shows the status and the type of a filter. */
  const isAsked = (row: ListedTransaction, asked: NonNullable<typeof shown>): boolean => {
    const texts = toRecord(parseJson(toJson(writeRow(row, profile, undefined, shownNames))));
    const hasStatus = [undefined, texts.status, texts.state].includes(asked.status);
    return hasStatus && [undefined, texts.type, texts.kind].includes(asked.type);
  };
  let count = 0;
  for (const [index, row] of transactions.entries()) {
    if (!isListed(row)) continue;
    const fee = hasFees && row.type === 'payment' ? (paymentOf(row)?.fee ?? 0n) : 0n;
    const isSelected = isWanted(row);
    for (const isFee of fee === 0n ? [false] : [false, true]) {
      // Separate fees number the rows anew, also those that the query does not select.
      const each = { row, number: hasFees ? count : index, isFee };
      count += 1;
      if (isSelected && (shown === undefined || isAsked(toListed(each), shown))) found.push(each);
    }
  }
  const { length: total } = found;
  const countNewer = (number: number): number =>
    total - 1 - found.findLastIndex((each) => each.number <= number);
  const start = countNewer(before - 1) + skip;
  const end = after < 0 ? start + per_page : countNewer(after);
  const first = after < 0 ? start : Math.max(0, end - per_page);
  const rows = found.slice(Math.max(0, total - end), Math.max(0, total - first)).map(toListed);
  return { rows: rows.toReversed(), total, hasMore: end < total, hasPrevious: first > 0 };
}

const shownNames = ['status', 'state', 'type', 'kind'];

/** Returns the time whose state reads show, or undefined if they show the present state. */
export function readTime(lag: Duration | undefined, now: Instant): Instant | undefined {
  const milliseconds = toMilliseconds(lag ?? 0);
  return milliseconds === 0 ? undefined : now - milliseconds;
}

/** Returns whether reads show a row. Only payments lag: deposits and adjustments come from the sandbox. */
function isShown({ created_at, payment_id }: Transaction, time: Instant): boolean {
  return created_at <= time || payment_id === null;
}

/** Returns the pending debits of payments at a time, by currency. `isOpen`: those of all payments that have not ended. */
export function reservedAt(
  { reserved, payments }: AccountState,
  time: Instant | undefined,
  isOpen = false,
): ReadonlyMap<Currency, Minor> {
  if (time === undefined && !isOpen) return reserved;
  const sums = new Map<Currency, Minor>();
  for (const payment of payments.values()) {
    const shown = time === undefined ? payment : paymentAt(payment, time);
    if (shown === undefined) continue;
    const { from_currency: currency, status, debit, terms } = shown;
    const hasEnded = status === 'completed' || status === 'failed';
    // Debited at its create, a payment reserves nothing.
    const held = terms.debitAt.status === 'create' ? 0n : reservedBy(shown);
    const amount = !isOpen ? held : hasEnded ? 0n : debit;
    sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  }
  return sums;
}

/** Returns the balance of each wallet at a time. */
export function balancesAt(
  { ledger, transactions }: AccountState,
  time: Instant | undefined,
): ReadonlyMap<Currency, Minor> {
  const current = ledger.get('wallet') ?? new Map<Currency, Minor>();
  if (time === undefined) return current;
  const balances = new Map(current);
  // The rows are in the order of their times.
  for (let index = transactions.length - 1; index >= 0; index -= 1) {
    const row = transactions[index];
    if (row === undefined || row.created_at <= time) break;
    if (!isShown(row, time)) balances.set(row.currency, (balances.get(row.currency) ?? 0n) - row.amount);
  }
  return balances;
}
