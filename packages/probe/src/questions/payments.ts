// What payments do over time: statuses, debits, refunds, and the lag of reads.
import {
  type Duration,
  type OutcomeRule,
  type SimulatedOutcome,
  toMagicValue,
  toMilliseconds,
  writeMicro,
} from '@service/internal';
import { describeCall } from '../call.ts';
import { followPayments } from '../follow.ts';
import { type Movement, readMovements, readWalletHistory } from '../movements.ts';
import { type Question, type Reading, repeated, sortOut, textOf } from '../question.ts';
import { documented, type Payment, perSeen, type Seen, type StatusChange } from '../seen.ts';
import { intersect, type Interval, isPrecise, roundWithin, toDuration } from '../time.ts';
import { findUsual } from '../usual.ts';

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
      ({ statuses }) => statuses.includes('completed') || statuses.some((one) => !documented.includes(one)),
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

/** Where reads are too rare to show `processing`, events tell: a service that sends `pending` and not `processing` is likely to skip it. */
const readPath = (seen: Seen): Reading => {
  const reading = path.read(seen);
  const completed = seen.payments.filter(({ statuses }) => statuses.includes('completed'));
  const open = completed.find((payment) => !isProcessed(payment));
  if (typeof reading !== 'object' || open === undefined) return reading;
  const missing = [`reads in shorter intervals of ${describe(open)}`];
  if ('value' in reading) return reading.value === 'walk' ? { ...reading, missing } : reading;
  const value = completed.some(isProcessed) ? 'walk' : 'skip';
  const hasEvents = seen.deliveries.some(({ status }) => status === 'pending');
  return value === 'walk' || hasEvents ? { value, evidence: describe(open), missing } : reading;
};

const hasProcessingEvent = ({ deliveries }: Payment): boolean =>
  deliveries.some(({ status }) => status === 'processing');
const isProcessed = (payment: Payment): boolean =>
  payment.statuses.includes('processing') || hasProcessingEvent(payment);

/** The outcome of a payment, or of a create that was refused as in an outage. Undefined if reads do not tell it. */
function readOutcome(payment: Payment, { payments }: Seen): SimulatedOutcome | undefined {
  const { statuses, deliveries } = payment;
  const failed = changeTo(payment, 'failed');
  const isCompleted = [...statuses, ...deliveries.map(({ status }) => status)].includes('completed');
  if (failed === undefined) return isCompleted ? 'ok' : undefined;
  if (isCompleted) return 'return';
  const isEarly = !isProcessed(payment) && payments.some(isProcessed);
  return isEarly && !isUnwatched(payment, payments) ? 'fail_early' : 'fail';
}

/** Whether reads can have missed that a payment was processed: they have a long gap, and there is no event of it. */
function isUnwatched(payment: Payment, payments: readonly Payment[]): boolean {
  const failed = changeTo(payment, 'failed');
  const hasEvents = payments.some(hasProcessingEvent) && payment.deliveries.length > 0;
  return !isProcessed(payment) && !hasEvents && failed !== undefined && failed.to - failed.from > MAX_GAP;
}

/** How payments to the accounts of the caller end. */
const listEnds = (seen: Seen) => {
  const { failing = [] } = seen.facts;
  const ended = seen.payments.map((payment) => ({
    account: payment.account ?? '',
    outcome: readOutcome(payment, seen),
    text: describe(payment),
    isOpen: isUnwatched(payment, seen.payments),
  }));
  const refused = seen.of('payments').filter(({ response }) => response.status === 503);
  const down = refused.map((call) => ({
    account: String(call.sent.beneficiary_account),
    outcome: 'unavailable' as const,
    isOpen: false,
    text: `${String(call.sent.amount)}: ${describeCall(call)}`,
  }));
  return [...ended, ...down].filter(
    ({ account, outcome }) => failing.includes(account) && outcome !== undefined,
  );
};

/** The outcomes that the mock does not give these accounts by default. */
const listOutcomes = (seen: Seen) =>
  listEnds(seen).filter(({ account, outcome }) => outcome && account !== toMagicValue(outcome));

const outcomes: Question = {
  setting: 'outcomes',
  ask: followPayments,
  second: 'a second payment to each account',
  read: (seen) => {
    const all = listOutcomes(seen);
    if (all.length === 0)
      return { unknown: 'nothing shows it: name an account that fails in this service with `failing`' };
    const rules = [...new Set(all.map(({ account }) => account))].flatMap((account) => {
      const own = all.filter((one) => one.account === account);
      const outcome = findUsual(own, (one) => one.outcome)?.outcome;
      return outcome === 'ok' ? [] : [{ account, outcome, isOnce: own.length < 2 }];
    });
    return {
      value: rules.map(({ account, outcome }) => ({ account, outcome })),
      evidence: all[0]?.text ?? '',
      missing: [
        ...rules.flatMap(({ account, isOnce }) => (isOnce ? [`a second payment to ${account}`] : [])),
        ...all.flatMap(({ isOpen, text }) => (isOpen ? [`reads in shorter intervals of ${text}`] : [])),
        ...(seen.facts.failing ?? []).flatMap((account) =>
          listEnds(seen).some((one) => one.account === account) ? [] : [`the end of a payment to ${account}`],
        ),
      ],
    };
  },
  proves: (seen, value) => {
    const rules = value as readonly OutcomeRule[];
    const outcomeOf = (account: string) => rules.find((one) => one.account === account)?.outcome ?? 'ok';
    const all = listOutcomes(seen);
    const { agree, against } = sortOut(all, (one) => one.outcome === outcomeOf(one.account), textOf);
    return { agree: agree.slice(1), against };
  },
};

const debits = ['create', 'processing', 'completed'] as const;
type Debit = (typeof debits)[number];

/** The times after which reads of payments showed them: 0 if the first one did. */
const listPaymentLags = ({ payments }: Seen): Interval[] =>
  payments.flatMap(({ create, changes: [first], reads: [read] }): Interval[] => {
    if (read === undefined || first === undefined) return [];
    return first.from === create.start
      ? [[0, read.end - create.end]]
      : [[Math.max(0, first.from - create.end), first.to - create.start]];
  });

/** Returns the statuses with which a payment can have been debited, if the balance is as late as reads of payments, or at once. */
function listPossibleDebits({ payment, debited }: Movement, seen: Seen): string[] {
  const { changes, create } = payment;
  const [first, next] = changes;
  if (debited === undefined || first === undefined) return [];
  const isShownAtOnce = first.from === create.start && debited[0] <= create.end;
  // Reads that show a payment and its debit at once, and it still as pending.
  if (isShownAtOnce && first.status === 'pending' && debited[1] <= (next?.from ?? payment.watchedUntil))
    return ['create at once', 'create late'];
  const [least = 0, most = 0] = intersect(listPaymentLags(seen)) ?? [];
  return debits.flatMap((status) => {
    const change = status === 'create' ? first : changeTo(payment, status);
    if (change === undefined) return [];
    const made: Interval =
      status === 'create' ? [create.start, create.end] : [change.from - most, change.to - least];
    return [
      ...(intersect([debited, made]) ? [`${status} at once`] : []),
      ...(intersect([debited, [change.from, change.to]]) ? [`${status} late`] : []),
    ];
  });
}

/** Returns the status with which most payments are debited. Undefined if reads do not tell it. */
const readUsualDebit = perSeen((seen: Seen): Debit | undefined => {
  const ways = readMovements(seen).flatMap((one) => listPossibleDebits(one, seen));
  // Where as many payments fit another status, the last one is of that.
  const [first, last] = [ways, ways.toReversed()].map((all) => findUsual(all, (way) => way)?.split(' ')[0]);
  return first === last ? (first as Debit | undefined) : undefined;
});

/** Returns the status with which a payment was debited. Undefined if reads do not tell. */
function readDebit(movement: Movement, seen: Seen): Debit | undefined {
  const possible = listPossibleDebits(movement, seen).map((way) => way.split(' ')[0] as Debit);
  const usual = readUsualDebit(seen);
  if (usual !== undefined && possible.includes(usual)) return usual;
  return new Set(possible).size === 1 ? possible[0] : undefined;
}

/** Whether payments are debited at their create: then both are one moment. */
export const isDebitedAtCreate = (seen: Seen): boolean =>
  readMovements(seen).some((movement) => readDebit(movement, seen) === 'create');

const debitStatus = repeated<Movement>({
  setting: 'debitAt.status',
  ask: followPayments,
  request: 'payments, and read each of them with the balance',
  list: (seen) => readMovements(seen).filter(({ payment, debited }) => debited && payment.reads.length > 0),
  show: (movement, seen) => {
    const value = readDebit(movement, seen);
    const { payment, debited, debit } = movement;
    const after = Math.round((debited?.[1] ?? 0) - payment.create.end);
    const text = `${writeMicro(debit ?? 0n)} for ${describe(payment)}, shown after ${after} ms`;
    if (value !== undefined) return { text, value };
    // It comes later than the create, with no status.
    return listPossibleDebits(movement, seen).length === 0 ? { text } : undefined;
  },
});

/** A debit that comes later than the create, with no status, is more like one while it is processed than one at the create. */
const readDebitStatus = (seen: Seen): Reading => {
  const reading = debitStatus.read(seen);
  if (typeof reading !== 'object' || !('other' in reading)) return reading;
  return { value: 'processing', evidence: reading.other, missing: ['a status with which the balance falls'] };
};

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

/** The times by which the balance showed refunds later than the failure was, which reads show late too. */
const listRefundLags = (seen: Seen): Interval[] =>
  readMovements(seen).flatMap(({ payment, refunded }): Interval[] => {
    const failed = changeTo(payment, 'failed');
    const [least, most] = intersect(listPaymentLags(seen)) ?? [0, 0];
    return refunded && failed ? [[refunded[0] - failed.to + least, refunded[1] - failed.from + most]] : [];
  });

/** The reads that show an earlier status than an event did, longer after it than the lag. */
const listStaleReads = ({ payments }: Seen, lag: number): string[] =>
  payments.flatMap(({ reads, deliveries }) =>
    reads.flatMap(({ response, start }) => {
      const rank = documented.indexOf(String(response.data.status));
      const event = deliveries.find(
        (one) => start - one.at > lag + STALE && documented.indexOf(one.status) > rank,
      );
      return rank < 0 || event === undefined
        ? []
        : [`${documented[rank]} is read ${start - event.at} ms after the event ${event.status}`];
    }),
  );

/** The time by which reads can be late by chance, in milliseconds. */
const STALE = 300;

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
  proves: (seen, value) => {
    const [first, ...others] = list(seen);
    const { agree, against } = sortOut(others, (one) => !!first && !!intersect([first, one]), writeTimes);
    const stale = part === 'payments' ? listStaleReads(seen, toMilliseconds(value as Duration)) : [];
    // Wide intervals agree by chance.
    return { agree: others.some(isPrecise) ? agree : [], against: [...against, ...stale] };
  },
});

export const paymentQuestions: readonly Question[] = [
  { ...path, read: readPath },
  outcomes,
  { ...debitStatus, read: readDebitStatus },
  refund,
  lag('payments', listPaymentLags),
  lag('balance', (seen) => {
    const lags = listBalanceLags(seen);
    return lags.length === 0 ? [] : [...lags, ...listRefundLags(seen)];
  }),
];
