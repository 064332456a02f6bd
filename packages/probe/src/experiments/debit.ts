import { type JsonObject, type Micro, toMicro, writeMicro } from '@service/internal';
import { createTestPayment, type ProbeContext, readId, requireData, requireQuote } from '../context.ts';
import { explainInconclusive, type Finding, found, Inconclusive, other, unknown } from '../finding.ts';
import { DEFAULT_RETURNING } from '../options.ts';
import { emptyDetails, formsOf, readPayment } from '../templates/values.ts';
import {
  HIDDEN,
  type Observation,
  pauseAfter,
  readBalance,
  type WatchOptions,
  watchPayment,
} from './watch.ts';

/**
 * The balance of a wallet before a payment, and the possible debits of that payment: with the fee and without
 * it.
 */
export interface WalletReading {
  readonly before: Micro;
  readonly debits: readonly Micro[];
}

const stages = ['pending', 'processing', 'completed'] as const;
const debitOf = { pending: 'create', processing: 'processing', completed: 'completed' } as const;

/**
 * Determines the status at which the wallet was debited. The result is `found` only if the balance changed
 * once, by a possible debit, and together with the status. Otherwise other payments changed the balance, or
 * one of the two reads lagged. A 404 proves a lag.
 */
export function evaluateDebit(
  observations: readonly Observation[],
  { before, debits, skipsProcessing }: WalletReading & Pick<StatusTrail, 'skipsProcessing'>,
): Finding {
  const evidence = formatBalances(observations, before);
  const at = observations.findIndex(({ balance }) => balance !== before);
  const debited = observations[at];
  if (debited === undefined) return unknown('debitAt', `the wallet was not debited: ${evidence}`);
  const { status, balance } = debited;
  const isOwnDebit =
    debits.includes(before - balance) && observations.slice(at).every((one) => one.balance === balance);
  if (!isOwnDebit && status !== 'failed')
    return unknown('debitAt', `the wallet balance changed for other reasons: ${evidence}`);
  const statuses = observations.map((one) => one.status).filter((one, index, all) => one !== all[index - 1]);
  if (observations.some((one) => one.status === HIDDEN))
    return unknown(
      'debitAt',
      `reads respond with 404 after the create, so a status may be shown later than it changed: ${evidence}`,
    );
  if (isLate(observations, before) || new Set(statuses).size < statuses.length || status === 'failed')
    return unknown('debitAt', `the balance and the status did not change together: ${evidence}`);
  return mapDebit(status, { statuses, evidence, skipsProcessing });
}

/** Formats the observed statuses and balances. */
function formatBalances(observations: readonly Observation[], before: Micro): string {
  const parts = observations.map(({ status, balance }) => `${status} ${writeMicro(balance)}`);
  return [`before ${writeMicro(before)}`, ...parts].join(', ');
}

/**
 * Returns true if the first balance change was observed without a status change: one of the two reads lags.
 * A 404 shows no status.
 */
function isLate(observations: readonly Observation[], before: Micro): boolean {
  const at = observations.findIndex(({ balance }) => balance !== before);
  const [previous, debited] = [observations[at - 1]?.status, observations[at]?.status];
  return at > 0 && debited !== HIDDEN && previous === debited;
}

interface StatusTrail {
  readonly statuses: readonly string[];
  /** Whether payments are never in `processing`. */
  readonly skipsProcessing: boolean;
  readonly evidence: string;
}

/**
 * Maps the status of the debit to a value. The debit may also belong to an earlier status that was not
 * observed.
 */
function mapDebit(status: string, { statuses, evidence, skipsProcessing }: StatusTrail): Finding {
  const stage = stages.findIndex((one) => one === status);
  if (stage < 0) return other('debitAt', evidence);
  const earlier = new Set(statuses.slice(0, statuses.indexOf(status)));
  const last = stages.findLastIndex((one) => earlier.has(one));
  const among = stages
    .slice(last + 1, stage + 1)
    .filter((one) => one !== 'processing' || !skipsProcessing)
    .map((one) => debitOf[one]);
  const [value] = among;
  return among.length === 1 && value !== undefined
    ? found('debitAt', value, evidence)
    : unknown('debitAt', `debited between two reads: ${evidence}`, among);
}

/**
 * Reads the balance, and the possible debits and the fee of a payment of the plan.
 *
 * @throws {Inconclusive} when an amount cannot be read.
 */
export async function readWallet(
  context: ProbeContext,
): Promise<WalletReading & { readonly fee: Micro; readonly quote: JsonObject }> {
  const quote = await requireQuote(context);
  const [send, fee] = [toMicro(quote.send_amount), toMicro(quote.fee)];
  if (send === undefined || fee === undefined)
    throw new Inconclusive('a quote has an amount that is not a number');
  return { before: await readBalance(context), debits: [send, send + fee], fee, quote };
}

/** Creates payments that fail, one of them after it completed, and measures both refunds. */
export async function probeRefunds(context: ProbeContext): Promise<Finding[]> {
  const { failing, returning, timeout } = context.plan;
  const failed = await measureFailure(context, { account: failing, until: ['completed', 'failed'] });
  const returned = await measureFailure(context, {
    account: returning,
    until: ['failed'],
    // Without the option, the account may be an ordinary one, whose payments stay completed.
    patience: returning === DEFAULT_RETURNING ? RETURN_WAIT : timeout,
  });
  const refund = evaluateRefund('refund', failed);
  const returnRefund = evaluateRefund('returnRefund', returned);
  const isSame =
    refund.state === 'found' && returnRefund.state === 'found' && refund.value === returnRefund.value;
  return [refund, isSame ? found('returnRefund', 'same', returnRefund.evidence) : returnRefund];
}

/** Maximum time between the completion of a payment and its return, in milliseconds. */
const RETURN_WAIT = 10_000;

/** Measures a failing payment. Returns the reason if that has no result. */
async function measureFailure(
  context: ProbeContext,
  options: FailureOptions,
): Promise<Failure | { readonly reason: string }> {
  try {
    return await createFailingPayment(context, options);
  } catch (error) {
    return { reason: explainInconclusive(error) };
  }
}

interface Failure {
  readonly before: Micro;
  readonly debited: Micro;
  readonly after: Micro;
  readonly fee: Micro;
}

interface FailureOptions extends WatchOptions {
  readonly account: string;
  /** Whether this payment replaces one whose statuses passed between two reads. */
  readonly isSecond?: boolean;
}

/** Time between two reads in which a payment can be debited and fail, in milliseconds: such as a wait for the rate limit. */
const MAX_READ_GAP = 3_000;

/**
 * Creates a payment that fails.
 *
 * @throws {Inconclusive} when it does not fail or was not debited, or other payments change the balance.
 */
async function createFailingPayment(
  context: ProbeContext,
  { account, isSecond = false, ...watchOptions }: FailureOptions,
): Promise<Failure> {
  const { before, debits, fee, quote } = await readWallet(context);
  const response = await createTestPayment(context, { beneficiary_account: account });
  const data = requireData(response, 'POST /payments');
  const { id } = data;
  context.made.push({
    response,
    known: readPayment(data, { ...emptyDetails, beneficiary_account: account }, quote),
    forms: formsOf(data),
    isOnlyAmount: false,
  });
  const { observations, gap } = await watchPayment(context, readId(id), { ...watchOptions, account });
  if (gap > MAX_READ_GAP && !isSecond)
    return createFailingPayment(context, { ...watchOptions, account, isSecond: true });
  const last = observations.at(-1);
  const [option, end] =
    account === context.plan.failing ? ['failing', ''] : ['returning', ' after they completed'];
  if (last?.status !== 'failed')
    throw new Inconclusive(
      `a payment to the account ${account} did not fail; set \`${option}\` to an account whose payments fail${end}`,
    );
  if (observations.every(({ balance }) => balance === before))
    throw new Inconclusive(`the failed payment to the account ${account} had not been debited`);
  const changes = observations.filter(({ status, balance }) => status !== 'failed' && balance !== before);
  const [debited, ...more] = new Set(changes.map(({ balance }) => balance));
  const isOwnDebit = debited !== undefined && more.length === 0 && debits.includes(before - debited);
  if (!isOwnDebit || isLate(observations, before))
    throw new Inconclusive(
      `the wallet balance changed for other reasons, or late: ${formatBalances(observations, before)}`,
    );
  return { before, debited, after: await awaitRefund(context, { before, debited }), fee };
}

const SETTLING_DELAY = 2_000;

/**
 * Waits for the refund, which may follow the status later and in parts. Waits no longer than the plan watches
 * a payment.
 */
async function awaitRefund(
  context: ProbeContext,
  { before, debited }: Pick<Failure, 'before' | 'debited'>,
): Promise<Micro> {
  const { now, sleep, plan } = context;
  const start = now();
  let balance = await readBalance(context);
  while (balance === debited && now() - start <= plan.timeout) {
    await sleep(pauseAfter(now() - start));
    balance = await readBalance(context);
  }
  if (balance === before || balance === debited) return balance;
  await sleep(SETTLING_DELAY);
  return readBalance(context);
}

function evaluateRefund(
  setting: 'refund' | 'returnRefund',
  failure: Failure | { readonly reason: string },
): Finding {
  if ('reason' in failure) return unknown(setting, failure.reason);
  const { before, debited, after, fee } = failure;
  const evidence = `before ${writeMicro(before)}, debited ${writeMicro(debited)}, failed ${writeMicro(after)}, fee ${writeMicro(fee)}`;
  if (after === before)
    return fee > 0n ? found(setting, 'full', evidence) : unknown(setting, evidence, ['full', 'lessFee']);
  if (after === debited) return found(setting, 'none', evidence);
  if (after === before - fee) return found(setting, 'lessFee', evidence);
  return unknown(setting, `a partial refund, or the wallet balance changed for other reasons: ${evidence}`);
}
