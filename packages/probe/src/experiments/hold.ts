import { CENT, type Micro, toMicro, writeMicro } from '@service/internal';
import { findLackingAmount, isSameRefusal, readBalance, refusePayment } from '../balances.ts';
import { createTestPayment, type ProbeContext, readId, requireData, requireQuote } from '../context.ts';
import { type Finding, found, Inconclusive, unknown } from '../finding.ts';
import { describeResponse } from '../raw-client.ts';
import { watchPayment } from './watch.ts';

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
  const unmeasured = explainUnmeasured(measured);
  if (unmeasured !== undefined) return unmeasured;
  const { debited, hasFeeOnTop, lag } = measured;
  // Earlier payments can change the balance until then.
  if (lag > 0) await context.sleep(lag);
  const before = await readBalance(context);
  const amount = await findAmount(context, { total: before - debited / 2n, debited, hasFeeOnTop });
  const lacking = await findLackingAmount(context);
  const usual = await refusePayment(context, { amount: lacking });
  const first = requireData(await createTestPayment(context), 'POST /payments');
  const second = await createTestPayment(context, {
    amount: Number(writeMicro(amount)),
    beneficiary_account: context.plan.failing,
  });
  // A refusal can show the rest of the balance, which a hold changes.
  const held = await refusePayment(context, { amount: lacking + 777 });
  if (lag > 0) await context.sleep(lag);
  const isStillFree = (await readBalance(context)) === before;
  const evidence = `balance ${writeMicro(before)}, a payment of ${writeMicro(debited)} without its debit, then one of ${writeMicro(amount)}: ${describeResponse(second)}`;
  await watchPayment(context, readId(first.id), untilFinal);
  if (second.accepted) await watchPayment(context, readId(second.data.id), untilFinal);
  if (!isStillFree) return unknown('hold', `${evidence}; the balance changed in the meantime`);
  if (second.accepted) return found('hold', 'none', evidence);
  return isSameRefusal(second, [usual, held])
    ? found('hold', 'reserve', evidence)
    : unknown('hold', evidence);
}

/** Returns the finding of a hold that makes no difference, or whose measurement could use the wallet up. */
function explainUnmeasured({ debit, isKept, hasFailed }: MeasuredDebit): Finding | undefined {
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
  return undefined;
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
