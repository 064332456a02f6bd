import { type Duration, type JsonObject, type ReadLag, toMicro } from '@service/internal';
import { createTestPayment, type ProbeContext, readId, requireData } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import type { RawResponse } from '../raw-client.ts';
import { shows } from '../templates/rows.ts';
import { roundWithin, toDuration } from './durations.ts';
import { ends } from './history.ts';
import { readHistory } from './history-reader.ts';
import { pauseAfter, readBalance } from './watch.ts';

/** Maximum time to wait for a payment in reads after its last status, in milliseconds. */
const MAX_LAG = 10_000;

const LIST = '/transactions?per_page=20';

type Read = keyof ReadLag;

const reads: readonly Read[] = ['payments', 'balance', 'transactions'];

/**
 * When a read first showed the payment, in milliseconds since the create: after 0 if its first read showed it. Undefined if
 * another reason is possible.
 */
type FirstSeen = Map<Read, readonly [after: number, until: number] | undefined>;

/** The reads of a new payment. */
interface NewPayment {
  readonly seen: FirstSeen;
  /** The time that the first round of reads took. */
  readonly firstRound: number;
}

/**
 * The longest first round that shows a payment at once, in milliseconds besides the time of its three responses, and the
 * number of payments that are tried.
 */
const [MAX_FIRST_ROUND, MAX_PAYMENTS] = [500, 4];

/**
 * Creates the first payment of the run and reads it, the balance and the list until all of them show it. Creates another one
 * if the first reads were late, such as after a rate limit.
 */
export async function probeReadLag(context: ProbeContext): Promise<Finding[]> {
  for (let payments = 1; ; payments += 1) {
    const { seen, firstRound } = await readNewPayment(context);
    const limit = MAX_FIRST_ROUND + 3 * findMedian(context.responseTimes);
    const isLate = firstRound > limit && [...seen.values()].some((limits) => limits?.[0] === 0);
    if (!isLate) return [evaluateLag(seen)];
    if (payments === MAX_PAYMENTS)
      return [unknown('readLag', `the first reads ended ${Math.round(firstRound)} ms after the create`)];
  }
}

/**
 * Reads a new payment, the balance and the list. A change of the balance or the list that comes later than a status change,
 * and not with it, can also be a late debit, unless it comes when the payment itself appears.
 */
async function readNewPayment(context: ProbeContext): Promise<NewPayment> {
  const { now, sleep, plan } = context;
  const { createdWith, read: readAll } = await createReadPayment(context);
  const start = now();
  const seen: FirstSeen = new Map();
  const rounds = new Map<Read, { readonly round: number; readonly limits: readonly [number, number] }>();
  let firstRound = 0;
  let last: { readonly at: number; readonly status: unknown } = { at: 0, status: createdWith };
  // A payment can be debited with each status until its end.
  let end = plan.timeout;
  for (let round = 0; seen.size < reads.length && now() - start <= end; round += 1) {
    const { shown, status = createdWith } = await readAll();
    const at = now() - start;
    const isFirst = round === 0;
    if (isFirst) firstRound = at;
    const isVisible = seen.get('payments')?.[0] === 0;
    // A first read without the payment shows a lag, however short.
    const limits = [isFirst ? 0 : Math.max(1, last.at), at] as const;
    for (const read of reads) if (shown[read] && !rounds.has(read)) rounds.set(read, { round, limits });
    if (shown.payments && !seen.has('payments')) seen.set('payments', limits);
    // While reads do not show the present status, a change can also be a late debit.
    const isOwnLag = isFirst || (isVisible && status === createdWith);
    const late = isVisible && status !== last.status ? ([0, at] as const) : undefined;
    const ofPayment = seen.get('payments')?.[1];
    for (const read of ['balance', 'transactions'] as const) {
      const time = rounds.get(read)?.limits;
      if (time === undefined || seen.has(read)) continue;
      if (isVisible || isOwnLag || status !== createdWith) seen.set(read, isOwnLag ? limits : late);
      // A status that is shown late was the present one at that time.
      else if (ofPayment !== undefined && at >= time[1] + ofPayment) seen.set(read, time);
    }
    if (status !== last.status && ends.includes(String(status))) end = at + MAX_LAG;
    last = { at, status };
    if (seen.size < reads.length) await sleep(pauseAfter(at));
  }
  const appeared = rounds.get('payments')?.round ?? 0;
  if (appeared > 0)
    for (const [read, { round, limits }] of rounds)
      if (Math.abs(round - appeared) <= 1) seen.set(read, limits);
  return { seen, firstRound };
}

function findMedian(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

/** A new payment, and its reads. */
interface ReadPayment {
  /** The status in the response to the create. */
  readonly createdWith: unknown;
  /** Reads the payment, the balance and the list once. */
  readonly read: () => Promise<{
    /** Whether each of them shows the payment. */
    readonly shown: Readonly<Record<Read, boolean>>;
    /** The status of the payment; undefined if it is not shown. */
    readonly status: unknown;
  }>;
}

async function createReadPayment(context: ProbeContext): Promise<ReadPayment> {
  const { send, plan } = context;
  const before = await readBalance(context);
  const earlier = await send(LIST);
  // An amount that no other payment of the probe has.
  const amount = Number(plan.amount) + 5;
  const data = requireData(await createTestPayment(context, { amount }), 'POST /payments');
  const id = readId(data.id);
  return {
    createdWith: data.status,
    read: async () => {
      const payment = await send(`/payments/${id}`);
      const balance = await readBalance(context);
      const list = await send(LIST);
      const shown = {
        payments: payment.accepted,
        balance: balance !== before,
        transactions: list.text.includes(id) || countRows(list, data) > countRows(earlier, data),
      };
      return { shown, status: payment.accepted ? payment.data.status : undefined };
    },
  };
}

/** Returns the number of rows with an amount of a payment. Rows do not always have its id. */
function countRows(list: RawResponse, payment: JsonObject): number {
  const page = readHistory(list);
  const [send = 0n, fee = 0n] = [toMicro(payment.send_amount), toMicro(payment.fee)];
  const amounts = [send, send + fee].map((micro) => ({ kind: 'amount', micro }) as const);
  return 'problem' in page ? 0 : page.raw.filter((row) => amounts.some((each) => shows(row, each))).length;
}

function evaluateLag(seen: FirstSeen): Finding {
  const texts = reads.map((read) => `${read} ${describeRead(seen, read)}`);
  const evidence = `a new payment in ${texts.join(', ')}`;
  const lags = reads.flatMap((read): [Read, Duration][] => {
    const [after = 0, until = 0] = seen.get(read) ?? [];
    return after === 0 ? [] : [[read, toDuration(roundWithin(after, until))]];
  });
  return reads.every((read) => seen.get(read) !== undefined)
    ? found('readLag', Object.fromEntries(lags), evidence)
    : unknown('readLag', evidence);
}

function describeRead(seen: FirstSeen, read: Read): string {
  if (!seen.has(read)) return `not within ${MAX_LAG / 1_000} s of its last status`;
  const [after, until] = seen.get(read) ?? [];
  if (after === undefined || until === undefined) return 'later than a status change';
  return after === 0 ? 'at once' : `after ${Math.round(after)} to ${Math.round(until)} ms`;
}
