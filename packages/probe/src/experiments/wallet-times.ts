import type { WalletReading } from './debit.ts';
import { intersect, type Interval, listChanges } from './durations.ts';
import { documented, MAX_GAP } from './statuses.ts';
import type { BalanceReading, WatchedPayment } from './watch.ts';

/** A payment whose changes of the wallet were read. */
export interface WalletPayment {
  readonly payment: WatchedPayment;
  /** The balance before it, and its possible debits. */
  readonly wallet: WalletReading;
  /** The start of the request that created it, in milliseconds. */
  readonly requestedAt: number;
}

/** The conditions under which the payments were created. */
export interface WalletOptions {
  /** Whether payments are never in `processing`. */
  readonly skipsProcessing: boolean;
  /** Returns the statuses of a payment in its create response and in webhooks. */
  readonly listReported: (id: string) => readonly string[];
}

/** The time for which reads of payments do not show a change, and the possible debits. */
export interface WalletTimes {
  readonly paymentLag: Interval;
  /**
   * The statuses that can debit the wallet, each with the time for which reads of the balance do not show a change then.
   * Empty if no debit was read, or none explains the reads.
   */
  readonly debits: LagsByStatus;
}

type LagsByStatus = ReadonlyMap<string, Interval>;

/**
 * Determines the statuses that can debit the wallet. Each status is tried: the time from it to the debit, and the time from
 * a failure to the refund, must be the same for all payments. A status that explains them without a lag of the balance
 * comes before those that need one.
 */
export function findDebits(
  payments: readonly WalletPayment[],
  { skipsProcessing, listReported }: WalletOptions,
): WalletTimes {
  const paymentLag = findPaymentLag(payments);
  const changes = payments.flatMap((one) => {
    const change = readWalletChange(one);
    return change === undefined ? [] : [{ ...one, change }];
  });
  const seen = payments.flatMap(({ payment }) => payment.statuses);
  const statuses = new Set(['pending', ...(skipsProcessing ? [] : ['processing']), 'completed', ...seen]);
  statuses.delete('failed');
  const fit = (hasRefunds: boolean): LagsByStatus =>
    new Map(
      [...statuses].flatMap((status) => {
        const limits = changes.flatMap((one) =>
          limitLag(status, one, { paymentLag, hasRefunds, listReported }),
        );
        const [least, most] = intersect(limits);
        return most >= Math.max(0, least) ? [[status, [Math.max(0, least), most]] as const] : [];
      }),
    );
  const isDebited = changes.some(({ change }) => change.debit !== undefined);
  const all = fit(true);
  // A service can refund some time after the failure.
  const preferred = [chooseAtOnce(all), all, chooseAtOnce(fit(false))];
  const debits = preferred.flatMap((each) => [chooseDocumented(each), each]).find(({ size }) => size > 0);
  return { paymentLag, debits: (isDebited && debits) || new Map<string, Interval>() };
}

const chooseAtOnce = (debits: LagsByStatus): LagsByStatus =>
  new Map([...debits].filter(([, [least]]) => least === 0));

const chooseDocumented = (debits: LagsByStatus): LagsByStatus =>
  new Map([...debits].filter(([status]) => documented.has(status)));

/** Returns the time for which reads do not show a new payment. */
function findPaymentLag(payments: readonly WalletPayment[]): Interval {
  const limits = payments.flatMap(({ payment: { createdAt, readings }, requestedAt }): Interval[] => {
    const [first] = readings;
    if (first === undefined) return [];
    const { hiddenAt, at } = first;
    return [[hiddenAt === undefined ? 0 : Math.max(1, hiddenAt - createdAt), at - requestedAt]];
  });
  if (limits.length === 0) return [0, 0];
  const [least, most] = intersect(limits);
  return least <= most ? [least, most] : [most, least];
}

/** The times within which reads of the wallet first showed the changes of a payment. */
interface WalletChange {
  readonly debit?: Interval;
  readonly refund?: Interval;
}

/** Reads the changes of the wallet. Undefined if one is not a change of the payment. */
function readWalletChange({ payment, wallet, requestedAt }: WalletPayment): WalletChange | undefined {
  const { before, debits } = wallet;
  const { balances } = payment;
  const at = balances.findIndex(({ balance }) => balance !== before);
  const debited = balances[at];
  if (debited === undefined) return {};
  if (!debits.includes(before - debited.balance)) return undefined;
  const debit: Interval = [balances[at - 1]?.since ?? requestedAt, debited.at];
  const next = balances.findIndex(({ balance }, index) => index > at && balance !== debited.balance);
  const refunded = balances[next];
  if (refunded === undefined) return { debit };
  if (payment.statuses.at(-1) !== 'failed' || refunded.balance < debited.balance) return undefined;
  return { debit, refund: [balances[next - 1]?.since ?? requestedAt, refunded.at] };
}

interface LagOptions extends Pick<WalletTimes, 'paymentLag'>, Pick<WalletOptions, 'listReported'> {
  /** Whether refunds limit the lag, too. */
  readonly hasRefunds: boolean;
}

const NEVER: Interval = [Infinity, -Infinity];

/** Returns the limits of the lag of the balance if a status debits the wallet. */
function limitLag(
  status: string,
  { change: { debit, refund }, ...one }: WalletPayment & { readonly change: WalletChange },
  { paymentLag, hasRefunds, listReported }: LagOptions,
): Interval[] {
  const { payment } = one;
  const reported = listReported(payment.id);
  const [time, failed] = [status, 'failed'].map((name) =>
    findStatusTime(name, one, { paymentLag, reported }),
  );
  if (time === undefined) {
    const isAbsent = payment.gap <= MAX_GAP && !reported.includes(status);
    return debit !== undefined && isAbsent ? [NEVER] : [];
  }
  if (debit === undefined) {
    // The debit and the refund can come between two reads.
    const isShown = failed === undefined || failed[0] - time[1] > findLongestGap(payment.balances);
    const last = payment.balances.at(-1);
    return isShown && last !== undefined ? [[last.since - time[1], Infinity]] : [];
  }
  const ofRefund = hasRefunds && failed !== undefined && refund !== undefined;
  return [subtract(debit, time), ...(ofRefund ? [subtract(refund, failed)] : [])];
}

function subtract([from, to]: Interval, [least, most]: Interval): Interval {
  return [from - most, to - least];
}

function findLongestGap(balances: readonly BalanceReading[]): number {
  return Math.max(0, ...balances.slice(1).map(({ at }, index) => at - (balances[index]?.since ?? at)));
}

const order = ['pending', 'processing', 'completed', 'failed'];

/**
 * Returns the time within which a payment got a status, which reads show later. A status that no read showed is between its
 * neighbors. Undefined if the payment did not have it.
 */
export function findStatusTime(
  status: string,
  { payment, requestedAt }: WalletPayment,
  { paymentLag, reported }: Pick<WalletTimes, 'paymentLag'> & { readonly reported: readonly string[] },
): Interval | undefined {
  const { createdAt, readings } = payment;
  const [least, most] = paymentLag;
  if (status === 'pending') return [requestedAt, createdAt];
  const changes = listChanges(createdAt, readings);
  const at = changes.findIndex((change) => change.status === status);
  const change = changes[at];
  // The first status that reads show can be as old as the payment.
  if (change !== undefined) return [at === 0 ? requestedAt : change.from - most, change.to - least];
  const place = order.indexOf(status);
  const next = changes.find((one) => order.indexOf(one.status) > place);
  const last = changes.findLast((one) => order.indexOf(one.status) < place);
  const isPassed = reported.includes(status) || (status === 'processing' && next?.status === 'completed');
  if (place < 0 || next === undefined || !isPassed) return undefined;
  return [last === undefined ? requestedAt : Math.max(requestedAt, last.from - most), next.to - least];
}
