import type { Mode, Payment, PaymentInput } from '../models.ts';
import type { SendLease } from '../payments.ts';
import {
  AuthenticationError,
  ConfigurationError,
  createValidationError,
  ModeMismatchError,
  NotFoundError,
  PaymentOutcomeUnknownError,
  ServiceError,
} from '../errors.ts';
import type { Intent } from './intent.ts';
import type { IntentWriter } from './intent-writer.ts';
import type { PayerSettings } from './payer-options.ts';
import type { IntentUpdate } from './payer-types.ts';
import type { StoreTime } from './store-time.ts';
import { decodeBody } from './stored-body.ts';
import { decide, findResendLimit, type IntentEvent } from './transitions.ts';

/** The parts of a payer that send creates. */
export interface SendContext {
  readonly settings: PayerSettings;
  readonly time: StoreTime;
  readonly writer: IntentWriter;
  /** The mode of the account of the store. */
  readonly mode: Mode;
  /** The claims whose write failed, so that their create was not sent. */
  readonly unsent: Set<string>;
}

/**
 * Sends the create of an intent once, if the rules permit it, and records the result. Returns undefined if
 * they do not, or if another worker was first. Never drops a payment: if the store fails after the create, the
 * update has the payment and the error.
 *
 * @param onResult Called with the error of the create, before its result is recorded.
 * @throws {ConfigurationError} when the store fails before the create, or the body cannot be read. Nothing was
 * sent.
 */
export async function sendIntent(
  planned: Intent,
  context: SendContext,
  onResult: (error: unknown) => void,
): Promise<IntentUpdate | undefined> {
  const { settings, time, writer, unsent } = context;
  const { access, lease, rules } = settings;
  const { clock } = access.search;
  const worker = clock.unique();
  const start = clock.now();
  const until = new Date(time.date().getTime() + lease);
  const claim: IntentEvent = { type: 'claimed', worker, until };
  // Before the body is read: another worker may hold the intent.
  if ('refused' in decide(planned, claim, { now: time.date(), rules })) return undefined;
  const body = await decodeBody(planned, settings);
  let claimed: Intent;
  try {
    const { intent, refused } = await writer.apply(planned, claim);
    if (refused !== undefined) return undefined;
    claimed = intent;
  } catch (error) {
    unsent.add(worker);
    throw error;
  }
  const resendLimit = claimed.sends.length > 1 ? findResendLimit(claimed, rules) : Infinity;
  const isExpired = (): boolean => {
    const now = time.date().getTime();
    return clock.now() >= start + lease || now >= until.getTime() || now >= resendLimit;
  };
  const checkMode = (mode: Mode): void => {
    if (mode !== context.mode)
      throw createValidationError(
        `The API key is in ${mode} mode, but the store belongs to ${context.mode} mode.`,
      );
  };
  const sendLease = { worker, reference: claimed.reference, key: claimed.key, isExpired, checkMode };
  const result = await create(body as PaymentInput, sendLease, settings);
  onResult(result.error);
  return record(claimed, result, writer);
}

/** The result of a create that was passed to the client. */
interface CreateResult {
  readonly event: IntentEvent;
  readonly payment?: Payment;
  readonly error?: unknown;
}

async function create(
  body: PaymentInput,
  lease: SendLease & { readonly worker: string },
  { access }: PayerSettings,
): Promise<CreateResult> {
  const { worker } = lease;
  try {
    const payment = await access.create(body, {}, lease);
    return { event: { type: 'responded', worker, paymentId: payment.id }, payment };
  } catch (error) {
    return { event: toEvent(error, worker), error };
  }
}

/** Converts the error of a create to the event of its intent. */
function toEvent(error: unknown, worker: string): IntentEvent {
  const outcome = error instanceof ServiceError ? error.outcome : undefined;
  const reason = error instanceof ServiceError ? error.name : 'Error';
  if (outcome === 'not_sent' || isAccountError(error)) return { type: 'not_sent', worker };
  if (error instanceof ServiceError && outcome === 'rejected')
    return error.status === 429 ? { type: 'not_sent', worker } : { type: 'rejected', worker, reason };
  const paymentId = error instanceof PaymentOutcomeUnknownError ? error.paymentId : undefined;
  return { type: 'unanswered', worker, reason, paymentId };
}

/**
 * Returns whether the service rejected a create because of the API key or the base URL. All other creates
 * would be rejected too, so these intents stay planned.
 */
function isAccountError(error: unknown): boolean {
  if (!(error instanceof AuthenticationError) && !(error instanceof NotFoundError)) return false;
  return error.outcome === 'rejected';
}

/** Returns whether an error of a create ends a run, because it would repeat for every other intent. */
export function endsRun(error: unknown): boolean {
  return isAccountError(error) || error instanceof ConfigurationError || error instanceof ModeMismatchError;
}

/** Records the result of a create. */
async function record(
  claimed: Intent,
  { event, payment, error }: CreateResult,
  writer: IntentWriter,
): Promise<IntentUpdate> {
  const { reference } = claimed;
  try {
    const { intent } = await writer.apply(claimed, event);
    const conflict = payment && intent.conflicts?.find(({ paymentId }) => paymentId === payment.id);
    return { reference, state: intent.state, intent, payment, conflict, error };
  } catch (storeError) {
    // The lease ends, and a later run continues with this intent.
    return { reference, state: payment ? 'created' : 'unknown', intent: claimed, payment, error: storeError };
  }
}
