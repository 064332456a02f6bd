import { ConfigurationError, createAbortError, TimeoutError } from '../errors/error-classes.ts';
import { PaymentOutcomeUnknownError, type PaymentTrace } from '../errors/payment-outcome-unknown.ts';
import { type ErrorFacts, isServiceError } from '../errors/service-error.ts';
import { toComparableText } from '../intents/fingerprint.ts';
import type { GuardedCreate, SendLease } from '../intents/guard-types.ts';
import { callOperation, startCall } from '../transport/call.ts';
import type { ClientContext } from '../transport/client-context.ts';
import { type Clock, withDeadline } from '../transport/clock.ts';
import type { CallOptions } from '../transport/request.ts';
import type { CallResult } from '../transport/response.ts';
import { LONGEST_WAIT } from '../transport/retry.ts';
import { type CallContext, pickFacts } from '../transport/send.ts';
import type { EchoRecord } from '../values/comparison.ts';
import type { Mode, Payment } from '../values/models.ts';
import { checkTexts } from '../values/damaged-text.ts';
import { readPayment } from '../values/payment.ts';
import { checkSent } from '../values/money.ts';
import type { PaymentAccess } from './payment-access.ts';
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

/** Creates a payment without the duplicate guard, under a lease of `createPayer`. */
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

/** Creates `payments.create`. A call with a reference goes through the duplicate guard. */
export function createPaymentCreate<M extends Mode>(
  context: ClientContext,
  created: CreatedPayments,
  retrieve: Payments<M>['retrieve'],
): Payments<M>['create'] {
  return (input, options) =>
    startCall(context, options, async (call) => {
      const body = prepareBody(input, paymentFields, call.settings.maxDecimals);
      const create = (lease?: SendLease): Promise<CallResult<Payment, M>> =>
        createPayment(call, { body, lease, ...created });
      const { reference } = call.options;
      checkTexts({ reference, ...body.fields });
      return reference === undefined ? create() : createOnce(call, reference, { body, create, retrieve });
    });
}

interface GuardedPayment<M extends Mode> extends Pick<Payments<M>, 'retrieve'> {
  readonly body: RequestBody;
  readonly create: (lease: SendLease) => Promise<CallResult<Payment, M>>;
}

/** Creates the payment of a reference, or retrieves it if the reference already has one. */
async function createOnce<M extends Mode>(
  call: CallContext,
  reference: string,
  { body, create, retrieve }: GuardedPayment<M>,
): Promise<CallResult<Payment, M>> {
  const { settings, clock } = call;
  const { reference: _, idempotencyKey, ...options } = call.options;
  if (settings.duplicateGuard === undefined) {
    throw new ConfigurationError('`reference` requires the client option `duplicateGuard`.');
  }
  const { beneficiary_name: name = '', beneficiary_account: account } = body.fields;
  return settings.duplicateGuard.protect(reference, {
    body: toComparableText(body.fields),
    beneficiary: { name, account },
    idempotencyKey,
    maxDuration: computeMaxDuration(call),
    create,
    retrieve: async (paymentId, { sends: [sentAt] }) => {
      try {
        return await retrieve(paymentId, options).withResponse();
      } catch (error) {
        const failedAt = clock.date().toISOString();
        throw createUnknownError(error, body, {
          phase: 'recorded',
          sentAt: sentAt ?? failedAt,
          failedAt,
          reference,
          idempotencyKey: undefined,
          paymentId,
        });
      }
    },
    warn: settings.warn,
    within: createGuardTimeout(call.options, call),
  });
}

/**
 * Returns the maximum duration of a guarded create in milliseconds: the first write, all requests and the
 * waits between them.
 */
function computeMaxDuration({ options, settings }: CallContext): number {
  const { timeout = settings.timeout, maxRetries = settings.maxRetries } = options;
  const { totalTimeout = settings.totalTimeout } = options;
  return timeout + Math.min(totalTimeout, (timeout + LONGEST_WAIT) * (maxRetries + 1));
}

/** Creates the time limit of the guard's waits: for its store, and for another create of the reference. */
export function createGuardTimeout(
  { signal, timeout }: CallOptions,
  { settings, clock }: ClientContext,
): GuardedCreate<never>['within'] {
  const bounds = { timeout: timeout ?? settings.timeout, clock };
  const facts = { outcome: 'not_sent' } as const;
  return (step, isOver = false) =>
    withDeadline({ ...bounds, signal: isOver ? undefined : signal }, step, (stop) =>
      stop === 'abort'
        ? createAbortError(signal, facts)
        : new TimeoutError(
            'The duplicate guard did not respond within `timeout`: its store is slow, or another create of the reference is running. Nothing was sent.',
            facts,
          ),
    );
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
    throw toOutcomeError(error, call, { body, idempotencyKey });
  }
}

/**
 * Returns the error of a create: unchanged if no request can have made a payment, else with an unknown
 * outcome.
 */
function toOutcomeError(
  error: unknown,
  { state, options, clock }: CallContext,
  { body, idempotencyKey }: { readonly body: RequestBody; readonly idempotencyKey: string | undefined },
): unknown {
  const { sentAt, unknownPhase, paymentId } = state;
  if (unknownPhase === undefined || sentAt === undefined) return error;
  return createUnknownError(error, body, {
    ...pickFacts(state),
    sentAt: sentAt.toISOString(),
    failedAt: clock.date().toISOString(),
    phase: unknownPhase,
    reference: options.reference,
    idempotencyKey,
    paymentId,
  });
}

type BodyField = 'amount' | 'from_currency' | 'to_currency' | 'purpose' | 'beneficiary';

/** Creates the error of a create from its body, the error of its request, and the facts that override both. */
function createUnknownError(
  error: unknown,
  { fields }: RequestBody,
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
