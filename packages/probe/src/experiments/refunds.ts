import { type Micro, writeMicro } from '@service/internal';
import { createTestPayment, type ProbeContext, readId, requireData } from '../context.ts';
import { explainInconclusive, type Finding, found, unknown } from '../finding.ts';
import { DEFAULT_RETURNING } from '../options.ts';
import { emptyDetails, formsOf, readPayment } from '../templates/values.ts';
import { formatBalances, readWallet, watchWallet } from './debit.ts';
import type { WalletPayment } from './wallet-times.ts';
import type { WatchOptions } from './watch.ts';

/** The findings about refunds, and the payments behind them. */
export interface MeasuredRefunds {
  readonly findings: readonly Finding[];
  readonly payments: readonly WalletPayment[];
}

/**
 * Creates payments that fail, one of them after it completed, and measures both refunds. `lag` is the longest possible time
 * between a debit and the read that shows it, in milliseconds.
 */
export async function measureRefunds(context: ProbeContext, lag: number): Promise<MeasuredRefunds> {
  const { failing, returning, timeout } = context.plan;
  const failed = await measureFailure(context, { account: failing, until: ['completed', 'failed'], lag });
  const returned = await measureFailure(context, {
    account: returning,
    until: ['failed'],
    lag,
    // Without the option, the account may be an ordinary one, whose payments stay completed.
    patience: returning === DEFAULT_RETURNING ? RETURN_WAIT : timeout,
  });
  const refund = evaluateRefund('refund', failed);
  const returnRefund = evaluateRefund('returnRefund', returned);
  const isSame =
    refund.state === 'found' && returnRefund.state === 'found' && refund.value === returnRefund.value;
  return {
    findings: [refund, isSame ? found('returnRefund', 'same', returnRefund.evidence) : returnRefund],
    payments: [failed, returned].flatMap(({ made }) => made ?? []),
  };
}

/** Maximum time between the completion of a payment and its return, in milliseconds. */
const RETURN_WAIT = 10_000;

/** A payment that was meant to fail, with its refund or the reason why there is no result. */
interface Failure {
  readonly made?: WalletPayment;
  readonly result: Refund | { readonly reason: string };
}

interface Refund {
  readonly before: Micro;
  readonly debited: Micro;
  readonly after: Micro;
  readonly fee: Micro;
}

interface FailureOptions extends WatchOptions {
  readonly account: string;
  readonly lag: number;
  /** Whether this payment replaces one whose statuses passed between two reads. */
  readonly isSecond?: boolean;
}

async function measureFailure(context: ProbeContext, options: FailureOptions): Promise<Failure> {
  try {
    return await createFailingPayment(context, options);
  } catch (error) {
    return { result: { reason: explainInconclusive(error) } };
  }
}

/** Time between two reads in which a payment can be debited and fail, in milliseconds: such as a wait for the rate limit. */
const MAX_READ_GAP = 3_000;

/** Creates a payment that fails, and watches the wallet. */
async function createFailingPayment(
  context: ProbeContext,
  { account, isSecond = false, ...watchOptions }: FailureOptions,
): Promise<Failure> {
  const { quote, fee, ...wallet } = await readWallet(context);
  const requestedAt = context.now();
  const response = await createTestPayment(context, { beneficiary_account: account });
  const data = requireData(response, 'POST /payments');
  const { id } = data;
  context.made.push({
    response,
    known: readPayment(data, { ...emptyDetails, beneficiary_account: account }, quote),
    forms: formsOf(data),
    isOnlyAmount: false,
  });
  const { before, debits } = wallet;
  const payment = await watchWallet(context, readId(id), { ...watchOptions, account, before });
  if (payment.gap > MAX_READ_GAP && !isSecond)
    return createFailingPayment(context, { ...watchOptions, account, isSecond: true });
  const [option, end] =
    account === context.plan.failing ? ['failing', ''] : ['returning', ' after they completed'];
  if (payment.statuses.at(-1) !== 'failed')
    return explain(
      `a payment to the account ${account} did not fail; set \`${option}\` to an account whose payments fail${end}`,
    );
  const made = { payment, wallet, requestedAt };
  const debited = payment.balances.find(({ balance }) => balance !== before)?.balance;
  if (debited === undefined)
    return explain(`the failed payment to the account ${account} had not been debited`, made);
  if (!debits.includes(before - debited))
    return explain(
      `the wallet balance changed for other reasons, or late: ${formatBalances(payment.observations, before)}`,
      made,
    );
  const after = payment.balances.at(-1)?.balance ?? debited;
  return { made, result: { before, debited, after, fee } };
}

function explain(reason: string, made?: WalletPayment): Failure {
  return { result: { reason }, ...(made && { made }) };
}

function evaluateRefund(setting: 'refund' | 'returnRefund', { result }: Failure): Finding {
  if ('reason' in result) return unknown(setting, result.reason);
  const { before, debited, after, fee } = result;
  const evidence = `before ${writeMicro(before)}, debited ${writeMicro(debited)}, failed ${writeMicro(after)}, fee ${writeMicro(fee)}`;
  if (after === before)
    return fee > 0n ? found(setting, 'full', evidence) : unknown(setting, evidence, ['full', 'lessFee']);
  if (after === debited) return found(setting, 'none', evidence);
  if (after === before - fee) return found(setting, 'lessFee', evidence);
  return unknown(setting, `a partial refund, or the wallet balance changed for other reasons: ${evidence}`);
}
