import { type JsonObject, toMicro } from '@service/internal';
import { evaluateDurations } from '../../experiments/durations.ts';
import { evaluateExtraStatuses } from '../../experiments/extra-statuses.ts';
import { evaluateTransitions } from '../../experiments/transitions.ts';
import type { Observation, StatusReading, WatchedPayment } from '../../experiments/watch.ts';
import type { Finding } from '../../finding.ts';
import { type Call, type RecordedPayment, type Traffic } from './traffic.ts';

/** A status of a payment in a response or a webhook. */
export interface RecordedStatus {
  readonly id: string;
  readonly status: string;
  /** The start and the end of the request, in milliseconds. */
  readonly since: number;
  readonly at: number;
}

/** Returns the statuses of all payments in the order of time. A late webhook does not set a status back. */
export function listStatuses({ payments, reads, webhooks }: Traffic): RecordedStatus[] {
  const all = [
    ...payments.flatMap(({ create }) => toStatus(create, create.response.data)),
    ...reads.flatMap((call) => toStatus(call, call.response.data)),
    ...webhooks.flatMap((call) => toStatus(call, readEvent(call))),
  ].toSorted((one, two) => one.at - two.at);
  const ranks = new Map<string, number>();
  return all.filter(({ id, status }) => {
    const last = ranks.get(id) ?? 0;
    const rank = rankOf(status) ?? last;
    const isNew = rank >= last;
    if (isNew) ranks.set(id, rank);
    return isNew;
  });
}

/** Returns the payment of a webhook. */
export function readEvent({ sent }: Call): JsonObject {
  return { ...sent, ...(sent.data as JsonObject | undefined) };
}

function toStatus({ start, end }: Call, { id, status }: JsonObject): RecordedStatus[] {
  return typeof id === 'string' && typeof status === 'string' ? [{ id, status, since: start, at: end }] : [];
}

/** Returns the place of a documented status. */
function rankOf(status: string): number | undefined {
  const rank = ['pending', 'processing', 'completed', 'failed'].indexOf(status);
  return rank < 0 ? undefined : rank;
}

/** Returns the last status of a payment that was known at a time; empty if none was. */
export function statusAt(statuses: readonly RecordedStatus[], id: string, time: number): string {
  return statuses.findLast((one) => one.id === id && one.at <= time)?.status ?? '';
}

/** Learns the path of payments and the time in each status. */
export function learnStatuses({ payments }: Traffic, statuses: readonly RecordedStatus[]): Finding[] {
  const watched = payments.map((payment) => watch(payment, statuses));
  const paths = watched.flatMap((payment) => evaluateTransitions(payment, payment.statuses, watched));
  const select = (setting: string, values: readonly string[]): Finding[] => {
    const found = paths.filter((finding) => finding.setting === setting && finding.state === 'found');
    const best = values.flatMap(
      (value) => found.find((each) => 'value' in each && each.value === value) ?? [],
    );
    return best.slice(0, 1);
  };
  return [
    // A payment that walks, and an undocumented status, are proofs; their absence is not.
    ...select('transitions', ['walk', 'skip']),
    ...select('unknownStatus', ['invented', 'none']),
    ...[evaluateDurations(watched), evaluateExtraStatuses(watched, [])].filter(
      ({ state }) => state === 'found',
    ),
  ];
}

/** Converts the recorded statuses of a payment to those of a payment that the probe watched. */
function watch({ id, create }: RecordedPayment, statuses: readonly RecordedStatus[]): WatchedPayment {
  const own = statuses.filter((one) => one.id === id);
  const readings = own.map(({ status, since, at }): StatusReading => ({ status, since, at, hidden: 0 }));
  const gaps = readings.map(({ status, at }, index) => {
    const last = readings[index - 1];
    return last === undefined || last.status === status ? 0 : at - last.since;
  });
  const names = [...new Set(readings.map(({ status }) => status))];
  return {
    id,
    account: undefined,
    amount: toMicro(create.response.data.send_amount),
    createdAt: create.end,
    readings,
    statuses: names,
    balances: [],
    gap: Math.max(0, ...gaps),
    observations: names.map((status): Observation => {
      const reads = readings.filter((one) => one.status === status).length;
      return { status, balance: 0n, reads };
    }),
  };
}
