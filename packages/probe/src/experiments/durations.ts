import {
  type Duration,
  type DurationRange,
  type OutcomeRule,
  type StatusDurations,
  toMagicValue,
} from '@service/internal';
import type { ProbeContext } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import { MAX_GAP, MIN_READS } from './statuses.ts';
import type { RecordedWebhook } from '../recorder.ts';
import type { StatusReading, WatchedPayment } from './watch.ts';

/** The shortest and the longest time that agrees with the reads, in milliseconds. */
export type Interval = readonly [shortest: number, longest: number];

type Stage = keyof StatusDurations;

const stages: readonly Stage[] = ['pending', 'processing', 'under_review', 'completed'];

/** Determines the time that payments spend in each status. */
export function evaluateDurations(watched: readonly WatchedPayment[]): Finding {
  const measured = new Map<Stage, Interval[]>();
  for (const payment of watched)
    for (const [stage, interval] of measureStatuses(payment))
      measured.set(stage, [...(measured.get(stage) ?? []), interval]);
  if (measured.size === 0) return unknown('durations', 'no status change of a payment was observed');
  const durations = stages.flatMap((stage) => {
    const intervals = measured.get(stage);
    return intervals === undefined ? [] : [[stage, summarizeTimes(intervals), intervals.length] as const];
  });
  const evidence = durations
    .map(([stage, range, count]) => {
      const time = range === undefined ? 'not determined' : formatRange(range);
      return `${stage} ${time} (${count} ${count === 1 ? 'payment' : 'payments'})`;
    })
    .join(', ');
  const value: StatusDurations = {
    ...Object.fromEntries(durations.filter(([, range]) => range !== undefined)),
    // A payment that skips a status has the time of both in the first one.
    ...(isProcessingSkipped(watched) && { processing: 0 }),
  };
  return durations.every(([, range]) => range === undefined)
    ? unknown('durations', `the reads are too far apart: ${evidence}`)
    : found('durations', value, evidence);
}

/** Returns whether no payment was in `processing`, and one completed without a gap in which it can have been. */
function isProcessingSkipped(watched: readonly WatchedPayment[]): boolean {
  return (
    watched.every(({ statuses }) => !statuses.includes('processing')) &&
    watched.some(({ statuses, gap }) => statuses.includes('completed') && gap <= MAX_GAP)
  );
}

/**
 * Returns the time in each status that was followed by another one. Each change happened between the last read of a
 * status and the first read of the next one.
 */
function measureStatuses({ createdAt, readings }: WatchedPayment): [Stage, Interval][] {
  const changes = listChanges(createdAt, readings);
  return changes.slice(0, -1).flatMap(({ status, from, to }, index): [Stage, Interval][] => {
    const next = changes[index + 1];
    const stage = toStage(status);
    if (next === undefined || stage === undefined) return [];
    return [[stage, [Math.max(1, next.from - to), next.to - from]]];
  });
}

/** The time within which a payment got a status. */
export interface StatusChange {
  readonly status: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the time within which a payment got each status. */
export function listChanges(createdAt: number, readings: readonly StatusReading[]): StatusChange[] {
  return readings.flatMap((reading, index): StatusChange[] => {
    const { status, since, at, hiddenAt } = reading;
    const last = readings[index - 1];
    if (last?.status === status) return [];
    // A payment that reads do not show at first is behind by the same time in all statuses.
    if (last === undefined && hiddenAt !== undefined) return [{ status, from: hiddenAt, to: at }];
    return [
      last === undefined
        ? { status, from: createdAt - (at - since), to: createdAt }
        : { status, from: last.since, to: at },
    ];
  });
}

/** Returns the setting of a status; undefined for one without. */
function toStage(status: string): Stage | undefined {
  return stages.find((stage) => stage === status);
}

/** Minimum number of payments whose times agree with one duration. */
const MIN_AGREEING = 2;

/**
 * Returns one duration if it agrees with several intervals, and the limits of a single interval. If no duration agrees with
 * all, the result is the range that they prove: one was at most its first limit, and another one at least its second limit.
 * Undefined if the intervals are too long to tell.
 */
export function summarizeTimes(intervals: readonly Interval[]): DurationRange | undefined {
  const shared = intersect(intervals);
  const [from, to] = shared;
  if (from > to) return intervals.some(isPrecise) ? toRange([to, from]) : undefined;
  if (!isPrecise(shared)) return undefined;
  return intervals.length < MIN_AGREEING ? toRange(shared) : toDuration(roundWithin(from, to));
}

/** Returns the times that all intervals have. Its limits are the other way round if there are none. */
export function intersect(intervals: readonly Interval[]): Interval {
  return [Math.max(...intervals.map(([least]) => least)), Math.min(...intervals.map(([, most]) => most))];
}

/** Returns whether the limits of a time are so close that each time between them is a good estimate. */
function isPrecise([shortest, longest]: Interval): boolean {
  return longest - shortest <= 500 + shortest / 4;
}

/** Formats limits in hundredths of a second. */
export function toRange([shortest, longest]: Interval): DurationRange {
  return [toDuration(Math.floor(shortest / 10) * 10), toDuration(Math.ceil(longest / 10) * 10)];
}

/** The steps of round durations, in milliseconds. */
const steps = [60_000, 10_000, 5_000, 1_000, 500, 100, 10, 1] as const;

/** Returns the roundest number within limits. */
export function roundWithin(from: number, to: number): number {
  for (const step of steps) {
    const rounded = Math.ceil(from / step) * step;
    if (rounded <= to && (rounded > 0 || from === 0)) return rounded;
  }
  return Math.round((from + to) / 2);
}

/** Formats a duration. */
export function toDuration(milliseconds: number): Duration {
  return milliseconds % 1_000 === 0 ? `${milliseconds / 1_000}s` : `${milliseconds}ms`;
}

/** Formats a duration, or its limits. */
export function formatRange(range: DurationRange): string {
  return Array.isArray(range) ? `between ${range.join(' and ')}` : String(range);
}

type Accounts = Pick<ProbeContext['plan'], 'failing' | 'returning' | 'unavailable'>;

/** The payments to the accounts of the plan. */
interface PlannedPayments {
  readonly watched: readonly WatchedPayment[];
  readonly webhooks: readonly RecordedWebhook[];
  /** Whether the create to the account of `unavailable` was refused. */
  readonly isRefused: boolean;
}

/** Determines the outcomes of the payments to the accounts of the plan. */
export function evaluateOutcomes(
  { watched, webhooks, isRefused }: PlannedPayments,
  { failing, returning, unavailable }: Accounts,
): Finding {
  const walks = watched.some(({ statuses }) => statuses.includes('processing'));
  const ended = [failing, returning].flatMap((account) => {
    const payment = watched.find((one) => one.account === account);
    const outcome = payment && readOutcome(payment, walks, webhooks);
    return outcome === undefined ? [] : [{ account, outcome }];
  });
  const refused =
    isRefused && unavailable !== undefined ? [{ account: unavailable, outcome: 'unavailable' as const }] : [];
  const outcomes = [...ended, ...refused];
  const evidence = outcomes.map(({ account, outcome }) => `payments to ${account}: ${outcome}`).join(', ');
  if (ended.length < 2)
    return unknown('outcomes', evidence || 'no payment to the accounts of `failing` and `returning` ended');
  const rules = outcomes.flatMap(({ account, outcome }): OutcomeRule[] =>
    outcome === 'ok' ? [] : [{ account: { equals: account }, outcome }],
  );
  const isDefault = outcomes.every(({ account, outcome }) => account === toMagicValue(outcome));
  return isDefault
    ? unknown('outcomes', `${evidence}, as by default; other accounts were not tried`)
    : found('outcomes', rules, evidence);
}

/** Time between two reads in which a payment can complete and be returned, in milliseconds. */
const MAX_RETURN = 3_000;

/** Returns the outcome of a payment, or undefined if it has not ended or its way was not observed. */
function readOutcome(
  { id, statuses, gap, observations }: WatchedPayment,
  walks: boolean,
  webhooks: readonly RecordedWebhook[],
): 'ok' | 'fail' | 'fail_early' | 'return' | undefined {
  const hasEvent = (status: string): boolean =>
    webhooks.some((one) => one.id === id && one.status === status);
  const sends = (status: string): boolean => webhooks.some((one) => one.status === status);
  const isCompleted = statuses.includes('completed') || hasEvent('completed');
  if (statuses.at(-1) !== 'failed') return isCompleted ? 'ok' : undefined;
  if (isCompleted) return 'return';
  // Reads can miss a status; a service that sends an event for it sends one for each payment.
  if (gap > MAX_RETURN && !(hasEvent('failed') && sends('completed'))) return undefined;
  if (!walks || statuses.includes('processing')) return 'fail';
  if (hasEvent('failed') && sends('processing')) return hasEvent('processing') ? 'fail' : 'fail_early';
  const reads = observations.reduce((sum, one) => sum + one.reads, 0);
  return gap <= MAX_GAP && reads >= MIN_READS ? 'fail_early' : undefined;
}
