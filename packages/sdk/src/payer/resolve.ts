import { boolean, nonEmptyText, wholeNumber } from '@service/internal';
import { checkId } from '../body.ts';
import { createUsageError, createValidationError, parseUsage } from '../errors.ts';
import { comparePayment, listDifferences } from '../comparison.ts';
import { decodeBody } from './body.ts';
import { createReferenceError, type Intent, OTHER_PAYMENT } from '../stores/intent.ts';
import type { PayerContext } from './payer.ts';
import type { Payer } from './payer-types.ts';
import type { Refusal } from './transitions.ts';

const fields = {
  version: { ...wholeNumber(Number.MAX_SAFE_INTEGER, 1), isRequired: true },
  by: { ...nonEmptyText, isRequired: true },
  because: { ...nonEmptyText, isRequired: true },
  paymentId: { expected: '', parse: (value: unknown) => checkId(value) },
  neverMade: boolean,
  release: boolean,
} as const;

const problems: Readonly<Partial<Record<Refusal, string>>> = {
  leased:
    'may still be sent, or its request may still arrive. Decide after the lease, the timeout and the clock skew',
  final: 'has its result and cannot be resolved',
  stale: 'has changed since that version. Check its record again',
  id_taken: 'cannot have that payment: another reference has it',
};

/** Creates `resolve` of a payer. */
export function createResolve(context: PayerContext): Payer['resolve'] {
  const { store, writer } = context;
  return async (reference, input) => {
    const { version, by, because, paymentId, neverMade, release } = parseUsage('The decision', input, fields);
    if ([paymentId, neverMade, release].filter(Boolean).length !== 1)
      throw createUsageError(
        'The decision must have either `paymentId`, `neverMade: true` or `release: true`.',
      );
    await context.open();
    await writer.synchronize();
    const found = await store.read(reference);
    if (found === undefined)
      throw createUsageError('The intent store does not have this reference. Nothing was changed.');
    if (found.version !== version) throw createReferenceError(reference, problems.stale ?? '', found);
    if (paymentId !== undefined) await checkPayment(found, paymentId, context);
    const decision = paymentId ? 'payment' : release ? 'released' : 'never_made';
    const event = { type: 'resolved', version, by, because, decision, paymentId } as const;
    const { intent, refused } = await writer.apply(found, event);
    if (refused !== undefined)
      throw createReferenceError(reference, problems[refused] ?? 'cannot be resolved', intent);
    context.access.record.closeIntent(intent.key, paymentId);
    return intent;
  };
}

/**
 * Checks that a payment exists and does not contradict an intent.
 *
 * @throws {ValidationError} when it belongs to another create.
 */
async function checkPayment(intent: Intent, paymentId: string, context: PayerContext): Promise<void> {
  const { data: payment } = await context.access.search.retrieve(paymentId, {});
  if (intent.otherPaymentId === paymentId && intent.reason === OTHER_PAYMENT)
    throw createValidationError(
      'The payment is the one of another create: it differs from the body of the reference. Nothing was changed.',
    );
  if (intent.body === undefined) return;
  const planned = await decodeBody(intent, context);
  const comparison = comparePayment(planned, payment);
  const differences = listDifferences(planned, comparison);
  if (differences.length > 0 || ['changed', 'different'].includes(comparison.amount))
    throw createValidationError(
      'The payment has another amount, currency, purpose or beneficiary than the intent. Nothing was changed.',
    );
}
