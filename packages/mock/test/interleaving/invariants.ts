import { expect } from 'vitest';
import type { StateSnapshot } from '../../src/state/snapshot.ts';
import type { Who } from './command.ts';
import type { Era } from './era.ts';

type State = StateSnapshot;
type ModeState = State['accounts'][number]['modes']['test'];
type Payment = ModeState['payments'][number];
type Terms = State['profiles'][number];

const statuses = ['pending', 'processing', 'completed', 'failed'];

/** Checks all invariants of the state, each payment by its own terms (docs/contract.md#money). */
export function checkState({ accounts, profiles }: State, era: Era): void {
  for (const { name, modes } of accounts) {
    for (const mode of ['test', 'live'] as const) {
      const who = `${name}/${mode}` as Who;
      checkModeState(modes[mode], profiles);
      checkPromises(modes[mode], who, era);
    }
  }
}

function checkModeState(accountState: ModeState, profiles: readonly Terms[]): void {
  const balances = new Map<string, bigint>();
  for (const row of accountState.transactions) {
    const balance = (balances.get(row.currency) ?? 0n) + BigInt(row.amount);
    expect(balance, 'balance_after').toBe(BigInt(row.balance_after));
    expect(balance, 'no wallet falls below zero').toBeGreaterThanOrEqual(0n);
    balances.set(row.currency, balance);
  }
  expect(new Set(accountState.payments.map(({ id }) => id)).size).toBe(accountState.payments.length);
  for (const payment of accountState.payments) {
    const terms = profiles[payment.terms]!;
    checkFigures(payment, terms);
    checkHistory(payment, terms);
    const rows = accountState.transactions.filter((row) => row.payment_id === payment.id);
    expect(
      rows.map(({ type, currency, amount, created_at }) => ({ type, currency, amount, created_at })),
    ).toEqual(expectRows(payment, terms));
    checkEvents(payment, accountState);
    balances.set(
      payment.from_currency,
      (balances.get(payment.from_currency) ?? 0n) - reservedBy(payment, terms),
    );
  }
  for (const [currency, available] of balances)
    expect(available, `available ${currency}`).toBeGreaterThanOrEqual(0n);
}

/** Recomputes fee and receive_amount from the figures of the payment. */
function checkFigures(
  { from_currency, to_currency, ...payment }: Payment,
  { fees, rounding, minorUnits }: Terms,
): void {
  const [send, fee, rate] = [BigInt(payment.send_amount), BigInt(payment.fee), BigInt(payment.rate)];
  const round = (numerator: bigint, denominator: bigint, currency: string): bigint => {
    const step = minorUnits === 'iso' && currency === 'JPY' ? 100n : 1n;
    const [quotient, rest] = [numerator / (denominator * step), numerator % (denominator * step)];
    const half = 2n * rest - denominator * step;
    const isUp = half > 0n || (half === 0n && (rounding === 'half_up' || quotient % 2n === 1n));
    return (rounding !== 'down' && isUp ? quotient + 1n : quotient) * step;
  };
  const { mode = 'inside', percent } = fees;
  expect(fee, 'fee').toBe(percent !== undefined ? round(send * 5n, 1000n, from_currency) : 0n);
  const exchanged = mode === 'inside' ? send - fee : send;
  expect(BigInt(payment.receive_amount), 'receive_amount').toBe(
    round(exchanged * rate, 1_000_000n, to_currency),
  );
}

function checkHistory({ history, status }: Payment, { statuses: { path } }: Terms): void {
  const taken = Object.keys(history).toSorted((a, b) => statuses.indexOf(a) - statuses.indexOf(b));
  expect(taken.at(-1), 'the status is the last one taken').toBe(status);
  const times = taken.map((each) => (history as Readonly<Record<string, number>>)[each]!);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const transport = ['pending', ...(path === 'skip' ? [] : ['processing']), 'completed'];
  const walked = taken.filter((each) => each !== 'failed');
  expect(walked, 'no status is left out').toEqual(transport.slice(0, walked.length));
}

/** The time of the debit under the terms of a payment; undefined before it. */
function debitedAt({ history }: Payment, { debitAt }: Terms): number | undefined {
  if (debitAt.status === 'create') return history.pending;
  return debitAt.status === 'processing' ? (history.processing ?? history.completed) : history.completed;
}

function debitOf({ send_amount, fee }: Payment, { fees }: Terms): bigint {
  return BigInt(send_amount) + (fees.mode === 'onTop' ? BigInt(fee) : 0n);
}

function reservedBy(payment: Payment, terms: Terms): bigint {
  const isOpen = payment.status !== 'completed' && payment.status !== 'failed';
  return terms.debitAt.hold === 'reserve' && isOpen && debitedAt(payment, terms) === undefined
    ? debitOf(payment, terms)
    : 0n;
}

/**
 * The debit once it was due, and exactly one refund of the debit of a failed payment, as its terms require.
 */
function expectRows(payment: Payment, terms: Terms): object[] {
  const at = debitedAt(payment, terms);
  if (at === undefined) return [];
  const debit = debitOf(payment, terms);
  const isReturned = payment.history.completed !== undefined && terms.refund.returned !== 'same';
  const refund = isReturned ? terms.refund.returned : terms.refund.failed;
  const kept = { same: 0n, full: 0n, lessFee: BigInt(payment.fee), none: debit }[refund];
  const row = (type: string, amount: bigint, created_at: number): object => ({
    type,
    currency: payment.from_currency,
    amount: String(amount),
    created_at,
  });
  const { failed } = payment.history;
  const refunds = failed === undefined || kept === debit ? [] : [row('refund', debit - kept, failed)];
  return [row('payment', -debit, at), ...refunds];
}

/** Checks that the events of a payment are its status history. Magic values duplicate or reorder events. */
function checkEvents({ id, mode, history, beneficiary }: Payment, { deliveries }: ModeState): void {
  const sent = deliveries.filter(({ payment_id }) => payment_id === id).map(({ status }) => status);
  const taken = statuses.filter((status) => status in history);
  const account = mode === 'test' ? beneficiary.account : null;
  const copies = account === 'SIM-HOOK-DUP' ? 2 : 1;
  const wanted = taken.flatMap((status) => Array.from({ length: copies }, () => status));
  if (account !== 'SIM-HOOK-SHUFFLE') return expect(sent, 'events').toEqual(wanted);
  // The event to reorder waits for the next one.
  expect(sent.toSorted()).toEqual(
    wanted.filter((status) => status !== 'processing' || taken.at(-1) !== 'processing').toSorted(),
  );
}

/** Checks the facts that clients know. */
function checkPromises({ payments, idempotency }: ModeState, who: Who, era: Era): void {
  const ids = new Map<string, string[]>();
  for (const { id, purpose } of payments) {
    const note = `${who} ${purpose}`;
    ids.set(note, [...(ids.get(note) ?? []), id]);
  }
  for (const [note, found] of ids) expect(found, `${note} made one payment`).toHaveLength(1);
  for (const [note, id] of era.made)
    if (note.startsWith(who)) expect(ids.get(note), `${note} was answered`).toEqual([id]);
  for (const note of era.rejected) expect(ids.has(note), `${note} was refused`).toBe(false);
  for (const { key } of idempotency)
    expect(ids.has(`${who} ${key.replace('k', 'key ')}`), `${key} is bound`).toBe(true);
}
