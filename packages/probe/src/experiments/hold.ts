import { CENT, type Micro, toMicro, writeMicro } from '@service/internal';
import { createTestPayment, type ProbeContext, readId, requireData, requireQuote } from '../context.ts';
import { type Finding, found, Inconclusive, unknown } from '../finding.ts';
import { describeResponse } from '../raw-client.ts';
import { readBalance, watchPayment } from './watch.ts';

const ONE = 1_000_000n;
const untilFinal = { until: ['completed', 'failed'] } as const;

/** The finding of `debitAt`, and the debit of a payment. */
export interface MeasuredDebit {
  readonly debit: Finding;
  readonly debited: Micro;
  readonly hasFeeOnTop: boolean;
  /** The longest time for which reads of the balance do not show a change, in milliseconds. */
  readonly lag: number;
  /** Whether a payment that fails is debited without a refund. */
  readonly isKept: boolean;
  /** Whether a payment to the account of `failing` failed. */
  readonly hasFailed: boolean;
}

/**
 * Measures whether a payment reserves its funds before a later debit: with a payment that is not debited yet, creates one
 * that needs more than the rest of the balance. It goes to the account whose payments fail.
 */
export async function probeHold(context: ProbeContext, measured: MeasuredDebit): Promise<Finding> {
  const { debit, debited, hasFeeOnTop, lag, isKept, hasFailed } = measured;
  if (debit.state !== 'found') return unknown('hold', 'requires the time of the debit (debitAt)');
  if (debit.value === 'create')
    return unknown('hold', 'the create debits the wallet, so a hold makes no difference', [
      'reserve',
      'none',
    ]);
  if (isKept && debit.value === 'processing')
    return unknown(
      'hold',
      'a failed payment gets no refund, so one of nearly the whole balance could use the wallet up',
      ['reserve', 'none'],
    );
  if (!hasFailed)
    return unknown(
      'hold',
      'no payment to the account of `failing` failed, so one of nearly the whole balance could use the wallet up',
      ['reserve', 'none'],
    );
  // Earlier payments can change the balance until then.
  if (lag > 0) await context.sleep(lag);
  const before = await readBalance(context);
  const amount = await findAmount(context, { total: before - debited / 2n, debited, hasFeeOnTop });
  const first = requireData(await createTestPayment(context), 'POST /payments');
  const second = await createTestPayment(context, {
    amount: Number(writeMicro(amount)),
    beneficiary_account: context.plan.failing,
  });
  if (lag > 0) await context.sleep(lag);
  const isStillFree = (await readBalance(context)) === before;
  const evidence = `balance ${writeMicro(before)}, a payment of ${writeMicro(debited)} without its debit, then one of ${writeMicro(amount)}: ${describeResponse(second)}`;
  await watchPayment(context, readId(first.id), untilFinal);
  if (second.accepted) await watchPayment(context, readId(second.data.id), untilFinal);
  if (!isStillFree) return unknown('hold', `${evidence}; the balance changed in the meantime`);
  if (second.accepted) return found('hold', 'none', evidence);
  return describeResponse(second) === '422 insufficient_funds'
    ? found('hold', 'reserve', evidence)
    : unknown('hold', evidence);
}

interface AmountOptions {
  /** The debit to reach. */
  readonly total: Micro;
  /** The debit of a payment of the plan; the tolerance of `total` is half of it. */
  readonly debited: Micro;
  readonly hasFeeOnTop: boolean;
}

const MAX_QUOTES = 4;

/** Returns the amount of a payment whose debit is about `total`. */
async function findAmount(
  context: ProbeContext,
  { total, debited, hasFeeOnTop }: AmountOptions,
): Promise<Micro> {
  // Some currencies have no decimals.
  const step = debited > 4n * ONE ? ONE : CENT;
  let amount = total - (total % step);
  if (!hasFeeOnTop) return amount;
  for (let quotes = 0; ; quotes += 1) {
    const { fee: value } = await requireQuote(context, { amount: Number(writeMicro(amount)) });
    const fee = toMicro(value);
    if (fee === undefined || quotes === MAX_QUOTES)
      throw new Inconclusive('the fee of a payment of nearly the whole balance cannot be determined');
    const [excess, tolerance] = [amount + fee - total, debited / 4n];
    if (excess < tolerance && excess > -tolerance) return amount;
    amount -= excess - (excess % step);
  }
}
