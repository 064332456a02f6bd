import { PaymentOutcomeUnknownError, type PaymentTrace } from '../errors/payment-outcome-unknown.ts';
import { type ErrorFacts, isServiceError } from '../errors/service-error.ts';
import { callOperation, startCall } from '../transport/call.ts';
import type { ClientContext } from '../transport/client-context.ts';
import type { Clock } from '../transport/clock.ts';
import type { CallResult } from '../transport/response.ts';
import { type CallContext, pickFacts } from '../transport/send.ts';
import type { EchoRecord } from '../values/comparison.ts';
import type { Mode, Payment } from '../values/models.ts';
import { checkTexts } from '../values/damaged-text.ts';
import { readPayment } from '../values/payment.ts';
import { checkSent } from '../values/money.ts';
import type { PaymentAccess, SendLease } from './payment-access.ts';
import type { Payments } from './payments.ts';
import { paymentFields, prepareBody, type RequestBody } from './request-body.ts';

/** The ids of the payments that a client created, with the time at which each id became known. */
export interface KnownPayments {
  /** Adds an id. A known id keeps its time. */
  readonly add: (id: string) => void;
  /**
   * Returns the time at which an id became known, by the clock of the client; undefined for an unknown id.
   */
  readonly since: (id: string) => number | undefined;
}

/** Maximum number of ids. The oldest ones are dropped first. */
const MAX_IDS = 1_000;

/** Creates the known payments of a client. */
export function createKnownPayments(clock: Clock): KnownPayments {
  const times = new Map<string, number>();
  return {
    add: (id) => {
      if (!times.has(id)) times.set(id, clock.now());
      for (const oldest of times.keys()) {
        if (times.size <= MAX_IDS) return;
        times.delete(oldest);
      }
    },
    since: (id) => times.get(id),
  };
}

/** Creates a payment under a lease of `createPayer`. */
export function createLeasedPayment(
  context: ClientContext,
  created: CreatedPayments,
): PaymentAccess['create'] {
  return (input, options, lease) =>
    startCall(context, options, (call) =>
      createPayment(call, {
        body: prepareBody(input, paymentFields, call.settings.maxDecimals),
        lease,
        ...created,
      }),
    );
}

/** The payments that a client created: their ids, and the accuracy of their responses. */
interface CreatedPayments {
  readonly known: KnownPayments;
  readonly echo: EchoRecord;
}

/** Creates `payments.create`. */
export function createPaymentCreate<M extends Mode>(
  context: ClientContext,
  created: CreatedPayments,
): Payments<M>['create'] {
  return (input, options) =>
    startCall(context, options, async (call) => {
      const body = prepareBody(input, paymentFields, call.settings.maxDecimals);
      checkTexts(body.fields);
      return createPayment(call, { body, lease: undefined, ...created });
    });
}

interface PendingCreate extends CreatedPayments {
  readonly body: RequestBody;
  readonly lease: SendLease | undefined;
}

async function createPayment<M extends Mode>(
  call: CallContext,
  { body, lease, known, echo }: PendingCreate,
): Promise<CallResult<Payment, M>> {
  const { options, settings, clock, state } = call;
  const isSent = settings.idempotencyKeys === 'send';
  const idempotencyKey = options.idempotencyKey ?? (isSent ? (lease?.key ?? clock.unique()) : undefined);
  const request = {
    operation: 'createPayment',
    method: 'POST',
    path: '/payments',
    body: body.json,
    isSentOnce: true,
    isExpired: lease?.isExpired,
    check: lease?.checkMode,
    idempotencyKey,
  } as const;
  try {
    return await callOperation(call, request, (data, response) => {
      const payment = readPayment(data, response);
      checkSent(payment, body.fields, response.source);
      if (payment) known.add(payment.id);
      if (payment) echo.add(body.fields, payment);
      return payment;
    });
  } catch (error) {
    if (state.paymentId !== undefined) known.add(state.paymentId);
    throw toOutcomeError(error, call, { body, reference: lease?.reference, idempotencyKey });
  }
}

/**
 * Returns the error of a create: unchanged if no request can have made a payment, else with an unknown
 * outcome.
 */
function toOutcomeError(
  error: unknown,
  { state, clock }: CallContext,
  { body, ...sent }: { readonly body: RequestBody } & Pick<PaymentTrace, 'reference' | 'idempotencyKey'>,
): unknown {
  const { sentAt, unknownPhase, paymentId } = state;
  if (unknownPhase === undefined || sentAt === undefined) return error;
  return createUnknownError(error, body, {
    ...pickFacts(state),
    sentAt: sentAt.toISOString(),
    failedAt: clock.date().toISOString(),
    phase: unknownPhase,
    ...sent,
    paymentId,
  });
}

type BodyField = 'amount' | 'from_currency' | 'to_currency' | 'purpose' | 'beneficiary';

/** Creates the error of a create from its body, the error of its request, and the facts that override both. */
export function createUnknownError(
  error: unknown,
  { fields }: Pick<RequestBody, 'fields'>,
  facts: ErrorFacts & Omit<PaymentTrace, BodyField>,
): PaymentOutcomeUnknownError {
  const { amount = '', from_currency = '', to_currency = '', purpose = null } = fields;
  const { beneficiary_name: name = '', beneficiary_bank: bank } = fields;
  const { beneficiary_account: account, beneficiary_country: country } = fields;
  const { attempts, status, requestId, mode, type, raw, retryAfter, code }: ErrorFacts = isServiceError(error)
    ? error
    : {};
  const response = {
    attempts,
    status,
    requestId,
    mode,
    cause: error,
    type,
    raw,
    retryAfter,
    ...(code && { code }),
  };
  const body = { amount, from_currency, to_currency, purpose, beneficiary: { name, bank, account, country } };
  return new PaymentOutcomeUnknownError({ ...response, ...body, ...facts });
}
