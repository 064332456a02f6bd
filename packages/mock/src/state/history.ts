import type { Currency, TransactionType } from '@service/contract';
import { type Duration, type Example, memoize, toMilliseconds } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import type { Minor } from '../domain/money.ts';
import { paymentAt, type Status } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import { type ListedRow, momentOf, type Movement } from '../domain/transaction.ts';
import { drawId } from '../domain/ids.ts';
import type { AccountState } from './state.ts';
import { categories, type Category, categoryOf, RowIndex } from './row-index.ts';

/** The values of a row that filters compare. */
export interface FilteredRow {
  readonly type: TransactionType;
  /** The status of the payment of the row. */
  readonly status: Status | undefined;
}

/** A query of the transaction list. */
export interface Selection {
  readonly per_page: number;
  /** The number of rows to leave out. */
  readonly skip: number;
  /** The number of the last row of the page before; undefined without a cursor. */
  readonly cursor?: number | undefined;
  /** Returns whether a row matches the filters. All rows match if undefined. */
  readonly matches?: ((row: FilteredRow) => boolean) | undefined;
}

/** A page of the transaction list and the number of all matching rows. */
export interface HistoryPage {
  readonly rows: readonly ListedRow[];
  readonly total: number;
  /** Whether matching rows follow. */
  readonly hasMore: boolean;
  /** Whether matching rows come before. */
  readonly hasPrevious: boolean;
}

/**
 * Returns a page of the transaction list in the order of the profile, as it was at a time if one is given. A page past the
 * end is empty (docs/contract.md#transactions).
 */
export function listTransactions(
  accountState: AccountState,
  { per_page, skip, cursor, matches }: Selection,
  time?: Instant,
): HistoryPage {
  const { payments, mode, profile } = accountState;
  const toId = (number: number): string => drawId(accountState, 'txn', number + 1);
  const toRow = ({ movement, example, number }: Place): ListedRow => {
    const payment = payments.get(movement.payment_id ?? '');
    const shown = payment && time !== undefined ? (paymentAt(payment, time) ?? payment) : payment;
    return { movement, example, number, mode, payment: shown, toId };
  };
  const { total, countBefore, find } =
    time === undefined && isIndexed(profile)
      ? searchIndex(accountState, matches)
      : searchAll(accountState, matches, toRow, time);
  const isNewestFirst = profile.listQuery.order === 'newest';
  let passed = 0;
  if (cursor !== undefined) passed = isNewestFirst ? total - countBefore(cursor) : countBefore(cursor + 1);
  const start = skip + passed;
  const length = Math.max(0, Math.min(per_page, total - start));
  const rows = Array.from({ length }, (_, index) => {
    const place = start + index;
    return toRow(find(isNewestFirst ? total - 1 - place : place));
  });
  return { rows, total, hasMore: start + per_page < total, hasPrevious: start > 0 };
}

/** A row and its place in the list. */
type Place = Pick<ListedRow, 'movement' | 'example' | 'number'>;

/** The rows that match a query, oldest first. */
interface Found {
  readonly total: number;
  /** Returns the number of matching rows before that with a number in the list. */
  readonly countBefore: (number: number) => number;
  /** Returns the matching row that has `count` of them before it. */
  readonly find: (count: number) => Place;
}

/** Searches all rows, for profiles whose rows the index cannot count, and for the state at an earlier time. */
function searchAll(
  accountState: AccountState,
  matches: Selection['matches'],
  toRow: (place: Place) => ListedRow,
  time: Instant | undefined,
): Found {
  const found: Place[] = [];
  let number = 0;
  for (const movement of listMovements(accountState)) {
    const isVisible = time === undefined || isShown(movement, time);
    for (const example of accountState.profile.rows[momentOf(movement)] ?? []) {
      const place = { movement, example, number };
      number += 1;
      const { type } = movement;
      const isMatch = matches === undefined || matches({ type, status: toRow(place).payment?.status });
      if (isVisible && isMatch) found.push(place);
    }
  }
  const countBefore = (before: number): number => {
    const next = found.findIndex((each) => each.number >= before);
    return next === -1 ? found.length : next;
  };
  return { total: found.length, countBefore, find: (count) => found[count] as Place };
}

/** Finds rows by the index, at the same cost in a history of any length. */
function searchIndex(accountState: AccountState, matches: Selection['matches']): Found {
  const { transactions, payments, profile } = accountState;
  const index = (accountState.rowIndex ??= new RowIndex());
  for (const { type, payment_id } of transactions.slice(index.size))
    index.add(categoryOf(type, payments.get(payment_id ?? '')?.status));
  const listed: Category[] = [];
  const matching: Category[] = [];
  for (const [category, each] of categories.entries()) {
    if (profile.rows[momentOf(each)]?.length !== 1) continue;
    listed.push(category);
    if (matches?.(each) ?? true) matching.push(category);
  }
  return {
    total: index.countBefore(index.size, matching),
    countBefore: (number) => index.countBefore(index.find(number, listed), matching),
    find(count) {
      const row = index.find(count, matching);
      const movement = transactions[row] as Movement;
      const [example = null] = profile.rows[momentOf(movement)] ?? [];
      return { movement, example, number: index.countBefore(row, listed) };
    },
  };
}

/** Returns whether each change of a wallet leaves at most one row, and nothing else leaves rows. */
const isIndexed = memoize(
  ({ rows }: Profile): boolean =>
    otherEvents.every(({ event }) => (rows[event] ?? []).length === 0) &&
    Object.values<readonly Example[]>({ ...rows }).every((examples) => examples.length <= 1),
);

/** The events of a payment that move no money: their status, and the movement at the same time that they come before or after. */
const otherEvents = [
  { event: 'create', status: 'pending', beside: 'payment', side: -0.5 },
  { event: 'completion', status: 'completed', beside: 'payment', side: 0.5 },
  { event: 'failure', status: 'failed', beside: 'refund', side: -0.5 },
] as const;

/** Returns the changes of wallets, and the other events that leave rows, oldest first. */
function listMovements({ transactions, payments, profile }: AccountState): readonly Movement[] {
  const events = otherEvents.filter(({ event }) => (profile.rows[event] ?? []).length > 0);
  if (events.length === 0) return transactions;
  const indexes = new Map(
    transactions.map(({ type, payment_id }, index) => [`${type} ${payment_id}`, index]),
  );
  const placed: { readonly movement: Movement; readonly place: number }[] = transactions.map(
    (movement, place) => ({ movement, place }),
  );
  for (const { id: payment_id, from_currency: currency, debit, history } of payments.values())
    for (const { event, status, beside, side } of events) {
      const created_at = history[status];
      if (created_at === undefined) continue;
      const index = indexes.get(`${beside} ${payment_id}`) ?? -1;
      const place = transactions[index]?.created_at === created_at ? index + side : Infinity;
      const movement: Movement = {
        event,
        type: 'payment',
        currency,
        amount: -debit,
        balance_after: 0n,
        payment_id,
        created_at,
      };
      placed.push({ movement, place });
    }
  placed.sort((a, b) => a.movement.created_at - b.movement.created_at || a.place - b.place || 0);
  const balances = new Map<Currency, Minor>();
  return placed.map(({ movement }) => {
    const { event, currency } = movement;
    if (event !== undefined) return { ...movement, balance_after: balances.get(currency) ?? 0n };
    balances.set(currency, movement.balance_after);
    return movement;
  });
}

/** Returns the time whose state reads show, or undefined if they show the present state. */
export function readTime(lag: Duration | undefined, now: Instant): Instant | undefined {
  const milliseconds = toMilliseconds(lag ?? 0);
  return milliseconds === 0 ? undefined : now - milliseconds;
}

/** Returns whether reads show a row. Only payments lag: deposits and adjustments come from the sandbox. */
function isShown(
  { created_at, payment_id }: Pick<Movement, 'created_at' | 'payment_id'>,
  time: Instant,
): boolean {
  return created_at <= time || payment_id === null;
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
