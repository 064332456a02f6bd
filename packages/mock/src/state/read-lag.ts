import type { Currency } from '@service/contract';
import { type Duration, toMilliseconds } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import { reservedBy, type Transaction } from '../domain/ledger.ts';
import type { Minor } from '../domain/money.ts';
import { paymentAt } from '../domain/payment.ts';
import type { AccountState } from './account-state.ts';

/** Returns the time whose state reads show, or undefined if they show the present state. */
export function readTime(lag: Duration | undefined, now: Instant): Instant | undefined {
  const milliseconds = toMilliseconds(lag ?? 0);
  return milliseconds === 0 ? undefined : now - milliseconds;
}

/** Returns whether reads show a row. Only payments lag: deposits and adjustments come from the sandbox. */
export function isShown({ created_at, payment_id }: Transaction, time: Instant): boolean {
  return created_at <= time || payment_id === null;
}

/** Returns the pending debits of payments at a time, by currency. */
export function reservedAt(
  { reserved, payments }: AccountState,
  time: Instant | undefined,
): ReadonlyMap<Currency, Minor> {
  if (time === undefined) return reserved;
  const sums = new Map<Currency, Minor>();
  for (const payment of payments.values()) {
    const shown = paymentAt(payment, time);
    if (shown === undefined) continue;
    const { from_currency: currency } = shown;
    sums.set(currency, (sums.get(currency) ?? 0n) + reservedBy(shown));
  }
  return sums;
}

/** Returns the balance of each wallet at a time. */
export function balancesAt(
  { ledger, transactions }: AccountState,
  time: Instant | undefined,
): ReadonlyMap<Currency, Minor> {
  const balances = new Map(ledger.get('wallet'));
  if (time === undefined) return balances;
  // The rows are in the order of their times.
  for (let index = transactions.length - 1; index >= 0; index -= 1) {
    const row = transactions[index];
    if (row === undefined || row.created_at <= time) break;
    if (!isShown(row, time)) balances.set(row.currency, (balances.get(row.currency) ?? 0n) - row.amount);
  }
  return balances;
}
