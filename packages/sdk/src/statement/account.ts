import type { Payment, SentFields, Transaction } from '../models.ts';
import {
  createOffsetEstimate,
  type FoundPayments,
  isOfCurrency,
  nonPaymentTypes,
  readRecords,
  readTime,
  retrievePayments,
  type SearchContext,
} from '../reconcile/search.ts';
import { listSome } from '../transactions/page.ts';
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
  search: SearchContext & { readonly readLag: number },
  period: Period,
  recordedIds: readonly string[],
): Promise<Account> {
  const { since: sentAt, until, clockSkew, signal } = period;
  const offset = createOffsetEstimate(search.clock);
  const readAt = search.clock.date().getTime();
  // The period is in times of the service.
  const ofService = { ...search, offset: { ...offset, getLow: () => 0 } };
  const list = await readRecords({ sentAt, clockSkew, signal }, ofService);
  const rows = list.rows.filter(({ transaction }) => locate(transaction, period) !== 'outside');
  const named = new Set([...rows, ...list.unreadable].flatMap(({ paymentIds }) => paymentIds));
  const found: FoundPayments = { payments: new Map(), hidden: new Set() };
  await retrievePayments([...named, ...recordedIds], found, { ...search, offset }, signal);

  const gaps: StatementGap[] = [];
  const unreadable = list.unreadable.filter(({ paymentIds }) => paymentIds.length === 0);
  const problems = unreadable.map(({ problem }) => problem);
  if (problems.length > 0)
    gaps.push({ reason: 'unreadable_row', message: `Rows cannot be read: ${listSome(problems, 3)}.` });
  const hidden = [...found.hidden].filter((id) => named.has(id));
  if (hidden.length > 0)
    gaps.push({
      reason: 'hidden_payment',
      message: `Rows name payments that the service does not show: ${listSome(hidden, 3)}. Check again later.`,
    });
  if (list.isCut)
    gaps.push({
      reason: 'list_cut',
      message: 'More rows exist, but no page has them. Check a later period.',
    });
  if (list.isGuessed)
    gaps.push({ reason: 'guessed_list', message: 'The rows have an uncommon name, so others may exist.' });
  const visibleAt = until + search.readLag - (offset.getLow() ?? 0);
  if (readAt < visibleAt) {
    const again = new Date(Math.min(visibleAt, MAX_TIME)).toISOString();
    const message = `The last payments of the period may not be shown yet. Check again after ${again}.`;
    gaps.push({ reason: 'read_lag', message });
  }
  const canHideAny = gaps.length > 0;
  const unlinked = rows.filter(
    ({ transaction, paymentIds }) => paymentIds.length === 0 && !nonPaymentTypes.has(transaction.type),
  );
  if (unlinked.length > 0)
    gaps.push({
      reason: 'unlinked_row',
      message: `${unlinked.length} rows name no payment. Give the payment_id of each record.`,
    });
  const refunds = list.rows.filter(({ transaction: { type } }) => /refund|revers|return/i.test(String(type)));
  return {
    payments: found.payments,
    gaps,
    canHide: (fields) => canHideAny || unlinked.some((row) => isOfCurrency(row, { fields })),
    listRefunds: ({ id }) =>
      refunds.filter(({ paymentIds }) => paymentIds.includes(id)).map(({ transaction }) => transaction),
  };
}

/** The latest time of a `Date`, in milliseconds. */
const MAX_TIME = 8.64e15;

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
