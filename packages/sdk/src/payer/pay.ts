import { abortSignal } from '@service/internal';
import { comparePayment, listDifferences } from '../comparison.ts';
import type { Payment } from '../models.ts';
import {
  createAbortError,
  parseUsage,
  type PaymentOutcomeUnknownError,
  type PaymentTrace,
} from '../errors.ts';
import { createUnknownError } from '../payments.ts';
import { onAbort } from '../transport/deadline.ts';
import { type DigestedBody, readBody } from './body.ts';
import { createIntent, createReferenceError, type Intent } from '../stores/intent.ts';
import type { PayerContext } from './payer.ts';
import type { Payer } from './payer-types.ts';
import { searchPayments, toWanted } from './search.ts';
import { recover, type Sent, sendIntent } from './send.ts';
import { MAX_ROUNDS } from '../stores/checked-store.ts';
import type { Refusal } from './transitions.ts';

/** A call of `pay`. */
interface PayCall {
  readonly reference: string;
  readonly body: DigestedBody;
  readonly signal: AbortSignal | undefined;
  /** Called before a create can leave, or is searched. From then on, the signal ends the create or the search itself. */
  readonly onSend: () => void;
}

/** Creates `pay` of a payer. Calls of one reference run one after the other. */
export function createPay(context: PayerContext): Payer['pay'] {
  const running = new Map<string, Promise<unknown>>();
  return async (reference, input, options = {}) => {
    const { signal } = parseUsage('The options of pay', options, { signal: abortSignal });
    const body = await readBody(reference, input, context);
    const before = running.get(reference);
    let unwatch: (() => void) | undefined;
    const work = (async () => {
      await before?.catch(() => {});
      return payOnce({ reference, body, signal, onSend: () => unwatch?.() }, context);
    })();
    running.set(reference, work);
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(createAbortError(signal, { outcome: 'not_sent' }));
      unwatch = signal && onAbort(signal, stop);
      if (signal?.aborted) stop();
      const cleanUp = (): void => {
        unwatch?.();
        if (running.get(reference) === work) running.delete(reference);
      };
      work.finally(cleanUp).then(resolve, reject);
    });
  };
}

/** Returns the payment of a reference: the one that it has, that its create returns, or that a search finds. */
async function payOnce(call: PayCall, context: PayerContext): Promise<Payment> {
  const { reference, body, signal, onSend } = call;
  const mode = await context.open();
  await context.writer.synchronize();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (signal?.aborted) break;
    const found = await context.store.read(reference);
    const intent = found
      ? await recover(found, context)
      : {
          ...createIntent(reference, body.digest, context.access.search.clock.unique()),
          lookalikes: body.lookalikes,
        };
    const sent = await sendIntent(intent, context, { mode, body, signal, onSend });
    const { intent: latest, refused } = sent;
    if (refused === undefined) return finish(sent, call, context);
    // A payment may exist: `not_sent` would be wrong for its search.
    if (latest.sends.length > 0) onSend();
    if (refused === 'not_resendable') return search(latest, call, context);
    if (refused === 'final' && latest.state === 'created') return retrieve(latest, call, context);
    const last = context.unrecorded.get(reference);
    // The late write of a call of this payer that sent nothing.
    const isOwn = last?.type === 'not_sent' && last.worker === latest.holder?.worker;
    if (refused !== 'stale' && !(refused === 'leased' && isOwn))
      throw createReferenceError(reference, problems[refused] ?? BUSY, latest);
  }
  throw createReferenceError(reference, BUSY);
}

const BUSY =
  'is being written by another worker, or the intent store returns stale reads. Try again, and read from the primary';
const problems: Readonly<Partial<Record<Refusal, string>>> = {
  other_body:
    'was used with another request body. Send that body, or use a new reference for a different payment',
  final: 'was abandoned and cannot be used again',
  leased: 'is being created by another worker. Wait for its result',
};

/** Returns the payment of a create, or throws its error. Warns if its record does not fit. */
function finish(sent: Sent, call: PayCall, context: PayerContext): Payment {
  const { intent, payment, error, storeError } = sent;
  const { warn } = context.access.settings;
  const { reference, conflicts = [] } = intent;
  if (storeError !== undefined) {
    const message = `The intent store failed after the create of the reference ${reference}. It is not sent again until its payment is known.`;
    warn({ code: 'store_failed', message });
  }
  if (payment === undefined) throw error as Error;
  // Another reference has the payment.
  if (storeError === undefined && intent.state === 'unknown')
    throw createError('searched', undefined, intent, call, context);
  for (const { paymentId, problem } of conflicts) {
    const message = `${payment.id} was created for the reference ${reference}, but ${paymentId} does not fit. ${problem} Check both payments.`;
    warn({ code: 'reference_conflict', message });
  }
  return payment;
}

async function retrieve(intent: Intent, call: PayCall, context: PayerContext): Promise<Payment> {
  const { paymentId = '' } = intent;
  let payment: Payment;
  try {
    payment = await context.access.search.retrieveCreated(paymentId, { signal: call.signal });
  } catch (error) {
    throw createError('recorded', error, intent, call, context);
  }
  const { fields } = call.body;
  if (listDifferences(fields, comparePayment(fields, payment)).length === 0) return payment;
  throw createError('recorded', undefined, { ...intent, otherPaymentId: paymentId }, call, context);
}

/** Searches the payment of a create whose outcome is unknown. Sends nothing. */
async function search(found: Intent, call: PayCall, context: PayerContext): Promise<Payment> {
  let intent = found;
  let cause: unknown;
  try {
    // The lease of an ended worker has passed, or it would have been refused.
    ({ intent } = await context.writer.apply(found, { type: 'lapsed' }));
    const wanted = toWanted(intent, call.body.fields, context);
    for await (const { result } of searchPayments([{ intent, wanted }], context, call.signal))
      if (result.result === 'found') return result.payment;
  } catch (error) {
    cause = error;
  }
  throw createError('searched', cause, intent, call, context);
}

function createError(
  phase: PaymentTrace['phase'],
  cause: unknown,
  { reference, key, otherPaymentId, returnedFields, sends, changedAt, ...intent }: Intent,
  { body }: PayCall,
  { access }: PayerContext,
): PaymentOutcomeUnknownError {
  const now = access.search.clock.date().toISOString();
  const paymentId = intent.paymentId ?? intent.unprovenPaymentId;
  const facts = {
    phase,
    sentAt: sends[0] ?? now,
    failedAt: changedAt ?? now,
    reference,
    idempotencyKey: access.settings.idempotencyKeys === 'send' ? key : undefined,
    paymentId,
    otherPaymentId,
    returnedFields,
    ...(otherPaymentId !== undefined && { code: 'other_payment' as const }),
  };
  return createUnknownError(cause, body, facts);
}
