import { type Field, isRecord, parseObject, wholeNumber } from '@service/internal';
import { createUsageError, createValidationError } from '../errors/error-classes.ts';
import { compareBeneficiaryFields, matchPayment } from '../reconcile/payment-match.ts';
import { parseReconcileInput } from '../reconcile/reconcile-input.ts';
import { checkId } from '../values/payment.ts';
import { createReferenceError, type Intent } from './intent.ts';
import type { Payer } from './payer-types.ts';
import type { SendContext } from './send-intent.ts';
import { decodeBody } from './stored-body.ts';
import type { Refusal } from './transitions.ts';

const text: Field<string> = {
  expected: 'a string that is not empty',
  parse: (value) => (typeof value === 'string' && value.trim() !== '' ? value : undefined),
};
const fields = {
  version: { ...wholeNumber(Number.MAX_SAFE_INTEGER, 1), isRequired: true },
  by: { ...text, isRequired: true },
  because: { ...text, isRequired: true },
  paymentId: { expected: '', parse: (value: unknown) => checkId(value) },
  neverMade: { expected: 'true', parse: (value: unknown) => (value === true ? true : undefined) },
} as const;

const problems: Readonly<Record<Refusal, string>> = {
  leased:
    'may still be sent, or its request may still arrive. Decide after the lease, the timeout and the clock skew',
  final: 'has its result and cannot be resolved',
  stale: 'has changed since that version. Check its record again',
  id_taken: 'cannot have that payment: another reference has it',
  not_resendable: 'cannot be resolved',
};

/** Creates `resolve` of a payer. */
export function createResolve(open: () => Promise<SendContext>): Payer['resolve'] {
  return async (reference, decision) => {
    const schema = { name: 'The decision', fields, createError: createUsageError };
    const { version, by, because, paymentId, neverMade } = parseObject(decision, schema);
    if ((paymentId === undefined) === (neverMade === undefined))
      throw createUsageError('The decision must have either `paymentId` or `neverMade: true`.');
    const context = await open();
    await context.time.synchronize();
    const found = await context.settings.store.read(reference);
    if (found === undefined)
      throw createUsageError('The intent store does not have this reference. Nothing was changed.');
    if (found.version !== version) throw createReferenceError(problems.stale, found);
    if (paymentId !== undefined) await checkPayment(found, paymentId, context);
    const event = { type: 'resolved', version, by, because, paymentId } as const;
    const { intent, refused } = await context.writer.apply(found, event);
    if (refused !== undefined) throw createReferenceError(problems[refused], intent);
    return intent;
  };
}

/**
 * Checks that a payment exists and does not contradict an intent.
 *
 * @throws {ValidationError} when it belongs to another create.
 */
async function checkPayment(intent: Intent, paymentId: string, { settings }: SendContext): Promise<void> {
  const { search } = settings.access;
  const { data: payment } = await search.retrieve(paymentId, {});
  if (intent.body === undefined && !settings.load) return;
  const since = intent.sends[0] ?? search.clock.date();
  const wanted = parseReconcileInput({ ...(await decodeBody(intent, settings)), since });
  const beneficiary = wanted.beneficiary
    ? compareBeneficiaryFields(wanted.beneficiary, payment, search.echo)
    : {};
  if (isRecord(matchPayment(payment, wanted, { beneficiary, echo: search.echo }))) return;
  throw createValidationError(
    'The payment has another amount, currency, purpose or beneficiary than the intent. Nothing was changed.',
  );
}
