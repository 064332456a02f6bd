// When payments change the wallet, told apart from the time for which reads are behind.
import { type Micro, toMicro, writeMicro } from '@service/internal';
import { describeResponse } from '../client.ts';
import { type Part, found, learned, unknown } from '../finding.ts';
import { readQuote } from '../templates/values.ts';
import { type Call, readBalance, type Traffic } from '../traffic.ts';
import { isSameRefusal } from './refusals.ts';
import {
  documentedStatuses,
  intersect,
  type Interval,
  listChanges,
  MAX_GAP,
  roundWithin,
  toDuration,
  type WatchedPayment,
} from './statuses.ts';

/** A read of the balance of the wallet, with its start and its end in milliseconds. */
interface BalanceReading {
  readonly balance: Micro;
  readonly since: number;
  readonly at: number;
}

/** A payment during which no other one changed the wallet. */
interface WalletPayment extends WatchedPayment {
  readonly before: Micro;
  /** The possible debits: without the fee and with it. */
  readonly debits: readonly [Micro, Micro];
  readonly balances: readonly BalanceReading[];
  /** The times within which reads first showed the debit and the refund. */
  readonly debit: Interval | undefined;
  readonly refund: Interval | undefined;
  /** Whether another change of the wallet was read. */
  readonly isMixed: boolean;
  /** The time within which the list first showed a row of it. */
  readonly listed: Interval | undefined;
}

function toWallet(watched: WatchedPayment, traffic: Traffic): WalletPayment[] {
  const { balances: all, payments } = traffic;
  const { create, known, statuses, requestedAt } = watched;
  const currency = create.sent.from_currency;
  const until = payments.find((one) => one.create.order > create.order)?.create.order ?? Infinity;
  const before = readBalance(
    all.findLast(({ order }) => order < create.order),
    currency,
  );
  const balances = all.flatMap((call): BalanceReading[] => {
    const balance = readBalance(call, currency);
    const isOwn = call.order > create.order && call.order < until && balance !== undefined;
    return isOwn ? [{ balance, since: call.start, at: call.end }] : [];
  });
  const { send_amount: send, fee } = known;
  if (before === undefined || send?.kind !== 'amount' || balances.length < 2) return [];
  const debits = [send.micro, send.micro + (fee?.kind === 'amount' ? fee.micro : 0n)] as const;
  const changes = balances.flatMap(({ balance, at }, index) => {
    const last = balances[index - 1] ?? { balance: before, since: requestedAt };
    return balance === last.balance ? [] : [{ balance, time: [last.since, at] as const }];
  });
  const [debit, refund] = changes;
  const isDebit = debit === undefined || debits.includes(before - debit.balance);
  const isRefund =
    refund === undefined || (statuses.at(-1) === 'failed' && refund.balance > (debit?.balance ?? 0n));
  return [
    {
      ...watched,
      before,
      debits,
      balances,
      debit: debit?.time,
      refund: refund?.time,
      isMixed: !isDebit || !isRefund,
      listed: findListed(watched, traffic),
    },
  ];
}

/** Returns the time within which the list first showed a row with the id of a payment. */
function findListed({ id, requestedAt, create }: WatchedPayment, { pages }: Traffic): Interval | undefined {
  const later = pages.filter(({ order }) => order > create.order);
  const at = later.findIndex(({ response }) => response.text.includes(id));
  return at < 0 ? undefined : [later[at - 1]?.start ?? requestedAt, later[at]?.end ?? requestedAt];
}

const isReturned = ({ statuses, reported }: WalletPayment): boolean =>
  [...statuses, ...reported].includes('completed');

/** Learns the read lag, the debit, its hold and the refunds. */
export function learnWallet(traffic: Traffic, watched: readonly WatchedPayment[]): Part[] {
  const payments = watched.flatMap((one) => toWallet(one, traffic));
  if (payments.length === 0)
    return (['readLag', 'debitAt.status', 'debitAt.hold', 'refund.failed', 'refund.returned'] as const).map(
      (name) => unknown(name, 'no payment was read together with the balance'),
    );
  const paymentLag = findPaymentLag(watched);
  const debits = findDebits(payments, paymentLag ?? [0, 0]);
  const debit = evaluateDebit(payments, debits, paymentLag);
  const failed = payments.filter(({ statuses }) => statuses.at(-1) === 'failed');
  const refund = evaluateRefund(
    'refund.failed',
    failed.find((one) => !isReturned(one)),
  );
  const returned = evaluateRefund('refund.returned', failed.find(isReturned));
  const isSame = refund.state === 'found' && returned.state === 'found' && refund.value === returned.value;
  return [
    evaluateLag(payments, paymentLag, debits),
    debit,
    evaluateHold(traffic, debit),
    refund,
    isSame ? found('refund.returned', 'same', returned.evidence) : returned,
  ];
}

/** Returns the time for which reads do not show a new payment. Undefined without reads. */
function findPaymentLag(watched: readonly WatchedPayment[]): Interval | undefined {
  const limits = watched.flatMap(({ createdAt, requestedAt, readings, hiddenAt }): Interval[] => {
    const [first] = readings;
    if (first === undefined) return [];
    return [[hiddenAt === undefined ? 0 : Math.max(1, hiddenAt - createdAt), first.at - requestedAt]];
  });
  const [least, most] = intersect(limits);
  return limits.length === 0 ? undefined : [Math.min(least, most), Math.max(least, most)];
}

type LagsByStatus = ReadonlyMap<string, Interval>;

/**
 * Returns the statuses that can debit the wallet, each with the time for which reads of the balance do not show a change
 * then. Each status is tried: the time from it to the debit, and the time from a failure to the refund, must be the same for
 * all payments. A status that explains them without a lag of the balance comes before those that need one.
 */
function findDebits(all: readonly WalletPayment[], lag: Interval): LagsByStatus {
  const payments = all.filter(({ isMixed }) => !isMixed);
  if (!payments.some(({ debit }) => debit !== undefined)) return new Map();
  const skips = all.every(({ statuses, reported }) => ![...statuses, ...reported].includes('processing'));
  const statuses = Object.keys(debitOf).filter((name) => !(skips && name === 'processing'));
  const debits = statuses.flatMap((status) => {
    const [least, most] = intersect(payments.flatMap((one) => limitLag(status, one, lag)));
    return most >= Math.max(0, least) ? [[status, [Math.max(0, least), most]] as const] : [];
  });
  const atOnce = debits.filter(([, [least]]) => least === 0);
  return new Map(atOnce.length > 0 ? atOnce : debits);
}

const NEVER: Interval = [Infinity, -Infinity];

/** Returns the limits of the lag of the balance if a status debits the wallet. */
function limitLag(status: string, payment: WalletPayment, lag: Interval): Interval[] {
  const { debit, refund, balances, gap, reported } = payment;
  const [time, failed] = [status, 'failed'].map((name) => findStatusTime(name, payment, lag));
  if (time === undefined) {
    const isAbsent = gap <= MAX_GAP && !reported.includes(status);
    return debit !== undefined && isAbsent ? [NEVER] : [];
  }
  if (debit === undefined) {
    const pauses = balances.slice(1).map(({ at }, index) => at - (balances[index]?.since ?? at));
    // The debit and the refund can come between two reads.
    const isShown = failed === undefined || failed[0] - time[1] > Math.max(0, ...pauses);
    const last = balances.at(-1);
    return isShown && last !== undefined ? [[last.since - time[1], Infinity]] : [];
  }
  return [subtract(debit, time), ...(failed && refund ? [subtract(refund, failed)] : [])];
}

function subtract([from, to]: Interval, [least, most]: Interval): Interval {
  return [from - most, to - least];
}

const placeOf = (name: string): number => documentedStatuses.indexOf(name);

/**
 * Returns the time within which a payment got a status, which reads show later. A status that no read showed is between its
 * neighbors. Undefined if the payment did not have it.
 */
function findStatusTime(
  status: string,
  payment: WatchedPayment,
  [least, most]: Interval,
): Interval | undefined {
  const { requestedAt, createdAt, reported } = payment;
  if (status === 'pending') return [requestedAt, createdAt];
  const changes = listChanges(payment);
  const at = changes.findIndex((change) => change.status === status);
  const change = changes[at];
  // The first status that reads show can be as old as the payment.
  if (change !== undefined) return [at === 0 ? requestedAt : change.from - most, change.to - least];
  const place = placeOf(status);
  const next = changes.find((one) => placeOf(one.status) > place);
  const last = changes.findLast((one) => placeOf(one.status) < place);
  const isPassed = reported.includes(status) || (status === 'processing' && next?.status === 'completed');
  if (place < 0 || next === undefined || !isPassed) return undefined;
  return [last === undefined ? requestedAt : Math.max(requestedAt, last.from - most), next.to - least];
}

const debitOf: Readonly<Record<string, string>> = {
  pending: 'create',
  processing: 'processing',
  completed: 'completed',
};

function evaluateDebit(
  payments: readonly WalletPayment[],
  debits: LagsByStatus,
  [hidden]: Interval = [0, 0],
): Part {
  const shown = payments.find(({ statuses }) => statuses.includes('completed')) ?? payments[0];
  const balances = `before ${writeMicro(shown?.before ?? 0n)}, after ${shown?.statuses.join(', ')} ${writeMicro(shown?.balances.at(-1)?.balance ?? 0n)}`;
  if (debits.size === 0)
    return unknown(
      'debitAt.status',
      payments.every(({ debit }) => debit === undefined)
        ? `the wallet was not debited: ${balances}`
        : `the balance and the status did not change together, or other payments changed the balance: ${balances}`,
    );
  const [lag = 0, longest = 0] = [...debits.values()][0] ?? [];
  const evidence = [
    balances,
    ...(hidden > 0 ? [`reads show payments after ${Math.round(hidden)} ms`] : []),
    ...(lag > 0 ? [`the balance changes ${Math.round(lag)} to ${Math.round(longest)} ms later`] : []),
  ].join('; ');
  const among = [...debits.keys()].flatMap((status) => debitOf[status] ?? []);
  const [value] = among;
  return debits.size === 1
    ? found('debitAt.status', value, evidence)
    : unknown('debitAt.status', `debited between two reads: ${evidence}`, among);
}

/** Returns whether a lag is not known, or lies in an interval that says little about it. */
const isUnclear = (time: Interval | undefined): time is undefined =>
  time === undefined || time[1] - time[0] > Math.max(time[0] === 0 ? 200 : 500, 0.75 * time[0]);

function describe(time: Interval | undefined): string {
  if (isUnclear(time)) return 'at an unclear time';
  return time[0] === 0 ? 'at once' : `after ${Math.round(time[0])} to ${Math.round(time[1])} ms`;
}

/** Determines the time for which each read does not show a change. Rows of a payment come with its debit. */
function evaluateLag(
  payments: readonly WalletPayment[],
  paymentLag: Interval | undefined,
  debits: LagsByStatus,
): Part {
  const ofRows = [...debits.keys()].map((status) => {
    const limits = payments.flatMap((one): Interval[] => {
      const time = one.listed && findStatusTime(status, one, paymentLag ?? [0, 0]);
      return one.listed === undefined || time === undefined ? [] : [subtract(one.listed, time)];
    });
    return limits.length === 0 ? NEVER : intersect(limits);
  });
  const limits = { payments: paymentLag, balance: join([...debits.values()]), transactions: join(ofRows) };
  const entries = Object.entries(limits);
  const evidence = `a new payment in ${entries.map(([read, time]) => `${read} ${describe(time)}`).join(', ')}`;
  const lags = Object.fromEntries(
    entries.flatMap(([read, time]) => {
      if (isUnclear(time) || time[0] === 0) return [];
      // The roundest number in the middle half of the interval.
      const quarter = (time[1] - time[0]) / 4;
      return [[read, toDuration(roundWithin(time[0] + quarter, time[1] - quarter))]];
    }),
  );
  const missing = entries.filter(([, time]) => isUnclear(time)).map(([read]) => `the lag of ${read}`);
  return missing.length === entries.length
    ? unknown('readLag', evidence)
    : learned('readLag', lags, evidence, missing);
}

/** Returns the lag that all possible debits have, without one if it can be 0. Undefined if they differ. */
function join(limits: readonly Interval[]): Interval | undefined {
  if (limits.length === 0) return undefined;
  const [least, most] = intersect(limits);
  return least <= most ? [Math.max(0, least), most] : undefined;
}

function evaluateRefund(
  setting: 'refund.failed' | 'refund.returned',
  payment: WalletPayment | undefined,
): Part {
  if (payment === undefined) {
    const [option, end] =
      setting === 'refund.failed' ? ['failing', ''] : ['returning', ' after they completed'];
    return unknown(
      setting,
      `no payment failed${end}; set \`${option}\` to an account whose payments fail${end}`,
    );
  }
  const { before, debits, balances, account } = payment;
  const fee = debits[1] - debits[0];
  const debited = balances.find(({ balance }) => balance !== before)?.balance;
  if (debited === undefined)
    return unknown(setting, `the failed payment to the account ${account} had not been debited`);
  const after = balances.at(-1)?.balance ?? debited;
  const evidence = `before ${writeMicro(before)}, debited ${writeMicro(debited)}, failed ${writeMicro(after)}, fee ${writeMicro(fee)}`;
  if (!debits.includes(before - debited))
    return unknown(setting, `the wallet balance changed for other reasons, or late: ${evidence}`);
  if (after === before)
    return fee > 0n ? found(setting, 'full', evidence) : unknown(setting, evidence, ['full', 'lessFee']);
  if (after === debited) {
    // The balance shows a refund no later after it than the debit after the create.
    const failedAt = payment.readings.find(({ status }) => status === 'failed')?.at ?? Infinity;
    const lag = (payment.debit?.[1] ?? Infinity) - payment.requestedAt;
    return (balances.at(-1)?.since ?? 0) - failedAt >= lag
      ? found(setting, 'none', evidence)
      : unknown(setting, `the reads ended before the balance can show a refund: ${evidence}`);
  }
  if (after === before - fee) return found(setting, 'lessFee', evidence);
  return unknown(setting, `a partial refund, or the wallet balance changed for other reasons: ${evidence}`);
}

/** Estimates the debit of a payment with the fee of the last quote for about its amount. */
function estimateDebit({ sent, order: at }: Call, quotes: readonly Call[]): Micro {
  const amount = toMicro(sent.amount) ?? 0n;
  const quote = quotes.findLast(({ sent: asked, order: of }) => {
    const near = toMicro(asked.amount) ?? 0n;
    const isNear = near * 100n > amount * 98n && near * 98n < amount * 100n;
    return of < at && asked.from_currency === sent.from_currency && isNear;
  });
  const { debit, send_amount: send } = readQuote(quote?.response.data ?? {});
  return debit?.kind === 'amount' && send?.kind === 'amount' ? amount + debit.micro - send.micro : amount;
}

/** Evaluates a payment that needs more than the rest of the balance while another one is not debited yet. */
function evaluateHold({ calls, quotes, balances, payments, lacking }: Traffic, debit: Part): Part {
  if (debit.state !== 'found') return unknown('debitAt.hold', 'requires the time of the debit (debitAt)');
  const both = ['reserve', 'none'] as const;
  if (debit.value === 'create')
    return unknown('debitAt.hold', 'the create debits the wallet, so a hold makes no difference', both);
  let reason = 'no payment needed more than the balance without that of an earlier one';
  for (const { create } of payments.toReversed()) {
    const second = calls.find(
      ({ path, method, order: at }) => path === '/payments' && method === 'POST' && at > create.order,
    );
    const currency = create.sent.from_currency;
    const before = readBalance(
      balances.findLast(({ order: at }) => at < create.order),
      currency,
    );
    if (second === undefined || before === undefined || second.sent.from_currency !== currency) continue;
    const after = readBalance(
      balances.find(({ order: at }) => at > second.order),
      currency,
    );
    const [one, two] = [estimateDebit(create, quotes), estimateDebit(second, quotes)];
    if (two > before || two + one <= before) continue;
    const evidence = `balance ${writeMicro(before)}, a payment of ${writeMicro(one)} without its debit, then one of ${writeMicro(two)}: ${describeResponse(second.response)}`;
    if (after !== before) reason = `${evidence}; the balance changed in the meantime`;
    else if (second.response.accepted) return found('debitAt.hold', 'none', evidence);
    else if (isSameRefusal(second.response, lacking)) return found('debitAt.hold', 'reserve', evidence);
    else reason = `${evidence}; the refusal is another one than that for lack of funds`;
  }
  return unknown('debitAt.hold', reason, both);
}
