import { type ProbeContext, requireData, createTestPayment, requireQuote, readId } from './context.ts';
import { isLate, type WalletReading, formatBalances } from './debit.ts';
import { type Finding, found, Inconclusive, unknown } from './finding.ts';
import { type Micro, toMicro, writeMicro } from './micro.ts';
import { pauseAfter, readBalance, watchPayment } from './watch.ts';

/**
 * Reads the balance, and the possible debits and the fee of a payment of the plan.
 *
 * @throws {Inconclusive} when an amount cannot be read.
 */
export async function readWallet(context: ProbeContext): Promise<WalletReading & { readonly fee: Micro }> {
  const quote = await requireQuote(context);
  const [send, fee] = [toMicro(quote.send_amount), toMicro(quote.fee)];
  if (send === undefined || fee === undefined)
    throw new Inconclusive('a quote has an amount that is not a number');
  return { before: await readBalance(context), debits: [send, send + fee], fee };
}

/** Creates payments that fail, and measures the refund. */
export async function probeRefund(context: ProbeContext): Promise<Finding[]> {
  const { failing, returning } = context.plan;
  const failed = await createFailingPayment(context, failing, ['completed', 'failed']);
  if (failed !== undefined) return [evaluateRefund(failed)];
  // If the debit comes with the completion, only a returned payment has a refund.
  const returned = await createFailingPayment(context, returning, ['failed']);
  return [
    returned === undefined
      ? unknown('refund', 'no failed payment had been debited')
      : evaluateRefund(returned),
  ];
}

interface Failure {
  readonly before: Micro;
  readonly debited: Micro;
  readonly after: Micro;
  readonly fee: Micro;
}

/**
 * Creates a payment that fails. Returns undefined if it was not debited.
 *
 * @throws {Inconclusive} when it does not fail, or other payments change the balance.
 */
async function createFailingPayment(
  context: ProbeContext,
  account: string,
  until: readonly string[],
): Promise<Failure | undefined> {
  const { before, debits, fee } = await readWallet(context);
  const { id } = requireData(
    await createTestPayment(context, { beneficiary_account: account }),
    'POST /payments',
  );
  const { observations } = await watchPayment(context, readId(id), until);
  const last = observations.at(-1);
  if (last?.status !== 'failed') {
    throw new Inconclusive(
      `a payment to the account ${account} did not fail; set --failing and --returning to accounts whose payments fail`,
    );
  }
  if (observations.every(({ balance }) => balance === before)) return undefined;
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
  const { now, sleep, signal, plan } = context;
  const start = now();
  let balance = await readBalance(context);
  while (balance === debited && now() - start <= plan.patience) {
    await sleep(pauseAfter(now() - start), signal);
    balance = await readBalance(context);
  }
  if (balance === before || balance === debited) return balance;
  await sleep(SETTLING_DELAY, signal);
  return readBalance(context);
}

function evaluateRefund({ before, debited, after, fee }: Failure): Finding {
  const evidence = `before ${writeMicro(before)}, debited ${writeMicro(debited)}, failed ${writeMicro(after)}, fee ${writeMicro(fee)}`;
  if (after === before)
    return fee > 0n ? found('refund', 'full', evidence) : unknown('refund', evidence, ['full', 'lessFee']);
  if (after === debited) return found('refund', 'none', evidence);
  if (after === before - fee) return found('refund', 'lessFee', evidence);
  return unknown('refund', `a partial refund, or the wallet balance changed for other reasons: ${evidence}`);
}
