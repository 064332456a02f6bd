import { type Duration, type Micro, type ReadLag, toMicro } from '@service/internal';
import { createTestPayment, type ProbeContext, readId, requireData } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import type { RawResponse } from '../raw-client.ts';
import { shows } from '../templates/rows.ts';
import { MAX_LAG, readWallet, type WalletReading } from './debit.ts';
import { intersect, type Interval, roundWithin, toDuration } from './durations.ts';
import { ends } from './history.ts';
import { readHistory } from './history-reader.ts';
import { findStatusTime, type WalletPayment, type WalletTimes } from './wallet-times.ts';
import { type BalanceReading, pauseAfter, type StatusReading, timeBalance } from './watch.ts';

const LIST = '/transactions?per_page=20';

/** A new payment, and when the list first showed it. */
export interface NewPayment {
  readonly made: WalletPayment;
  /** The time within which the list first showed a row of it, in milliseconds; undefined if it did not. */
  readonly listed: Interval | undefined;
  /** The time that the first round of reads took, if that is too long to tell a read that shows the payment at once. */
  readonly lateBy: number | undefined;
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
export async function readNewPayments(context: ProbeContext): Promise<NewPayment> {
  for (let payments = 1; ; payments += 1) {
    const read = await readNewPayment(context);
    if (read.lateBy === undefined || payments === MAX_PAYMENTS) return read;
  }
}

/** Reads a new payment, the balance and the list. */
async function readNewPayment(context: ProbeContext): Promise<NewPayment> {
  const { now, sleep, plan } = context;
  const { readings, balances, wallet, ...payment } = await createReadPayment(context);
  let listed: Interval | undefined;
  let lateBy: number | undefined;
  // A payment can be debited with each status until its end.
  const latest = payment.createdAt + plan.timeout;
  for (let end = latest; now() <= end;) {
    const before = readings.at(-1)?.status;
    const row = await payment.read();
    listed ??= row;
    const status = readings.at(-1)?.status ?? '';
    const elapsed = now() - payment.createdAt;
    const isDebited = balances.at(-1)?.balance !== wallet.before;
    const isFirst = balances.length === 1;
    const limit = MAX_FIRST_ROUND + 3 * findMedian(context.responseTimes);
    const isShown = status !== '' || isDebited || listed !== undefined;
    if (isFirst && isShown && elapsed > limit) lateBy = elapsed;
    // A debit that comes later belongs to a status that reads can show even later.
    const isComplete = balances[0]?.balance !== wallet.before || ends.includes(status);
    if (status !== '' && isDebited && listed !== undefined && isComplete) break;
    if (ends.includes(status) && status !== before) end = Math.min(now(), latest) + MAX_LAG;
    await sleep(pauseAfter(elapsed));
  }
  const statuses = [...new Set(readings.map(({ status }) => status))];
  const { id, createdAt, requestedAt, amount } = payment;
  const watched = { id, account: undefined, amount, createdAt, readings, balances, statuses };
  return {
    made: { payment: { ...watched, observations: [], gap: Infinity }, wallet, requestedAt },
    listed,
    lateBy,
  };
}

/** A new payment, and the reads that show it. */
interface ReadPayment {
  readonly id: string;
  readonly amount: Micro | undefined;
  readonly wallet: WalletReading;
  readonly requestedAt: number;
  readonly createdAt: number;
  readonly readings: readonly StatusReading[];
  readonly balances: readonly BalanceReading[];
  /** Reads the payment, the balance and the list. Returns the time within which the list first showed a row of the payment. */
  readonly read: () => Promise<Interval | undefined>;
}

async function createReadPayment(context: ProbeContext): Promise<ReadPayment> {
  const { now, send, plan } = context;
  // An amount that no other payment of the probe has.
  const amount = Number(plan.amount) + 5;
  const wallet = await readWallet(context, { amount });
  const earlier = await send(LIST);
  const requestedAt = now();
  const data = requireData(await createTestPayment(context, { amount }), 'POST /payments');
  const [id, createdAt] = [readId(data.id), now()];
  const [readings, balances]: [StatusReading[], BalanceReading[]] = [[], []];
  let hiddenAt: number | undefined;
  let listedAt = requestedAt;
  return {
    id,
    amount: toMicro(data.send_amount),
    wallet,
    requestedAt,
    createdAt,
    readings,
    balances,
    read: async () => {
      const since = now();
      const payment = await send(`/payments/${id}`);
      const status = payment.accepted ? payment.data.status : undefined;
      const hidden = (hiddenAt ?? createdAt) - createdAt;
      if (typeof status === 'string') readings.push({ status, since, at: now(), hidden, hiddenAt });
      else if (readings.length === 0) hiddenAt = since;
      balances.push(await timeBalance(context));
      const [after, at] = [listedAt, now()];
      listedAt = at;
      const list = await send(LIST);
      const isListed = list.text.includes(id) || countRows(list, wallet) > countRows(earlier, wallet);
      return isListed ? [after, now()] : undefined;
    },
  };
}

function findMedian(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

/** Returns the number of rows with an amount of a payment. Rows do not always have its id. */
function countRows(list: RawResponse, { debits }: WalletReading): number {
  const page = readHistory(list);
  const amounts = debits.map((micro) => ({ kind: 'amount', micro }) as const);
  return 'problem' in page ? 0 : page.raw.filter((row) => amounts.some((each) => shows(row, each))).length;
}

/** Determines the time for which each read does not show a change. Rows of a payment come with its debit. */
export function evaluateLag(
  { made, listed, lateBy }: NewPayment,
  { paymentLag, debits }: WalletTimes,
): Finding {
  if (lateBy !== undefined)
    return unknown('readLag', `the first reads ended ${Math.round(lateBy)} ms after the create`);
  const ofRows = [...debits.keys()].flatMap((status): Interval[] => {
    const time = listed && findStatusTime(status, made, { paymentLag, reported: [] });
    return listed === undefined || time === undefined ? [] : [[listed[0] - time[1], listed[1] - time[0]]];
  });
  const limits = {
    payments: made.payment.readings.length === 0 ? undefined : paymentLag,
    balance: join([...debits.values()]),
    transactions: join(ofRows),
  } satisfies Partial<Record<keyof ReadLag, Interval | undefined>>;
  const entries = Object.entries(limits);
  const evidence = `a new payment in ${entries.map(([read, time]) => `${read} ${describeLag(time)}`).join(', ')}`;
  if (entries.some(([, time]) => time === undefined || isWide(time))) return unknown('readLag', evidence);
  const lags = entries.flatMap(([read, [after = 0, until = 0] = []]): [string, Duration][] =>
    after === 0 ? [] : [[read, toDuration(roundWithin(after, until))]],
  );
  return found('readLag', Object.fromEntries(lags), evidence);
}

/** Returns whether a lag lies in an interval that says little about it. */
function isWide([after, until]: Interval): boolean {
  return until - after > Math.max(after === 0 ? 1_000 : 500, 0.75 * after);
}

/** Returns the lag that all possible debits have, without one if it can be 0. Undefined if they differ. */
function join(limits: readonly Interval[]): Interval | undefined {
  if (limits.length === 0) return undefined;
  const [least, most] = intersect(limits);
  return least <= most ? [Math.max(0, least), most] : undefined;
}

function describeLag(limits: Interval | undefined): string {
  if (limits === undefined)
    return `not within ${MAX_LAG / 1_000} s of its last status, or at an unclear time`;
  const [after, until] = limits;
  return after === 0 ? 'at once' : `after ${Math.round(after)} to ${Math.round(until)} ms`;
}
