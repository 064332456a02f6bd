// What payments do over time: statuses, debits, refunds, and the lag of reads.
import { toMagicValue, writeMicro } from '@service/internal';
import { followPayments, isEnded } from '../follow.ts';
import { type Movement, readMovements, readWalletHistory } from '../movements.ts';
import { type Question, repeated, sortOut } from '../question.ts';
import { documented, type Payment, type Seen, type StatusChange } from '../seen.ts';
import { intersect, type Interval, isPrecise, roundWithin, toDuration } from '../time.ts';

/** Maximum time for which a status may stay unobserved and still count as absent, in milliseconds. */
const MAX_GAP = 500;

const changeTo = ({ changes }: Payment, status: string): StatusChange | undefined =>
  changes.find((one) => one.status === status);

const describe = ({ create, statuses, account }: Payment): string =>
  `${String(create.sent.amount)}${account === undefined ? '' : ` to ${account}`}: ${statuses.join(', ')}`;

const path = repeated<Payment>({
  setting: 'statuses.path',
  ask: followPayments,
  request: 'payments, and read them until they complete',
  list: ({ payments }) =>
    payments.filter(
      ({ statuses }) => statuses.length > 1 || statuses.some((one) => !documented.includes(one)),
    ),
  show: (payment) => {
    const { statuses, changes } = payment;
    const text = describe(payment);
    if (statuses.some((one) => !documented.includes(one))) return { text };
    if (statuses.includes('processing')) return { text, value: 'walk' };
    const completed = changeTo(payment, 'completed');
    const isSeen =
      changes[0]?.status === 'pending' && completed !== undefined && completed.to - completed.from <= MAX_GAP;
    return isSeen ? { text, value: 'skip' } : undefined;
  },
});

const hasProcessingEvent = ({ deliveries }: Payment): boolean =>
  deliveries.some(({ status }) => status === 'processing');
const isProcessed = (payment: Payment): boolean =>
  payment.statuses.includes('processing') || hasProcessingEvent(payment);

/** How payments to the account of the caller end, unless it is the one that fails by default. */
const outcomes = repeated<Payment>({
  setting: 'outcomes',
  ask: followPayments,
  request: 'payments to an account that fails in this service, named with `failing`',
  list: ({ payments, facts: { failing } }) =>
    payments.filter(({ account, changes }) => account === failing && isEnded(changes.at(-1)?.status)),
  show: (payment, { payments }) => {
    const { account, statuses } = payment;
    const text = describe(payment);
    if (statuses.includes('completed')) return { text, value: [] };
    const isEarly = !isProcessed(payment) && payments.some(isProcessed);
    const failed = changeTo(payment, 'failed');
    // Reads with a long gap between them can miss a status, which then has no event either.
    const isWatched = payments.some(hasProcessingEvent) && payment.deliveries.length > 0;
    if (isEarly && !isWatched && failed && failed.to - failed.from > MAX_GAP) return undefined;
    const outcome = isEarly ? 'fail_early' : 'fail';
    return account === toMagicValue(outcome) ? undefined : { text, value: [{ account, outcome }] };
  },
});

/** The time by which the balance is behind the status of a payment, as refunds show it. Undefined without a refund. */
function readBalanceDelay(seen: Seen): Interval | undefined {
  const delays = readMovements(seen).flatMap(({ payment, refunded }): Interval[] => {
    const failed = changeTo(payment, 'failed');
    return refunded && failed ? [[refunded[0] - failed.to, refunded[1] - failed.from]] : [];
  });
  return intersect(delays);
}

const debits = ['create', 'processing', 'completed'] as const;

/** Returns the status with which a payment was debited. Undefined if reads do not tell. */
function readDebit({ payment, debited }: Movement, seen: Seen): (typeof debits)[number] | undefined {
  const { changes, create } = payment;
  const [first, next] = changes;
  if (debited === undefined || first === undefined) return undefined;
  // Reads that show a payment and its debit at once, and it still as pending.
  const isAtOnce = first.from === create.start && first.status === 'pending' && debited[0] <= create.end;
  if (isAtOnce && debited[1] <= (next?.from ?? payment.watchedUntil)) return 'create';
  const delay = readBalanceDelay(seen);
  if (delay === undefined) return undefined;
  const possible = debits.filter((status) => {
    const change = status === 'create' ? first : changeTo(payment, status);
    return (
      change !== undefined &&
      intersect([[debited[0] - change.to, debited[1] - change.from], delay]) !== undefined
    );
  });
  return possible.length === 1 ? possible[0] : undefined;
}

/** Whether payments are debited at their create: then both are one moment. */
export const isDebitedAtCreate = (seen: Seen): boolean =>
  readMovements(seen).some((movement) => readDebit(movement, seen) === 'create');

const debitStatus = repeated<Movement>({
  setting: 'debitAt.status',
  ask: followPayments,
  request: 'payments, and read each of them with the balance',
  list: (seen) => readMovements(seen).filter(({ payment }) => payment.reads.length > 0),
  show: (movement, seen) => {
    const value = readDebit(movement, seen);
    const { payment, debited, debit } = movement;
    const after = Math.round((debited?.[1] ?? 0) - payment.create.end);
    return value === undefined
      ? undefined
      : { text: `${writeMicro(debit ?? 0n)} for ${describe(payment)}, shown after ${after} ms`, value };
  },
});

/** The time after its failure within which a refund counts as missing, in milliseconds. */
const NO_REFUND = 1_000;

const refund = repeated<Movement>({
  setting: 'refund.failed',
  ask: followPayments,
  request: 'payments that fail after their debit',
  list: readMovements,
  show: ({ payment, debit, refund: back, fee, debited }, seen) => {
    const failed = changeTo(payment, 'failed');
    if (debit === undefined || failed === undefined || payment.statuses.includes('completed'))
      return undefined;
    const text = `${writeMicro(debit)} taken, ${writeMicro(back ?? 0n)} back for ${describe(payment)}`;
    if (back === debit) return { text, value: 'full' };
    if (back !== undefined) return back === debit - (fee ?? 0n) ? { text, value: 'lessFee' } : { text };
    // Reads can show a failure later than the balance shows its refund.
    const since = debited?.[0] ?? failed.from;
    if (readWalletHistory(seen).unexplained.some((at) => at >= since))
      return { text: `${text}; the balance changed by another amount too` };
    const shownAfter = (debited?.[1] ?? 0) - payment.create.end;
    const until = seen.balances.at(-1)?.start ?? 0;
    return until - failed.to > NO_REFUND + Math.min(shownAfter, 10_000) ? { text, value: 'none' } : undefined;
  },
});

/** The times after which the balance showed debits that come with the create. */
const listBalanceLags = (seen: Seen): Interval[] =>
  readMovements(seen).flatMap((movement): Interval[] => {
    const { payment, debited } = movement;
    if (debited === undefined || readDebit(movement, seen) !== 'create') return [];
    const { start, end } = payment.create;
    return [[Math.max(0, debited[0] - end), debited[1] - (debited[0] <= end ? end : start)]];
  });

/** The times after which reads of payments showed them: 0 if the first one did. */
const listPaymentLags = ({ payments }: Seen): Interval[] =>
  payments.flatMap(({ create, changes: [first], reads: [read] }): Interval[] => {
    if (read === undefined || first === undefined) return [];
    return first.from === create.start
      ? [[0, read.end - create.end]]
      : [[Math.max(0, first.from - create.end), first.to - create.start]];
  });

const writeTimes = ([least, most]: Interval): string => `${Math.round(least)} to ${Math.round(most)} ms`;

const lag = (part: 'payments' | 'balance', list: (seen: Seen) => Interval[]): Question => ({
  setting: `readLag.${part}`,
  ask: followPayments,
  second: 'a second payment',
  read: (seen) => {
    const [first] = list(seen);
    // A debit that comes later does not show the lag of the balance.
    if (first === undefined && readMovements(seen).some(({ debited }) => debited)) return 'pointless';
    if (first === undefined) return { unknown: `no read of ${part} shows it` };
    // Both are late by the same time if that is possible.
    const common = intersect([...listPaymentLags(seen), ...listBalanceLags(seen)]);
    return {
      value: toDuration(roundWithin(common ?? intersect(list(seen)) ?? first)),
      evidence: writeTimes(first),
    };
  },
  proves: (seen) => {
    const [first, ...others] = list(seen);
    const { agree, against } = sortOut(others, (one) => !!first && !!intersect([first, one]), writeTimes);
    // Wide intervals agree by chance.
    return { agree: others.some(isPrecise) ? agree : [], against };
  },
});

export const paymentQuestions: readonly Question[] = [
  path,
  outcomes,
  debitStatus,
  refund,
  lag('payments', listPaymentLags),
  lag('balance', listBalanceLags),
];
