import type { Payment, SentFields, Transaction } from '../models.ts';
import { createReader, type Reads, readTime, writeTime } from '../reconcile/reader.ts';
import { isOfCurrency, nonPaymentTypes } from '../reconcile/search.ts';
import { listSome } from '../transactions/page.ts';
import type { TransactionRow } from '../transactions/rows.ts';
import type { StatementGap } from './types.ts';

/** A period, in milliseconds by the clock of the service. */
export interface Period {
  readonly since: number;
  readonly until: number;
  readonly clockSkew: number;
  readonly signal: AbortSignal | undefined;
}

/** The part of an account that a check sees. */
export interface Account {
  /** The payments that rows or records name, by id. */
  readonly payments: ReadonlyMap<string, Payment>;
  readonly gaps: readonly StatementGap[];
  /** Whether a gap can hide the payment of a record. */
  readonly canHide: (fields: SentFields) => boolean;
  readonly listRefunds: (payment: Payment) => readonly Transaction[];
}

/** Reads the rows around a period, and the payments that they or the records name. */
export async function readAccount(
  search: Reads,
  period: Period,
  recordedIds: readonly string[],
): Promise<Account> {
  const { since, until, clockSkew, signal } = period;
  const reader = createReader(search, signal);
  const list = await reader.readRecords(() => since - clockSkew);
  const rows = list.rows.filter(({ transaction }) => locate(transaction, period) !== 'outside');
  const named = new Set([...rows, ...list.unreadable].flatMap(({ paymentIds }) => paymentIds));
  const payments = new Map<string, Payment>();
  const hidden: string[] = [];
  for (const [id, payment] of await reader.retrieve([...named, ...recordedIds]))
    if (payment) payments.set(id, payment);
    else if (named.has(id)) hidden.push(id);

  const gaps: StatementGap[] = [];
  const addGap = (reason: StatementGap['reason'], message: string): void =>
    void gaps.push({ reason, message });
  const problems = list.unreadable.filter(hasNoId).map(({ problem }) => problem);
  if (problems.length > 0) addGap('unreadable_row', `Rows cannot be read: ${listSome(problems, 3)}.`);
  if (hidden.length > 0)
    addGap('hidden_payment', `Rows name payments that cannot be retrieved: ${listSome(hidden, 3)}.`);
  if (!list.isComplete) addGap('incomplete_list', 'The list ends early, or its rows have an uncommon name.');
  const visibleAt = until + search.readLag - (reader.getLowOffset() ?? 0);
  if (reader.readAt.getTime() < visibleAt) {
    const again = writeTime(visibleAt);
    addGap('read_lag', `The last payments of the period may not be shown yet. Check again after ${again}.`);
  }
  const canHideAny = gaps.length > 0;
  const unlinked = rows.filter((row) => hasNoId(row) && !nonPaymentTypes.test(row.transaction.type));
  if (unlinked.length > 0)
    addGap('unlinked_row', 'Rows name no payment. Give the payment_id of each record, if you know it.');
  const refunds = list.rows.filter(({ transaction: { type } }) => /refund|revers|return/i.test(String(type)));
  return {
    payments,
    gaps,
    canHide: ({ from_currency }) => canHideAny || unlinked.some((row) => isOfCurrency(row, from_currency)),
    listRefunds: ({ id }) =>
      refunds.filter(({ paymentIds }) => paymentIds.includes(id)).map(({ transaction }) => transaction),
  };
}

function hasNoId({ paymentIds }: Pick<TransactionRow, 'paymentIds'>): boolean {
  return paymentIds.length === 0;
}

/** Returns whether a row or payment is in a period. `near`: within `clockSkew` of it. `unclear`: its time is unreadable. */
export function locate(
  { created_at }: Pick<Payment, 'created_at'>,
  { since, until, clockSkew }: Period,
): 'inside' | 'near' | 'outside' | 'unclear' {
  const at = readTime(created_at);
  if (Number.isNaN(at)) return 'unclear';
  if (at >= since && at < until) return 'inside';
  return at >= since - clockSkew && at < until + clockSkew ? 'near' : 'outside';
}
