import { comparePayment } from '../comparison.ts';
import type { Mode, Payment, PaymentInput, SentFields } from '../models.ts';
import {
  AuthenticationError,
  ConfigurationError,
  createValidationError,
  ModeMismatchError,
  NotFoundError,
  PaymentOutcomeUnknownError,
  ServiceError,
} from '../errors.ts';
import { decodeBody, type DigestedBody } from './body.ts';
import { dropOldest } from '../create-record.ts';
import type { Intent } from '../stores/intent.ts';
import type { PayerContext } from './payer.ts';
import { decide, findResendLimit, type IntentEvent, type Refusal } from './transitions.ts';

/** How a create is sent. */
interface SendOptions {
  /** The mode of the account of the store. */
  readonly mode: Mode;
  /** The body of `pay`; undefined for the stored one. */
  readonly body?: DigestedBody | undefined;
  /** Ends the create. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the create is sent. From then on, `signal` ends it. */
  readonly onSend?: () => void;
}

/** The result of a create. */
export interface Sent {
  /** The intent after its result was recorded, or as it was sent if that failed. */
  readonly intent: Intent;
  /** The reason for which nothing was sent. */
  readonly refused?: Refusal | undefined;
  readonly payment?: Payment | undefined;
  readonly error?: unknown;
  /** The error of the store after the create. */
  readonly storeError?: unknown;
}

/**
 * Sends the create of an intent once, if the rules permit it, and records the result. Never drops a payment: if
 * the store fails after the create, the result has the payment and the error.
 *
 * @throws {ConfigurationError} when the store fails before the create, or the body cannot be read. Nothing was
 * sent.
 */
export async function sendIntent(
  planned: Intent,
  context: PayerContext,
  { mode, body, signal, onSend }: SendOptions,
): Promise<Sent> {
  const { access, writer, rules, lease } = context;
  const { clock } = access.search;
  const { reference } = planned;
  const worker = clock.unique();
  const start = clock.now();
  const until = new Date(writer.date().getTime() + lease);
  const { digest, lookalikes } = body ?? {};
  const pay = digest === undefined ? undefined : { digest, lookalikes, key: clock.unique() };
  const returnedFields = access.record.getReturnedFields();
  const claim: IntentEvent = { type: 'claimed', worker, until, pay, returnedFields };
  // Before the body is read: another worker may hold the intent.
  const early = decide(planned, claim, { now: writer.date(), rules });
  if ('refused' in early) return { intent: planned, refused: early.refused };
  const fields = body?.fields ?? (await decodeBody(planned, context));
  const { intent: claimed, refused } = await writer.apply(planned, claim).catch((error: unknown) => {
    remember(reference, { type: 'not_sent', worker }, context);
    throw error;
  });
  if (refused !== undefined) return { intent: claimed, refused };
  context.unrecorded.delete(reference);
  const resendLimit = claimed.sends.length > 1 ? findResendLimit(claimed, rules) : Infinity;
  const isExpired = (): boolean => {
    const now = writer.date().getTime();
    return clock.now() >= start + lease || now >= Math.min(until.getTime(), resendLimit);
  };
  const checkMode = (own: Mode): void => {
    if (own !== mode)
      throw createValidationError(
        `The API key is in ${own} mode, but the store belongs to ${mode} mode. Nothing was sent.`,
      );
  };
  const sendLease = { reference, key: claimed.key, isExpired, checkMode };
  onSend?.();
  let error: unknown;
  const create = access.create(fields as PaymentInput, { signal }, sendLease);
  const payment = await create.catch((reason: unknown) => void (error = reason));
  const event: IntentEvent = payment
    ? { type: 'responded', worker, paymentId: payment.id, isExact: isExact(fields, payment) }
    : toEvent(error, worker);
  try {
    const { intent } = await writer.apply(claimed, event);
    return { intent, payment, error };
  } catch (storeError) {
    remember(reference, event, context);
    return { intent: claimed, payment, error, storeError };
  }
}

function isExact(fields: SentFields, payment: Payment): boolean {
  return !['changed', 'different'].includes(comparePayment(fields, payment).amount);
}

/** Remembers an event that the store may not have. */
function remember(reference: string, event: IntentEvent, { unrecorded }: PayerContext): void {
  unrecorded.set(reference, event);
  if (unrecorded.size > 20_000) dropOldest(unrecorded, 10_000);
}

/** Records the last event of an intent again if its record failed. Returns the latest version. */
export async function recover(found: Intent, { writer, unrecorded }: PayerContext): Promise<Intent> {
  const event = unrecorded.get(found.reference);
  if (event === undefined) return found;
  const { intent } = await writer.apply(found, event);
  // The write of a claim can still be applied, until another claim replaces it.
  if (event.type !== 'not_sent') unrecorded.delete(found.reference);
  return intent;
}

/** Converts the error of a create to the event of its intent. */
function toEvent(error: unknown, worker: string): IntentEvent {
  if (!(error instanceof ServiceError)) return { type: 'unanswered', worker, reason: 'Error' };
  const { outcome, status, name: reason } = error;
  const isLimited = outcome === 'rejected' && status === 429;
  if (outcome === 'not_sent' || isLimited || isAccountError(error)) return { type: 'not_sent', worker };
  if (outcome === 'rejected') return { type: 'rejected', worker, reason };
  if (!(error instanceof PaymentOutcomeUnknownError)) return { type: 'unanswered', worker, reason };
  const { paymentId, otherPaymentId, code } = error;
  return { type: 'unanswered', worker, reason: code ?? reason, paymentId, otherPaymentId };
}

/**
 * Returns whether the service rejected a create because of the API key, the account or the base URL. All other creates
 * would be rejected too, so these intents stay planned.
 */
function isAccountError(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.outcome !== 'rejected') return false;
  // A 403 of another type can be about one payment.
  const isSuspended = error.type === 'permission_error';
  return isSuspended || error instanceof AuthenticationError || error instanceof NotFoundError;
}

/** Returns the reason of an error of a create that would repeat for every other intent; undefined for any other error. */
export function findRunEnd(error: unknown): unknown {
  // After a response, also one of the other mode, the outcome of the create is unknown.
  const reason = error instanceof PaymentOutcomeUnknownError ? error.cause : error;
  const isOfClient = reason instanceof ConfigurationError || reason instanceof ModeMismatchError;
  return isOfClient || isAccountError(reason) ? reason : undefined;
}
