import type { Micro } from '@service/internal';
import { createTestPayment, type ProbeContext, readId, requireData } from '../context.ts';
import { explainInconclusive, type Finding, found, measureSetting, unknown } from '../finding.ts';
import type { RawResponse } from '../raw-client.ts';
import { evaluateCreate } from './create-response.ts';
import { evaluateDebit, MAX_LAG, readWallet, watchWallet } from './debit.ts';
import { readHistory } from './history-reader.ts';
import { probeHold } from './hold.ts';
import { evaluateLag, readNewPayments } from './read-lag.ts';
import { type MeasuredRefunds, measureRefunds } from './refunds.ts';
import { evaluateTransitions, listReportedStatuses } from './transitions.ts';
import { findDebits, type WalletPayment, type WalletTimes } from './wallet-times.ts';

/**
 * Measures the wallet with a payment that all reads must show, one that completes and two that fail: only together they tell
 * a late debit from a lag of the reads.
 */
export async function probeWallet(context: ProbeContext): Promise<Finding[]> {
  // First: an earlier payment could change the balance late.
  const first = await attempt(() => readNewPayments(context));
  const created = await attempt(() => createPayment(context));
  const followed = 'reason' in created ? created : await attempt(() => followPayment(context, created));
  const debited = 'reason' in followed ? undefined : findDebited(followed);
  const refunds = await measureRefunds(context, debited?.after ?? MAX_LAG);
  const others = [...('reason' in first ? [] : [first.made]), ...refunds.payments];
  const { times, ...wallet } = await evaluateWallet(context, { followed, debited, refunds, others });
  return [
    'reason' in first ? unknown('readLag', first.reason) : evaluateLag(first, times),
    ...('reason' in created
      ? (['createStatus', 'absent', 'timestamps'] as const).map((name) => unknown(name, created.reason))
      : evaluateCreate(created.response)),
    wallet.debit,
    wallet.hold,
    ...refunds.findings,
  ];
}

interface WalletReadings {
  /** The payment that completed. */
  readonly followed: WalletPayment | Failed;
  readonly debited: Debited | undefined;
  readonly refunds: MeasuredRefunds;
  readonly others: readonly WalletPayment[];
}

/** Determines the time of the debit from all payments, and then whether a payment reserves its funds before it. */
async function evaluateWallet(
  context: ProbeContext,
  { followed, debited, refunds, others }: WalletReadings,
): Promise<{ readonly times: WalletTimes; readonly debit: Finding; readonly hold: Finding }> {
  const listReported = (id: string): string[] => listReportedStatuses(context, id);
  if ('reason' in followed)
    return {
      times: findDebits(others, { skipsProcessing: false, listReported }),
      debit: unknown('debitAt', followed.reason),
      hold: unknown('hold', followed.reason),
    };
  const { payment, wallet } = followed;
  const [path] = evaluateTransitions(payment, listReported(payment.id), [payment]);
  const skipsProcessing = path?.state === 'found' && path.value === 'skip';
  const times = findDebits([...others, followed], { skipsProcessing, listReported });
  const measured = evaluateDebit(times, payment.observations, wallet.before);
  const failed = refunds.payments.find(({ payment: { account } }) => account === context.plan.failing);
  const debit = await narrowDebit(context, measured, { completed: followed, failed });
  const amount = debited?.amount ?? 0n;
  const lag = Math.max(0, ...[...times.debits.values()].map(([least, most]) => (least > 0 ? most : 0)));
  const hasFeeOnTop = amount !== wallet.debits[0];
  const isKept = refunds.findings.some((one) => one.state === 'found' && one.value === 'none');
  const measureHold = async (): Promise<Finding> =>
    probeHold(context, { debit, debited: amount, hasFeeOnTop, lag, isKept, hasFailed: failed !== undefined });
  return { times, debit, hold: await measureSetting('hold', measureHold) };
}

interface Failed {
  readonly reason: string;
}

/** Returns the result of a measurement, or the reason if it has none. */
async function attempt<Result extends object>(measure: () => Promise<Result>): Promise<Result | Failed> {
  try {
    return await measure();
  } catch (error) {
    return { reason: explainInconclusive(error) };
  }
}

interface CreatedPayment extends Pick<WalletPayment, 'wallet' | 'requestedAt'> {
  readonly response: RawResponse;
}

async function createPayment(context: ProbeContext): Promise<CreatedPayment> {
  const wallet = await readWallet(context);
  const requestedAt = context.now();
  const response = await createTestPayment(context);
  requireData(response, 'POST /payments');
  return { response, wallet, requestedAt };
}

/** Watches a payment until it completes. */
async function followPayment(
  context: ProbeContext,
  { response, wallet, requestedAt }: CreatedPayment,
): Promise<WalletPayment> {
  const id = readId(requireData(response, 'POST /payments').id);
  const options = { until: ['completed', 'failed'], before: wallet.before };
  return { payment: await watchWallet(context, id, options), wallet, requestedAt };
}

/** The debit of a payment. */
interface Debited {
  readonly amount: Micro;
  /** The time from the response to the create to the read that showed it, in milliseconds. */
  readonly after: number;
}

/** Returns the debit of a payment; undefined if no read showed one. */
function findDebited({ payment, wallet: { before } }: WalletPayment): Debited | undefined {
  const first = payment.balances.find(({ balance }) => balance !== before);
  return first && { amount: before - first.balance, after: first.at - payment.createdAt };
}

/**
 * Narrows the possible times of a debit with the payment that fails: if the history has no row of it, none of its statuses
 * debits the wallet. The history must show the payment that completed.
 */
async function narrowDebit(
  context: ProbeContext,
  debit: Finding,
  { completed, failed }: { readonly completed: WalletPayment; readonly failed: WalletPayment | undefined },
): Promise<Finding> {
  if (debit.state !== 'unknown' || debit.among === undefined || failed === undefined) return debit;
  const { id, statuses } = failed.payment;
  const history = readHistory(await context.send('/transactions?per_page=100'));
  const rows = 'problem' in history ? [] : history.raw.map((row) => JSON.stringify(row));
  const isShown =
    rows.some((row) => row.includes(completed.payment.id)) && !rows.some((row) => row.includes(id));
  if (findDebited(failed) !== undefined || !isShown) return debit;
  const passed = new Set([...listReportedStatuses(context, id), ...statuses]);
  const among = debitTimes.filter(
    (value) => debit.among?.includes(value) && !passed.has(value === 'create' ? 'pending' : value),
  );
  const evidence = `${debit.evidence}; a payment that was ${[...passed].join(', ')} has no row`;
  const [value, ...others] = among;
  if (value === undefined) return debit;
  return others.length === 0 ? found('debitAt', value, evidence) : unknown('debitAt', evidence, among);
}

const debitTimes = ['create', 'processing', 'completed'] as const;
