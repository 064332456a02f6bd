// What payments do over time: statuses, debits, refunds, and the lag of reads.
import { type OutcomeRule, toMagicValue, writeMicro } from '@service/internal';
import { describeCall } from '../call.ts';
import { followPayments, isEnded, RETURN_WAIT } from '../follow.ts';
import { type Movement, readMovements, readWalletHistory, type WalletHistory } from '../movements.ts';
import { listArrivals } from '../rows.ts';
import { type Proof, type Question, type Reading, repeated } from '../question.ts';
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
  // The reads are too near for a status between them that other payments have for longer.
  const shortest = Math.min(...listTimes(seen, 'processing').map(([least]) => least));
  const gap = Math.max(MAX_GAP, shortest === Infinity ? 0 : shortest);
  return last.to - last.from <= gap && statuses.includes('pending') ? 'fail_early' : undefined;
}

interface Ended {
  readonly account: string;
  readonly outcome: OutcomeRule['outcome'];
  readonly text: string;
}

function listEnded(seen: Seen): Ended[] {
  const { failing, returning, unavailable } = seen.facts;
  const refused = seen.of('refusals.unavailable').filter(({ response }) => response.status >= 400);
  return [
    ...seen.payments.flatMap((payment) => {
      const outcome = readOutcome(payment, seen);
      const { account } = payment;
      const isKnown =
        account !== undefined && (account === failing || account === returning || account === unavailable);
      return isKnown && outcome !== undefined ? [{ account, outcome, text: describe(payment) }] : [];
    }),
    ...(unavailable === undefined
      ? []
      : refused.map((call) => ({
          account: unavailable,
          outcome: 'unavailable' as const,
          text: describeCall(call),
        }))),
  ];
}

/** The outcomes of payments to the accounts that the caller named. */
const outcomes: Question = {
  setting: 'outcomes',
  ask: followPayments,
  second: 'a second payment to each account',
  read: (seen) => {
    const ended = listEnded(seen);
    const accounts = [...new Set(ended.map(({ account }) => account))];
    if (accounts.length === 0)
      return { unknown: 'no payment to the accounts of `failing` and `returning` ended' };
    const first = accounts.map((account) => ended.find((one) => one.account === account) as Ended);
    const evidence = first.map(({ account, outcome }) => `payments to ${account}: ${outcome}`).join(', ');
    if (first.every(({ account, outcome }) => account === toMagicValue(outcome)))
      return { unknown: `${evidence}, as by default; other accounts were not tried` };
    const rules = first.flatMap(({ account, outcome }): OutcomeRule[] =>
      outcome === 'ok' ? [] : [{ account: { equals: account }, outcome }],
    );
    const asked = [seen.facts.failing, seen.facts.returning].filter((account) => account !== undefined);
    return {
      value: rules,
      evidence,
      missing: asked
        .filter((account) => !accounts.includes(account))
        .map((account) => `payments to ${account} did not end`),
    };
  },
  proves: (seen, value) => {
    const ended = listEnded(seen);
    const rules = value as readonly OutcomeRule[];
    const outcomeOf = (account: string): string =>
      rules.find((rule) => rule.account?.equals === account)?.outcome ?? 'ok';
    const others = ended.filter(
      (one, index) => ended.findIndex(({ account }) => account === one.account) < index,
    );
    const once = [...new Set(ended.map(({ account }) => account))].filter((account) =>
      others.every((one) => one.account !== account),
    );
    return {
      agree:
        once.length === 0
          ? others.filter(({ account, outcome }) => outcomeOf(account) === outcome).map(({ text }) => text)
          : [],
      against: others
        .filter(({ account, outcome }) => outcomeOf(account) !== outcome)
        .map(({ text }) => text),
    };
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

/** Creates the question about a lag: the times of several payments must agree. */
const lag = (part: string, reason: string, list: (seen: Seen) => readonly Interval[]): Question => ({
  setting: `readLag.${part}`,
  ask: followPayments,
  second: 'a second payment',
  read: (seen) => {
    const all = list(seen);
    if (all.length === 0) return { unknown: reason };
    const evidence = `shown after ${all.slice(0, 3).map(writeTimes).join(', ')}`;
    const { time } = agreeOn(all);
    return time === undefined
      ? { other: `the times differ: ${evidence}` }
      : { value: toDuration(time), evidence };
  },
  proves: (seen) => {
    const { agree, against } = agreeOn(list(seen));
    return { agree: agree.map(writeTimes), against: against.map(writeTimes) };
  },
});

/** Returns the lag of reads of payments. Undefined if it differs. */
const lagOfReads = (seen: Seen): Interval | undefined => intersect(listPaymentLags(seen));

/** The lag of the balance: of debits at the create, or of refunds. */
function listBalanceLags(seen: Seen): Interval[] {
  const movements = readMovements(seen).filter(({ payment }) => payment.reads.length > 0);
  const delay = readBalanceDelay(movements);
  const reads = lagOfReads(seen);
  // A refund can come later than its failure: it shows a lag only if debits show the same one.
  const hasDebits = movements.some((movement) => readDebit(movement, delay) !== undefined);
  return movements.flatMap((movement): Interval[] => {
    const { payment, debited, refunded } = movement;
    const { create } = payment;
    if (debited && readDebit(movement, delay) === 'create')
      return [fromZero([debited[0] - create.end, debited[1] - create.start])];
    const failed = changeTo(payment, 'failed');
    return hasDebits && refunded && failed && reads
      ? [fromZero([refunded[0] - failed.to + reads[0], refunded[1] - failed.from + reads[1]])]
      : [];
  });
}

const fromZero = ([least, most]: Interval): Interval => [Math.max(0, least), most];

/**
 * The lag of the list. A row that comes later than its payment can be late, or belong to a later event. So only rows that the
 * first read shows, and those of a failure, tell the lag.
 */
function listListLags(seen: Seen): Interval[] {
  const reads = lagOfReads(seen);
  const arrivals = seen.payments.map((payment) => ({ payment, rows: listArrivals(seen, payment) }));
  const atOnce = arrivals.flatMap(({ payment: { create }, rows: [first] }): Interval[] =>
    first?.shown && first.shown[0] <= create.end ? [[0, first.shown[1] - create.start]] : [],
  );
  const ofFailures = arrivals.flatMap(({ payment, rows }): Interval[] => {
    const [failed, last] = [changeTo(payment, 'failed'), rows.at(-1)];
    if (
      failed === undefined ||
      !last?.shown ||
      rows.length < 2 ||
      last.shown[1] < failed.from ||
      reads === undefined
    )
      return [];
    return [fromZero([last.shown[0] - failed.to + reads[0], last.shown[1] - failed.from + reads[1]])];
  });
  // A row of a refund can come later than its failure: it shows a lag only if the first rows show the same one.
  const common = intersect(ofFailures);
  const isLag =
    common !== undefined &&
    arrivals.some(({ payment: { create, changes }, rows: [first] }) =>
      [create, ...changes.slice(1)].some((event) => {
        const [from, to] = 'from' in event ? [event.from, event.to] : [event.start, event.end];
        const [least, most] = 'from' in event ? (reads ?? [0, 0]) : [0, 0];
        const shown = first?.shown;
        return shown && intersect([[shown[0] - to + least, shown[1] - from + most], common]) !== undefined;
      }),
    );
  // Where some rows are shown at once, and others late, the times contradict each other.
  const late = arrivals.filter(
    ({ payment: { create }, rows: [first] }) => first?.shown && first.shown[0] > create.end,
  );
  return atOnce.length > late.length
    ? [...atOnce, ...late.map((): Interval => [Infinity, Infinity])]
    : isLag
      ? ofFailures
      : [];
}

export const paymentQuestions: readonly Question[] = [
  path,
  timeIn('pending'),
  timeIn('processing'),
  timeIn('completed'),
  outcomes,
  debitStatus,
  refundOf('failed'),
  refundOf('returned'),
  lag('payments', 'no payment was read after its create', listPaymentLags),
  lag('balance', 'no balance shows when a payment was debited or refunded', listBalanceLags),
  lag('transactions', 'no row shows whether the list is late, or rows belong to later events', listListLags),
];
