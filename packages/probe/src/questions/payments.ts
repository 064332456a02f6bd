// What payments do over time: statuses, debits, refunds, and the lag of reads.
import { type OutcomeRule, toMagicValue, writeMicro } from '@service/internal';
import { followPayments, isEnded, RETURN_WAIT } from '../follow.ts';
import { type Movement, readMovements, readWalletHistory, type WalletHistory } from '../movements.ts';
import { listArrivals } from '../rows.ts';
import { type Proof, type Question, type Reading, repeated, sortOut, unasked } from '../question.ts';
import type { Payment, Seen, StatusChange } from '../seen.ts';
import { agreeOn, intersect, type Interval, toDuration } from '../time.ts';

/** Maximum time for which a status may stay unobserved and still count as absent, in milliseconds. */
const MAX_GAP = 500;

const changeTo = ({ changes }: Payment, status: string): StatusChange | undefined =>
  changes.find((one) => one.status === status);

/** Returns the time between two changes as reads show it. */
const between = (one: StatusChange, other: StatusChange): Interval => [
  other.from - one.to,
  other.to - one.from,
];

const documented: ReadonlySet<string> = new Set(['pending', 'processing', 'completed', 'failed']);

const describe = ({ create, statuses, account }: Payment): string =>
  `${String(create.sent.amount)}${account === undefined ? '' : ` to ${account}`}: ${statuses.join(', ')}`;

const path = repeated<Payment>({
  setting: 'statuses.path',
  ask: followPayments,
  request: 'payments, and read them until they complete',
  second: 'a second payment that completes',
  list: ({ payments }) =>
    payments.filter(({ statuses }) => statuses.length > 1 || statuses.some((one) => !documented.has(one))),
  keyOf: ({ id }) => id,
  show: (payment) => {
    const { statuses, changes } = payment;
    const text = describe(payment);
    if (statuses.some((one) => !documented.has(one))) return { text };
    if (statuses.includes('processing')) return { text, value: 'walk' };
    const completed = changeTo(payment, 'completed');
    const isSeen =
      changes[0]?.status === 'pending' && completed !== undefined && completed.to - completed.from <= MAX_GAP;
    return isSeen ? { text, value: 'skip' } : undefined;
  },
});

/** The statuses that end each time, in the order in which a payment can reach them. */
const nextOf: Readonly<Record<string, readonly string[]>> = {
  pending: ['processing', 'completed'],
  processing: ['completed', 'failed'],
  completed: ['failed'],
};

/** Returns the times that payments spent in a status. */
function listTimes({ payments }: Seen, status: string): Interval[] {
  return payments.flatMap((payment) => {
    const index = payment.changes.findIndex((one) => one.status === status);
    const [change, next] = [payment.changes[index], payment.changes[index + 1]];
    if (change === undefined || next === undefined || nextOf[status]?.includes(next.status) !== true)
      return [];
    return [between(change, next)];
  });
}

const writeTimes = ([least, most]: Interval): string =>
  `${Math.max(0, Math.round(least))} to ${Math.round(most)} ms`;

/** The time in a status: one that agrees with every payment, or the shortest and the longest one. */
const timeIn = (status: 'pending' | 'processing' | 'completed'): Question => ({
  setting: `statuses.${status}`,
  ask: followPayments,
  second: `a second payment that leaves ${status}`,
  read: (seen): Reading => {
    const all = listTimes(seen, status);
    const isEnd = seen.payments.some(({ changes }) => isEnded(changes.at(-1)?.status));
    if (all.length === 0)
      // No payment has this status, or is returned.
      return isEnd &&
        (status === 'completed' || !seen.payments.some(({ statuses }) => statuses.includes(status)))
        ? 'pointless'
        : { unknown: `no payment left ${status} while it was read` };
    const evidence = all.slice(0, 3).map(writeTimes).join(', ');
    const { time, against } = agreeOn(all);
    if (time !== undefined && against.length === 0) return { value: toDuration(time), evidence };
    const middles = all.map(([least, most]) => Math.max(0, (least + most) / 2));
    const value = [Math.min(...middles), Math.max(...middles)].map((each) =>
      toDuration(Math.round(each / 100) * 100),
    );
    return { value, evidence, missing: [`the times differ: ${all.length} payments show only some of them`] };
  },
  proves: (seen, value): Proof => {
    const { agree, against } = agreeOn(listTimes(seen, status));
    if (Array.isArray(value)) return { agree: ['the times of all payments'], against: [] };
    return { agree: agree.map(writeTimes), against: against.map(writeTimes) };
  },
});

/** How a payment ended. Undefined while it can still end otherwise. */
function readOutcome(payment: Payment, seen: Seen): OutcomeRule['outcome'] | undefined {
  const { facts } = seen;
  const { changes, statuses, account, watchedUntil } = payment;
  const last = changes.at(-1);
  if (last?.status === 'completed')
    return account !== facts.returning || watchedUntil - last.to > RETURN_WAIT - 1_500 ? 'ok' : undefined;
  if (last?.status !== 'failed') return undefined;
  if (statuses.includes('completed')) return 'return';
  if (statuses.includes('processing')) return 'fail';
  // Without this status, there is only one way to fail.
  if (payment.changes.length === 2 && !seen.payments.some((one) => one.statuses.includes('processing')))
    return 'fail';
  return undefined;
}

/** The outcomes of the payments to the accounts that the caller named, and that they have by the rules of a value. */
function listOutcomes(seen: Seen, rules: readonly OutcomeRule[] = []) {
  const { failing, returning } = seen.facts;
  const named = [failing, returning].filter((account) => account !== undefined);
  return named.map((account) => {
    const own = seen.payments.filter((payment) => payment.account === account);
    const outcomes = own.flatMap((payment) => readOutcome(payment, seen) ?? []);
    const rule = rules.find((one) => one.account === account);
    const expected = rule?.outcome ?? 'ok';
    return { account, outcomes, expected, text: `payments to ${account}: ${outcomes.join(', ')}` };
  });
}

const outcomes: Question = {
  setting: 'outcomes',
  ask: followPayments,
  second: 'a second payment to each account',
  read: (seen) => {
    const all = listOutcomes(seen);
    const ended = all.flatMap(({ account, outcomes: [outcome], text }) =>
      outcome === undefined ? [] : [{ account, outcome, text }],
    );
    const evidence = ended.map(({ text }) => text).join('; ');
    if (ended.length === 0)
      return { unknown: 'no payment to the accounts of `failing` and `returning` ended' };
    if (ended.every(({ account, outcome }) => account === toMagicValue(outcome)))
      return { unknown: `${evidence}, as by default; other accounts were not tried` };
    return {
      value: ended
        .filter(({ outcome }) => outcome !== 'ok')
        .map(({ account, outcome }): OutcomeRule => ({ account, outcome })),
      evidence,
      missing: all
        .filter((one) => one.outcomes.length === 0)
        .map(({ account }) => `payments to ${account} did not end`),
    };
  },
  proves: (seen, value) => {
    const all = listOutcomes(seen, value as readonly OutcomeRule[]);
    const { agree, against } = sortOut(
      all.filter((one) => one.outcomes.length > 0),
      (one) => one.outcomes.every((outcome) => outcome === one.expected),
      ({ text }) => text,
    );
    return { agree: all.every((one) => one.outcomes.length !== 1) ? agree : [], against };
  },
};

/** The time by which the balance is behind the status of a payment, as refunds show it. Undefined without a refund. */
function readBalanceDelay(movements: readonly Movement[]): Interval | undefined {
  const delays = movements.flatMap(({ payment, refunded }): Interval[] => {
    const failed = changeTo(payment, 'failed');
    return refunded && failed ? [[refunded[0] - failed.to, refunded[1] - failed.from]] : [];
  });
  return intersect(delays);
}

/** Returns the status with which a payment was debited. Undefined if reads do not tell. */
function readDebit(
  { payment, debited }: Movement,
  delay: Interval | undefined,
): 'create' | 'processing' | 'completed' | undefined {
  const { changes, create } = payment;
  const [first, next] = changes;
  if (debited === undefined || first === undefined) return undefined;
  // Reads that show a payment and its debit at once, and it still as pending.
  const isAtOnce = first.from === create.start && first.status === 'pending' && debited[0] <= create.end;
  if (isAtOnce && debited[1] <= (next?.from ?? payment.watchedUntil)) return 'create';
  if (delay === undefined) return undefined;
  const possible = (['create', 'processing', 'completed'] as const).filter((status) => {
    const change = status === 'create' ? first : changeTo(payment, status);
    return (
      change !== undefined &&
      intersect([[debited[0] - change.to, debited[1] - change.from], delay]) !== undefined
    );
  });
  return possible.length === 1 ? possible[0] : undefined;
}

const debitStatus = repeated<{ readonly movement: Movement; readonly delay: Interval | undefined }>({
  setting: 'debitAt.status',
  ask: followPayments,
  request: 'payments, and read each of them with the balance',
  second: 'a second payment whose debit the balance shows',
  list: (seen) => {
    const movements = readMovements(seen).filter(({ payment }) => payment.reads.length > 0);
    const delay = readBalanceDelay(movements);
    return movements.map((movement) => ({ movement, delay }));
  },
  keyOf: ({ movement }) => movement.payment.id,
  show: ({ movement, delay }) => {
    const value = readDebit(movement, delay);
    const { payment, debited, debit } = movement;
    const after = Math.round((debited?.[1] ?? 0) - payment.create.end);
    return value === undefined
      ? undefined
      : { text: `${writeMicro(debit ?? 0n)} for ${describe(payment)}, shown after ${after} ms`, value };
  },
});

/** The time after its failure within which a refund counts as missing, in milliseconds. */
const NO_REFUND = 1_000;

interface FailedPayment {
  readonly movement: Movement;
  readonly until: number;
  readonly unexplained: WalletHistory['unexplained'];
}

function listFailed(seen: Seen, isReturn: boolean): FailedPayment[] {
  const { movements, unexplained } = readWalletHistory(seen);
  const until = seen.balances.at(-1)?.start ?? 0;
  return movements
    .filter(
      ({ payment: { statuses } }) =>
        statuses.includes('failed') && statuses.includes('completed') === isReturn,
    )
    .map((movement) => ({ movement, until, unexplained }));
}

function showRefund({
  movement,
  until,
  unexplained,
}: FailedPayment): { readonly text: string; readonly value?: string } | undefined {
  const { payment, debit, refund, fee } = movement;
  const failed = changeTo(payment, 'failed');
  if (debit === undefined || failed === undefined) return undefined;
  const text = `${writeMicro(debit)} taken, ${writeMicro(refund ?? 0n)} back for ${describe(payment)}`;
  if (refund === debit) return { text, value: 'full' };
  if (refund !== undefined) return refund === debit - (fee ?? 0n) ? { text, value: 'lessFee' } : { text };
  const reason = unexplained.find(({ at }) => at >= failed.from);
  if (reason !== undefined) return { text: `${text}; ${reason.text}` };
  const shownAfter = (movement.debited?.[1] ?? 0) - payment.create.end;
  return until - failed.to > NO_REFUND + Math.min(shownAfter, 10_000) ? { text, value: 'none' } : undefined;
}

const refundOf = (part: 'failed' | 'returned'): Question =>
  repeated<FailedPayment & { readonly usual?: string | undefined }>({
    setting: `refund.${part}`,
    ask: followPayments,
    request:
      part === 'failed' ? 'payments that fail after their debit' : 'payments that fail after they completed',
    second: `a second payment that ${part === 'failed' ? 'fails' : 'is returned'}`,
    list: (seen) => {
      const [first] = listFailed(seen, false).flatMap((one) => showRefund(one) ?? []);
      return listFailed(seen, part === 'returned').map((one) => ({ ...one, usual: first?.value }));
    },
    keyOf: ({ movement }) => movement.payment.id,
    show: ({ usual, ...failed }) => {
      const shown = showRefund(failed);
      return shown && part === 'returned' && shown.value === usual && usual !== undefined
        ? { ...shown, value: 'same' }
        : shown;
    },
  });

/** The time after which reads of a payment showed it: 0 if the first one did. */
const lagOfPayment = ({ create, changes: [first], reads }: Payment): Interval | undefined => {
  if (reads.length === 0) return undefined;
  if (first === undefined) return undefined;
  return first.from === create.start
    ? [0, (reads[0]?.end ?? create.end) - create.end]
    : [first.from - create.end, first.to - create.start];
};

const listPaymentLags = ({ payments }: Seen): Interval[] =>
  payments.flatMap((payment) => {
    const interval = lagOfPayment(payment);
    return interval ? [interval] : [];
  });

/** The times of several payments must agree. */
const lagOfPayments: Question = {
  setting: 'readLag.payments',
  ask: followPayments,
  second: 'a second payment',
  read: (seen) => {
    const all = listPaymentLags(seen);
    if (all.length === 0) return { unknown: 'no payment was read after its create' };
    const evidence = `shown after ${all.slice(0, 3).map(writeTimes).join(', ')}`;
    const { time } = agreeOn(all);
    return time === undefined
      ? { other: `the times differ: ${evidence}` }
      : { value: toDuration(time), evidence };
  },
  proves: (seen) => {
    const { agree, against } = agreeOn(listPaymentLags(seen));
    return { agree: agree.map(writeTimes), against: against.map(writeTimes) };
  },
};

/** What a payment left, and the time within which reads began to show it. */
interface Shown {
  readonly payment: Payment;
  readonly shown: Interval;
}

/** Whether the first read shows what a payment left. A later one can be late, or show a later event. */
const atOnce = (part: string, request: string, list: (seen: Seen) => readonly Shown[]): Question =>
  repeated<Shown>({
    setting: `readLag.${part}`,
    ask: followPayments,
    request,
    second: 'a second payment',
    list,
    keyOf: ({ payment }) => payment.id,
    show: ({ payment, shown: [from, to] }) => {
      const { create } = payment;
      const text = `shown after ${writeTimes([from - create.end, to - create.start])}`;
      if (from > create.end) return { text: `${text}: late, or of a later event` };
      return to - create.start <= MAX_GAP ? { text, value: '0s' } : undefined;
    },
  });

export const paymentQuestions: readonly Question[] = [
  path,
  timeIn('pending'),
  timeIn('processing'),
  timeIn('completed'),
  outcomes,
  debitStatus,
  // A wallet that is debited at the create holds nothing.
  unasked('debitAt.hold', followPayments, (seen) => {
    const status = debitStatus.read(seen);
    return typeof status === 'object' && 'value' in status && status.value === 'create';
  }),
  refundOf('failed'),
  refundOf('returned'),
  lagOfPayments,
  atOnce('balance', 'payments, and read the balance', (seen) =>
    readMovements(seen).flatMap(({ payment, debited }) => (debited ? [{ payment, shown: debited }] : [])),
  ),
  atOnce('transactions', 'payments, and read the list', (seen) =>
    seen.payments.flatMap((payment) => {
      const [first] = listArrivals(seen, payment);
      return first?.shown ? [{ payment, shown: first.shown }] : [];
    }),
  ),
];
