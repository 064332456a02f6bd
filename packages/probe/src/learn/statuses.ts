// The statuses of payments over time.
import { type Duration, type OutcomeRule, toMagicValue } from '@service/internal';
import { type Part, found, learned, unknown } from '../finding.ts';
import type { SeenStatus } from '../templates/values.ts';
import type { Call, MadePayment, Traffic } from '../traffic.ts';

/** The shortest and the longest time that agrees with the reads, in milliseconds. */
export type Interval = readonly [shortest: number, longest: number];

/** One read of a payment. */
interface StatusReading {
  readonly status: string;
  /** The start and the end of the read, in milliseconds. */
  readonly since: number;
  readonly at: number;
}

/** The reads of a payment. */
export interface WatchedPayment extends MadePayment {
  /** The beneficiary account, if the payment had one. */
  readonly account: string | undefined;
  /** The start and the end of the create, in milliseconds. */
  readonly requestedAt: number;
  readonly createdAt: number;
  readonly readings: readonly StatusReading[];
  /** The start of the last read before them that did not know the payment, in milliseconds. */
  readonly hiddenAt: number | undefined;
  /** All statuses that were read, in their order, and those in the create response and in webhooks. */
  readonly statuses: readonly string[];
  readonly reported: readonly string[];
  /** The longest time in which another status may have passed unobserved, in milliseconds. */
  readonly gap: number;
}

/** The statuses of the document, in their order. */
export const documentedStatuses: readonly string[] = ['pending', 'processing', 'completed', 'failed'];
/** Returns whether a payment with a status ends with it, but for one that is returned. */
export const isEnded = (status: string): boolean => status === 'completed' || status === 'failed';
/** Maximum time for which a status may stay unobserved and still count as absent, and the reads that show it was skipped. */
export const MAX_GAP = 500;
const MIN_READS = 5;

/** Collects the reads of each payment. */
export function watchPayments({ payments }: Traffic): WatchedPayment[] {
  return payments.map((payment) => {
    const { create, reads: all } = payment;
    const readings = all.flatMap(({ response, start, end }): StatusReading[] => {
      const { status } = response.accepted ? response.data : {};
      return typeof status === 'string' ? [{ status, since: start, at: end }] : [];
    });
    const shown = all.findIndex(({ response }) => response.accepted);
    const hidden = all.filter(({ response }, index) => response.status === 404 && index < shown);
    const gaps = readings.map(({ status, at }, index) => {
      const last = readings[index - 1];
      // No status can come before the first one, however late reads show it.
      if (last === undefined) return status === 'pending' ? 0 : at - create.end;
      return last.status === status ? 0 : at - last.since;
    });
    const { status } = create.response.data;
    const events = payment.events.map((one) => one.status);
    const account = create.sent.beneficiary_account;
    return {
      ...payment,
      account: typeof account === 'string' ? account : undefined,
      requestedAt: create.start,
      createdAt: create.end,
      readings,
      hiddenAt: hidden.at(-1)?.start,
      statuses: [...new Set(readings.map((one) => one.status))],
      reported: [...new Set([...(typeof status === 'string' ? [status] : []), ...events])],
      gap: Math.max(0, ...gaps),
    };
  });
}

/** Returns the statuses of a payment that responses and webhooks had shown at a time, in their order. */
export function statusesAt({ create, reads, events }: MadePayment, time: number = Infinity): string[] {
  const all = [create, ...reads].map(({ response, end }) => ({ status: response.data.status, at: end }));
  const names = [...all, ...events]
    .filter(({ at }) => at <= time)
    .toSorted((one, two) => one.at - two.at)
    .flatMap(({ status }) => (typeof status === 'string' ? [status] : []));
  // A late webhook does not set a status back.
  return [...new Set(names)].toSorted((one, two) => rankOf(one) - rankOf(two));
}

/** Returns the first read of each status of a payment. */
export function listShown({ create, reads }: MadePayment): (SeenStatus & { readonly call: Call })[] {
  const shown = new Map<string, Call>();
  for (const call of reads) {
    const { status } = call.response.data;
    if (call.response.accepted && typeof status === 'string' && !shown.has(status)) shown.set(status, call);
  }
  return [...shown].map(([status, call]) => ({ call, status, after: call.end - create.end }));
}

function rankOf(status: string): number {
  const rank = documentedStatuses.indexOf(status);
  return rank < 0 ? 1.5 : rank;
}

/** Learns the path of payments and their outcomes. */
export function learnStatuses(traffic: Traffic, all: readonly WatchedPayment[]): Part[] {
  const watched = all.filter(({ readings }) => readings.length > 0);
  if (watched.length === 0)
    return (['transitions', 'outcomes', 'extraStatuses'] as const).map((name) =>
      unknown(name, 'no payment was read: create payments and read them until they end'),
    );
  return [evaluateTransitions(watched), evaluateExtra(watched), evaluateOutcomes(traffic, watched)];
}

function evaluateTransitions(watched: readonly WatchedPayment[]): Part {
  const statuses = [...new Set(watched.flatMap((one) => [...one.reported, ...one.statuses]))];
  const observed = `observed: ${statuses.join(', ')}`;
  if (statuses.includes('processing')) return found('transitions', 'walk', observed);
  const completed = watched.filter((one) => one.statuses.includes('completed'));
  const [best] = completed.toSorted((one, two) => one.gap - two.gap);
  if (best === undefined)
    return unknown('transitions', `${observed}; no payment completed in time; raise \`timeout\``);
  const reads = best.readings.filter(({ status }) => status === 'pending').length;
  const evidence = `${observed}; longest gap between two reads ${Math.ceil(best.gap)} ms`;
  return best.gap <= MAX_GAP && reads >= MIN_READS
    ? found('transitions', 'skip', `${evidence}; pending in ${reads} reads`)
    : unknown('transitions', evidence);
}

/** The time within which a payment got a status. */
interface StatusChange {
  readonly status: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the time within which a payment got each status. */
export function listChanges({ requestedAt, createdAt, readings, hiddenAt }: WatchedPayment): StatusChange[] {
  return readings.flatMap(({ status, at }, index): StatusChange[] => {
    const last = readings[index - 1];
    if (last?.status === status) return [];
    if (last !== undefined) return [{ status, from: last.since, to: at }];
    // A payment that reads do not show at first is behind by the same time in all statuses.
    return [
      hiddenAt === undefined
        ? { status, from: requestedAt, to: createdAt }
        : { status, from: hiddenAt, to: at },
    ];
  });
}

/** Returns the times that all intervals have. Its limits are the other way round if there are none. */
export function intersect(intervals: readonly Interval[]): Interval {
  return [Math.max(...intervals.map(([least]) => least)), Math.min(...intervals.map(([, most]) => most))];
}

/** Returns the roundest number within limits. */
export function roundWithin(from: number, to: number): number {
  for (const step of [60_000, 10_000, 5_000, 1_000, 500, 100, 10, 1]) {
    const rounded = Math.ceil(from / step) * step;
    if (rounded <= to && (rounded > 0 || from === 0)) return rounded;
  }
  return Math.round((from + to) / 2);
}

/** Formats a duration. */
export function toDuration(milliseconds: number): Duration {
  return milliseconds % 1_000 === 0 ? `${milliseconds / 1_000}s` : `${milliseconds}ms`;
}

/** Time between two reads in which a payment can complete and be returned, in milliseconds. */
const MAX_RETURN = 3_000;
/** The time after its completion within which a payment is returned, if it is, in milliseconds. */
export const RETURN_WAIT = 10_000;

/** Determines the outcomes of the payments to the accounts that are known to fail. */
function evaluateOutcomes({ facts, calls }: Traffic, watched: readonly WatchedPayment[]): Part {
  const { failing, returning, unavailable } = facts;
  const walks = watched.some(({ statuses }) => statuses.includes('processing'));
  const read = (payment: WatchedPayment): 'ok' | 'fail' | 'fail_early' | 'return' | undefined => {
    const { statuses, reported, gap, readings, account } = payment;
    const seen = new Set([...statuses, ...reported]);
    const completedAt = readings.find(({ status }) => status === 'completed')?.at ?? Infinity;
    const isOver = account !== returning || (readings.at(-1)?.since ?? 0) - completedAt >= RETURN_WAIT;
    if (statuses.at(-1) !== 'failed') return seen.has('completed') && isOver ? 'ok' : undefined;
    if (seen.has('completed')) return 'return';
    if (gap > MAX_RETURN) return undefined;
    if (!walks || seen.has('processing')) return 'fail';
    return gap <= MAX_GAP && readings.length >= MIN_READS ? 'fail_early' : undefined;
  };
  const accounts = [failing, returning, unavailable].filter((account) => account !== undefined);
  const ended = accounts.flatMap((account) => {
    const isRefused = calls.some(
      ({ sent, response }) => sent.beneficiary_account === account && response.status >= 400,
    );
    const outcomes =
      account === unavailable && isRefused
        ? (['unavailable'] as const)
        : watched.flatMap((one) => (one.account === account ? (read(one) ?? []) : []));
    const [outcome] = outcomes;
    return outcome !== undefined && outcomes.every((one) => one === outcome) ? [{ account, outcome }] : [];
  });
  const evidence = ended.map(({ account, outcome }) => `payments to ${account}: ${outcome}`).join(', ');
  if (ended.length === 0)
    return unknown('outcomes', 'no payment to the accounts of `failing` and `returning` ended');
  if (ended.every(({ account, outcome }) => account === toMagicValue(outcome)))
    return unknown('outcomes', `${evidence}, as by default; other accounts were not tried`);
  const rules = ended.flatMap(({ account, outcome }): OutcomeRule[] =>
    outcome === 'ok' ? [] : [{ account: { equals: account }, outcome }],
  );
  const missing = accounts.filter((account) => ended.every((one) => one.account !== account));
  return learned(
    'outcomes',
    rules,
    evidence,
    missing.map((account) => `payments to ${account}`),
  );
}

/** The time after which a payment that has not ended while others did counts as one that stays, in milliseconds. */
const STAYS = 5_000;

/** Reports the statuses that the document does not have, and the payments that stay where they are: both are written by hand. */
function evaluateExtra(watched: readonly WatchedPayment[]): Part {
  const observed = [...new Set(watched.flatMap((one) => [...one.reported, ...one.statuses]))];
  const timeOf = ({ readings, createdAt }: WatchedPayment): number =>
    (readings.at(-1)?.at ?? createdAt) - createdAt;
  const ended = watched.filter(({ statuses }) => statuses.some(isEnded));
  const longest = Math.max(0, ...ended.map(timeOf));
  const stays = watched
    .filter((one) => !ended.includes(one) && longest > 0 && timeOf(one) > Math.max(STAYS, 3 * longest))
    .map(({ create, account, statuses }) => {
      const to = account === undefined ? '' : ` to ${account}`;
      return `a payment of ${String(create.sent.amount)}${to} stays ${statuses.at(-1)}`;
    });
  const others = observed.filter((status) => !documentedStatuses.includes(status));
  const missing = [...stays, ...others.map((status) => `the payments with the status ${status}`)];
  const evidence = [`observed: ${observed.join(', ')}`, ...stays].join('; ');
  const isSure = ended.some(({ statuses, gap }) => statuses.includes('processing') && gap <= MAX_GAP);
  return missing.length > 0 || isSure
    ? learned('extraStatuses', [], evidence, missing)
    : unknown(
        'extraStatuses',
        `${evidence}; the reads are too far apart to tell that no other one is missed`,
      );
}
