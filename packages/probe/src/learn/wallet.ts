// When payments change the wallet, told apart from the time for which reads are behind.
import type { ProfileChoice } from '@service/mock';
import { type Micro, toMicro, toRecord, writeMicro } from '@service/internal';
import { describeResponse } from '../client.ts';
import { type Finding, found, other, partly, unknown } from '../finding.ts';
import { rowsOf } from '../history.ts';
import { shows } from '../templates/rows.ts';
import { readQuote } from '../templates/values.ts';
import type { Call, Traffic } from '../traffic.ts';
import { isSameRefusal } from './refusals.ts';
import {
  intersect,
  type Interval,
  listChanges,
  MAX_GAP,
  roundWithin,
  toDuration,
  type WatchedPayment,
} from './statuses.ts';

/** One read of the balance of the wallet. */
interface BalanceReading {
  readonly balance: Micro;
  /** The start and the end of the read, in milliseconds. */
  readonly since: number;
  readonly at: number;
}

/** A payment during which no other one changed the wallet. */
interface WalletPayment extends WatchedPayment {
  readonly before: Micro;
  /** The possible debits: with the fee and without it. */
  readonly debits: readonly Micro[];
  readonly fee: Micro;
  readonly balances: readonly BalanceReading[];
  /** The times within which reads first showed its changes. */
  readonly debit: Interval | undefined;
  readonly refund: Interval | undefined;
  /** Whether another change of the wallet was read. */
  readonly isMixed: boolean;
  /** The time within which the list first showed a row of it. */
  readonly listed: Interval | undefined;
}

/** Returns the balance of a currency in a response; 0 if it is not listed, undefined if it is not readable. */
export function readBalance(call: Call | undefined, currency: string): Micro | undefined {
  const { balances } = call?.response.data ?? {};
  if (!Array.isArray(balances)) return undefined;
  const wallet = balances.map(toRecord).find((one) => one.currency === currency);
  return wallet === undefined ? 0n : toMicro(wallet.balance);
}

function toWallet(watched: WatchedPayment, traffic: Traffic): WalletPayment[] {
  const { balances: all, payments } = traffic;
  const { create, known } = watched.payment;
  const currency = String(create.sent.from_currency);
  const until = payments.find((one) => one.create.order > create.order)?.create.order ?? Infinity;
  const before = readBalance(
    all.findLast(({ order: at }) => at < create.order),
    currency,
  );
  const balances = all.flatMap((call): BalanceReading[] => {
    const balance = readBalance(call, currency);
    const isOwn = call.order > create.order && call.order < until && balance !== undefined;
    return isOwn ? [{ balance, since: call.start, at: call.end }] : [];
  });
  const [send, fee] = [known.send_amount, known.fee].map((one) =>
    one?.kind === 'amount' ? one.micro : undefined,
  );
  if (before === undefined || send === undefined || balances.length < 2) return [];
  const debits = [send, send + (fee ?? 0n)];
  const one = { ...watched, before, debits, fee: fee ?? 0n, balances };
  return [{ ...one, ...readChanges(one), listed: findListed(one, traffic) }];
}

function readChanges({
  before,
  debits,
  balances,
  requestedAt,
  statuses,
}: Pick<WalletPayment, 'before' | 'debits' | 'balances' | 'requestedAt' | 'statuses'>): Pick<
  WalletPayment,
  'debit' | 'refund' | 'isMixed'
> {
  const at = balances.findIndex(({ balance }) => balance !== before);
  const debited = balances[at];
  if (debited === undefined) return { debit: undefined, refund: undefined, isMixed: false };
  const debit: Interval = [balances[at - 1]?.since ?? requestedAt, debited.at];
  const next = balances.findIndex(({ balance }, index) => index > at && balance !== debited.balance);
  const refunded = balances[next];
  const isOther = !debits.includes(before - debited.balance);
  if (refunded === undefined) return { debit, refund: undefined, isMixed: isOther };
  const isRefund = statuses.at(-1) === 'failed' && refunded.balance > debited.balance;
  return {
    debit,
    refund: [balances[next - 1]?.since ?? requestedAt, refunded.at],
    isMixed: isOther || !isRefund,
  };
}

/** Returns the time within which the list first showed a row of a payment, by its id or one more row with its amount. */
function findListed(
  {
    id,
    debits,
    requestedAt,
    payment: { create },
  }: Pick<WalletPayment, 'id' | 'debits' | 'requestedAt' | 'payment'>,
  { pages, payments }: Traffic,
): Interval | undefined {
  const isOnlyAmount = payments.every(
    ({ create: one }) => one === create || one.sent.amount !== create.sent.amount,
  );
  const hasId = pages.some(({ response }) => response.text.includes(id));
  const count = (call: Call): number =>
    (rowsOf(call.response) ?? []).filter((row) =>
      debits.some((micro) => shows(row, { kind: 'amount', micro })),
    ).length;
  const earlier = pages.findLast(({ order: at }) => at < create.order);
  const rows = earlier === undefined || hasId || !isOnlyAmount ? undefined : count(earlier);
  let since = requestedAt;
  for (const call of pages.filter(({ order: at }) => at > create.order)) {
    if (call.response.text.includes(id) || (rows !== undefined && count(call) > rows))
      return [since, call.end];
    since = call.start;
  }
  return undefined;
}

const isReturned = ({ statuses, reported }: WalletPayment): boolean =>
  [...statuses, ...reported].includes('completed');

/** Learns the read lag, the debit, its hold and the refunds. */
export function learnWallet(traffic: Traffic, watched: readonly WatchedPayment[]): Finding[] {
  const payments = watched.flatMap((one) => toWallet(one, traffic));
  const names = ['readLag', 'debitAt', 'hold', 'refund', 'returnRefund'] as const;
  if (payments.length === 0)
    return names.map((name) => unknown(name, 'no payment was read together with the balance'));
  const paymentLag = findPaymentLag(watched);
  const debits = findDebits(payments, paymentLag);
  const debit = evaluateDebit(payments, debits, paymentLag);
  const failed = payments.filter(({ statuses }) => statuses.at(-1) === 'failed');
  const refund = evaluateRefund(
    'refund',
    failed.find((one) => !isReturned(one)),
  );
  const returned = evaluateRefund('returnRefund', failed.find(isReturned));
  const isSame = refund.state === 'found' && returned.state === 'found' && refund.value === returned.value;
  return [
    evaluateLag(payments, { paymentLag, debits }),
    debit,
    evaluateHold(traffic, debit),
    refund,
    isSame ? found('returnRefund', 'same', returned.evidence) : returned,
  ];
}

/** Returns the time for which reads do not show a new payment. Undefined without reads, or if they disagree. */
function findPaymentLag(watched: readonly WatchedPayment[]): Interval | undefined {
  const limits = watched.flatMap(({ createdAt, requestedAt, readings, hiddenAt }): Interval[] => {
    const [first] = readings;
    if (first === undefined) return [];
    return [[hiddenAt === undefined ? 0 : Math.max(1, hiddenAt - createdAt), first.at - requestedAt]];
  });
  if (limits.length === 0) return undefined;
  const [least, most] = intersect(limits);
  return least <= most ? [least, most] : [most, least];
}

type LagsByStatus = ReadonlyMap<string, Interval>;

/**
 * Returns the statuses that can debit the wallet, each with the time for which reads of the balance do not show a change
 * then. Each status is tried: the time from it to the debit, and the time from a failure to the refund, must be the same for
 * all payments. A status that explains them without a lag of the balance comes before those that need one.
 */
function findDebits(payments: readonly WalletPayment[], paymentLag: Interval | undefined): LagsByStatus {
  const clear = payments.filter(({ isMixed }) => !isMixed);
  if (!clear.some(({ debit }) => debit !== undefined)) return new Map();
  const skips = payments.every(
    ({ statuses, reported }) => ![...statuses, ...reported].includes('processing'),
  );
  const seen = payments.flatMap(({ statuses }) => statuses);
  const statuses = new Set(['pending', ...(skips ? [] : ['processing']), 'completed', ...seen]);
  statuses.delete('failed');
  const fit = (hasRefunds: boolean): LagsByStatus =>
    new Map(
      [...statuses].flatMap((status) => {
        const limits = clear.flatMap((one) =>
          limitLag(status, one, { lag: paymentLag ?? [0, 0], hasRefunds }),
        );
        const [least, most] = intersect(limits);
        return most >= Math.max(0, least) ? [[status, [Math.max(0, least), most]] as const] : [];
      }),
    );
  const atOnce = (debits: LagsByStatus): LagsByStatus =>
    new Map([...debits].filter(([, [least]]) => least === 0));
  const known = (debits: LagsByStatus): LagsByStatus =>
    new Map([...debits].filter(([status]) => status in debitOf));
  const all = fit(true);
  // A service can refund some time after the failure.
  const preferred = [atOnce(all), all, atOnce(fit(false))].flatMap((each) => [known(each), each]);
  return preferred.find(({ size }) => size > 0) ?? new Map();
}

const NEVER: Interval = [Infinity, -Infinity];

/** Returns the limits of the lag of the balance if a status debits the wallet. */
function limitLag(
  status: string,
  payment: WalletPayment,
  { lag, hasRefunds }: { readonly lag: Interval; readonly hasRefunds: boolean },
): Interval[] {
  const { debit, refund, balances, gap, reported } = payment;
  const [time, failed] = [status, 'failed'].map((name) => findStatusTime(name, payment, lag));
  if (time === undefined) {
    const isAbsent = gap <= MAX_GAP && !reported.includes(status);
    return debit !== undefined && isAbsent ? [NEVER] : [];
  }
  if (debit === undefined) {
    const widest = Math.max(
      0,
      ...balances.slice(1).map(({ at }, index) => at - (balances[index]?.since ?? at)),
    );
    // The debit and the refund can come between two reads.
    const isShown = failed === undefined || failed[0] - time[1] > widest;
    const last = balances.at(-1);
    return isShown && last !== undefined ? [[last.since - time[1], Infinity]] : [];
  }
  const ofRefund = hasRefunds && failed !== undefined && refund !== undefined;
  return [subtract(debit, time), ...(ofRefund ? [subtract(refund, failed)] : [])];
}

function subtract([from, to]: Interval, [least, most]: Interval): Interval {
  return [from - most, to - least];
}

const order = ['pending', 'processing', 'completed', 'failed'];

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
  const place = order.indexOf(status);
  const next = changes.find((one) => order.indexOf(one.status) > place);
  const last = changes.findLast((one) => order.indexOf(one.status) < place);
  const isPassed = reported.includes(status) || (status === 'processing' && next?.status === 'completed');
  if (place < 0 || next === undefined || !isPassed) return undefined;
  return [last === undefined ? requestedAt : Math.max(requestedAt, last.from - most), next.to - least];
}

const debitOf: Readonly<Record<string, ProfileChoice['debitAt']>> = {
  pending: 'create',
  processing: 'processing',
  completed: 'completed',
};

function evaluateDebit(
  payments: readonly WalletPayment[],
  debits: LagsByStatus,
  [hidden]: Interval = [0, 0],
): Finding {
  const shown = payments.find(({ statuses }) => statuses.includes('completed')) ?? payments[0];
  if (shown === undefined) return unknown('debitAt', 'no payment was read together with the balance');
  const last = shown.balances.at(-1)?.balance ?? shown.before;
  const balances = `before ${writeMicro(shown.before)}, after ${shown.statuses.join(', ')} ${writeMicro(last)}`;
  const among = [...debits.keys()].flatMap((status) => debitOf[status] ?? []);
  if (debits.size === 0)
    return unknown(
      'debitAt',
      payments.every(({ debit }) => debit === undefined)
        ? `the wallet was not debited: ${balances}`
        : `the balance and the status did not change together, or other payments changed the balance: ${balances}`,
    );
  const [lag = 0, longest = 0] = [...debits.values()][0] ?? [];
  const behind = [
    ...(hidden > 0 ? [`reads show payments after ${Math.round(hidden)} ms`] : []),
    ...(lag > 0 ? [`the balance changes ${Math.round(lag)} to ${Math.round(longest)} ms later`] : []),
  ];
  const evidence = [balances, ...behind].join('; ');
  const [value] = among;
  if (value === undefined)
    return other('debitAt', `debited with ${[...debits.keys()].join(' or ')}: ${evidence}`);
  return debits.size === 1
    ? found('debitAt', value, evidence)
    : unknown('debitAt', `debited between two reads: ${evidence}`, among);
}

const isUnclear = (time: Interval | undefined): boolean => time === undefined || isWide(time);

const describe = (time: Interval | undefined): string =>
  time === undefined || isWide(time)
    ? 'at an unclear time'
    : time[0] === 0
      ? 'at once'
      : `after ${Math.round(time[0])} to ${Math.round(time[1])} ms`;

/** Determines the time for which each read does not show a change. Rows of a payment come with its debit. */
function evaluateLag(
  payments: readonly WalletPayment[],
  { paymentLag, debits }: { readonly paymentLag: Interval | undefined; readonly debits: LagsByStatus },
): Finding {
  const ofRows = [...debits.keys()].map((status) => {
    const limits = payments.flatMap((one): Interval[] => {
      const time = one.listed && findStatusTime(status, one, paymentLag ?? [0, 0]);
      return one.listed === undefined || time === undefined ? [] : [subtract(one.listed, time)];
    });
    return limits.length === 0 ? NEVER : intersect(limits);
  });
  const limits = {
    payments: paymentLag,
    balance: join([...debits.values()]),
    transactions: join(ofRows),
  };
  const entries = Object.entries(limits);
  const evidence = `a new payment in ${entries.map(([read, time]) => `${read} ${describe(time)}`).join(', ')}`;
  const lags = Object.fromEntries(
    entries.flatMap(([read, time]) =>
      time === undefined || isWide(time) || time[0] === 0 ? [] : [[read, toDuration(roundMiddle(time))]],
    ),
  );
  const missing = entries.filter(([, time]) => isUnclear(time)).map(([read]) => `the lag of ${read}`);
  if (missing.length === entries.length) return unknown('readLag', evidence);
  return missing.length === 0 ? found('readLag', lags, evidence) : partly('readLag', missing, evidence, lags);
}

/** Returns the roundest number in the middle half of an interval. */
function roundMiddle([from, to]: Interval): number {
  const quarter = (to - from) / 4;
  return roundWithin(from + quarter, to - quarter);
}

/** Returns whether a lag lies in an interval that says little about it. */
function isWide([after, until]: Interval): boolean {
  return until - after > Math.max(after === 0 ? 400 : 500, 0.75 * after);
}

/** Returns the lag that all possible debits have, without one if it can be 0. Undefined if they differ. */
function join(limits: readonly Interval[]): Interval | undefined {
  if (limits.length === 0) return undefined;
  const [least, most] = intersect(limits);
  return least <= most ? [Math.max(0, least), most] : undefined;
}

function evaluateRefund(setting: 'refund' | 'returnRefund', payment: WalletPayment | undefined): Finding {
  if (payment === undefined) {
    const [option, end] = setting === 'refund' ? ['failing', ''] : ['returning', ' after they completed'];
    return unknown(
      setting,
      `no payment failed${end}; set \`${option}\` to an account whose payments fail${end}`,
    );
  }
  const { before, debits, fee, balances, account } = payment;
  const debited = balances.find(({ balance }) => balance !== before)?.balance;
  if (debited === undefined)
    return unknown(setting, `the failed payment to the account ${account} had not been debited`);
  if (!debits.includes(before - debited))
    return unknown(
      setting,
      `the wallet balance changed for other reasons, or late: before ${writeMicro(before)}, then ${writeMicro(debited)}`,
    );
  const after = balances.at(-1)?.balance ?? debited;
  const evidence = `before ${writeMicro(before)}, debited ${writeMicro(debited)}, failed ${writeMicro(after)}, fee ${writeMicro(fee)}`;
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
  const quote = quotes.findLast((one) => {
    const asked = toMicro(one.sent.amount) ?? 0n;
    return (
      one.order < at &&
      one.sent.from_currency === sent.from_currency &&
      asked * 100n > amount * 98n &&
      asked * 98n < amount * 100n
    );
  });
  const { debit, send_amount: send } = readQuote(quote?.response.data ?? {});
  return debit?.kind === 'amount' && send?.kind === 'amount' ? amount + debit.micro - send.micro : amount;
}

/** Evaluates a payment that needs more than the rest of the balance while another one is not debited yet. */
function evaluateHold({ calls, quotes, balances, payments, lacking }: Traffic, debit: Finding): Finding {
  if (debit.state !== 'found') return unknown('hold', 'requires the time of the debit (debitAt)');
  if (debit.value === 'create')
    return unknown('hold', 'the create debits the wallet, so a hold makes no difference', [
      'reserve',
      'none',
    ]);
  let reason = 'no payment needed more than the balance without that of an earlier one';
  for (const { create } of payments.toReversed()) {
    const second = calls.find(
      ({ path, method, order: at }) => path === '/payments' && method === 'POST' && at > create.order,
    );
    const currency = String(create.sent.from_currency);
    const before = readBalance(
      balances.findLast(({ order: at }) => at < create.order),
      currency,
    );
    const after = readBalance(second && balances.find(({ order: at }) => at > second.order), currency);
    const [one, two] = [create, second].map((call) => (call ? estimateDebit(call, quotes) : 0n));
    if (second === undefined || before === undefined || one === undefined || two === undefined) continue;
    if (second.sent.from_currency !== currency || two > before || two + one <= before) continue;
    const evidence = `balance ${writeMicro(before)}, a payment of ${writeMicro(one)} without its debit, then one of ${writeMicro(two)}: ${describeResponse(second.response)}`;
    if (after !== before) reason = `${evidence}; the balance changed in the meantime`;
    else if (second.response.accepted) return found('hold', 'none', evidence);
    else if (isSameRefusal(second.response, lacking)) return found('hold', 'reserve', evidence);
    else reason = `${evidence}; the refusal is another one than that for lack of funds`;
  }
  return unknown('hold', reason, ['reserve', 'none']);
}
