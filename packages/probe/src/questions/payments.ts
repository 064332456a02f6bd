// What payments do over time: statuses, debits, refunds, and the lag of reads.
import { toMagicValue, writeMicro } from '@service/internal';
import { followPayments, isEnded } from '../follow.ts';
import { type Movement, readMovements, readWalletHistory, type WalletHistory } from '../movements.ts';
import { type Proof, type Question, type QuestionName, type Reading, repeated } from '../question.ts';
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

/** The statuses that end each time. */
const nextOf = { pending: ['processing', 'completed'], processing: ['completed', 'failed'] } as const;

const writeTimes = ([least, most]: Interval): string =>
  `${Math.max(0, Math.round(least))} to ${Math.round(most)} ms`;

/** A time that several payments must agree on. */
const timeOf = (
  setting: QuestionName,
  second: string,
  list: (seen: Seen) => readonly Interval[],
  toRange?: (all: readonly Interval[]) => readonly string[],
): Question => ({
  setting,
  ask: followPayments,
  second,
  read: (seen): Reading => {
    const all = list(seen);
    if (all.length === 0) return { unknown: `nothing shows it: read ${second} until it ends` };
    const evidence = all.slice(0, 3).map(writeTimes).join(', ');
    const { time, against } = agreeOn(all);
    if (time !== undefined && (toRange === undefined || against.length === 0))
      return { value: toDuration(time), evidence };
    const missing = [`the times of ${all.length} payments differ: ${evidence}`];
    return toRange ? { value: toRange(all), evidence, missing } : { other: missing[0] as string };
  },
  proves: (seen, value): Proof => {
    const { agree, against } = agreeOn(list(seen));
    if (Array.isArray(value)) return { agree: ['the times of all payments'], against: [] };
    return { agree: agree.map(writeTimes), against: against.map(writeTimes) };
  },
});

/** The time in a status: one that agrees with every payment, or the shortest and the longest one. */
const timeIn = (status: keyof typeof nextOf): Question => {
  const question = timeOf(
    `statuses.${status}`,
    `a second payment that leaves ${status}`,
    ({ payments }) =>
      payments.flatMap(({ changes }) => {
        const index = changes.findIndex((one) => one.status === status);
        const [change, next] = [changes[index], changes[index + 1]];
        const isNext = nextOf[status].some((name) => name === next?.status);
        return change && next && isNext ? [between(change, next)] : [];
      }),
    (all) => {
      const middles = all.map(([least, most]) => Math.max(0, (least + most) / 2));
      const ends = [Math.min(...middles), Math.max(...middles)];
      return ends.map((each) => toDuration(Math.round(each / 100) * 100));
    },
  );
  const isSkipped = ({ payments }: Seen): boolean =>
    payments.some(({ changes }) => isEnded(changes.at(-1)?.status)) &&
    !payments.some(({ statuses }) => statuses.includes(status));
  return { ...question, read: (seen) => (isSkipped(seen) ? 'pointless' : question.read(seen)) };
};

/** How payments to the account of the caller end, unless it is the one that fails by default. */
const outcomes = repeated<Payment>({
  setting: 'outcomes',
  ask: followPayments,
  request: 'payments to an account that fails in this service, named with `failing`',
  second: 'a second payment to this account',
  list: ({ payments, facts: { failing } }) =>
    payments.filter(({ account, changes }) => account === failing && isEnded(changes.at(-1)?.status)),
  keyOf: ({ id }) => id,
  show: (payment, { payments }) => {
    const { account, statuses } = payment;
    const text = describe(payment);
    if (statuses.includes('completed')) return { text, value: [] };
    const isEarly =
      !statuses.includes('processing') && payments.some((one) => one.statuses.includes('processing'));
    const failed = changeTo(payment, 'failed');
    if (isEarly && failed && failed.to - failed.from > MAX_GAP) return undefined;
    const outcome = isEarly ? 'fail_early' : 'fail';
    return account === toMagicValue(outcome) ? undefined : { text, value: [{ account, outcome }] };
  },
});

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

/** The payments that failed, and were not completed before. */
function listFailed(seen: Seen): FailedPayment[] {
  const { movements, unexplained } = readWalletHistory(seen);
  const until = seen.balances.at(-1)?.start ?? 0;
  return movements
    .filter(({ payment: { statuses } }) => statuses.includes('failed') && !statuses.includes('completed'))
    .map((movement) => ({ movement, until, unexplained }));
}

const refund = repeated<FailedPayment>({
  setting: 'refund.failed',
  ask: followPayments,
  request: 'payments that fail after their debit',
  second: 'a second payment that fails',
  list: listFailed,
  keyOf: ({ movement }) => movement.payment.id,
  show: ({ movement, until, unexplained }) => {
    const { payment, debit, refund: back, fee, debited } = movement;
    const failed = changeTo(payment, 'failed');
    if (debit === undefined || failed === undefined) return undefined;
    const text = `${writeMicro(debit)} taken, ${writeMicro(back ?? 0n)} back for ${describe(payment)}`;
    if (back === debit) return { text, value: 'full' };
    if (back !== undefined) return back === debit - (fee ?? 0n) ? { text, value: 'lessFee' } : { text };
    const reason = unexplained.find(({ at }) => at >= failed.from);
    if (reason !== undefined) return { text: `${text}; ${reason.text}` };
    const shownAfter = (debited?.[1] ?? 0) - payment.create.end;
    return until - failed.to > NO_REFUND + Math.min(shownAfter, 10_000) ? { text, value: 'none' } : undefined;
  },
});

/** The time after which reads of a payment showed it: 0 if the first one did. */
const lagOf = ({ create, changes: [first], reads }: Payment): Interval[] => {
  if (reads.length === 0 || first === undefined) return [];
  return first.from === create.start
    ? [[0, (reads[0]?.end ?? create.end) - create.end]]
    : [[first.from - create.end, first.to - create.start]];
};

export const paymentQuestions: readonly Question[] = [
  path,
  timeIn('pending'),
  timeIn('processing'),
  outcomes,
  debitStatus,
  refund,
  timeOf('readLag.payments', 'a second payment', ({ payments }) => payments.flatMap(lagOf)),
];
