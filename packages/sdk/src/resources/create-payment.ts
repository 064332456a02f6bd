import { AbortError, ConfigurationError, TimeoutError } from '../errors/local-errors.ts';
import { PaymentOutcomeUnknownError, type PaymentTrace } from '../errors/payment-outcome-unknown.ts';
import { type ErrorFacts, isServiceError } from '../errors/service-error.ts';
import type { GuardedCreate, SendLease } from '../intents/guard-types.ts';
import type { ClientContext } from '../transport/attempt.ts';
import { type CallResult, type CallContext, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { withDeadline } from '../transport/deadline.ts';
import { preventReplay } from '../transport/no-replay.ts';
import { pickFacts } from '../transport/call-state.ts';
import { LONGEST_WAIT, mayRepeatCreate, mayRepeatSafely, type RetryRule } from '../transport/retry.ts';
import type { Mode, Payment } from '../values/models.ts';
import { checkSent } from '../values/money.ts';
import { type RequestBody, paymentFields, prepareBody } from './request-body.ts';
import type { EchoRecord } from './payment-match.ts';
import type { Payments } from './payments.ts';
import { toPayment } from './read-payment.ts';

/** Creates `payments.create`. A call with a reference goes through the duplicate guard. */
export function createPaymentCreate<M extends Mode>(
  context: ClientContext,
  { retrieve, echo }: Pick<Payments<M>, 'retrieve'> & { readonly echo: EchoRecord },
): Payments<M>['create'] {
  const { duplicateGuard, maxDecimals, warn } = context.settings;
  return (input, options) =>
    startCall(context, options, async (call: CallContext<M>) => {
      const body = prepareBody(input, paymentFields, maxDecimals);
      const create = (lease?: SendLease): Promise<CallResult<Payment, M>> =>
        createPayment({ call, body, lease, echo }, context);
      const { reference, idempotencyKey, ...rest } = call.options;
      if (reference === undefined) return create();
      if (duplicateGuard === undefined) {
        throw new ConfigurationError('`reference` requires the client option `duplicateGuard`.');
      }
      const { beneficiary_name: name = '', beneficiary_account: account } = body.fields;
      return duplicateGuard.protect(reference, {
        body: toComparableText(body),
        beneficiary: { name, account },
        idempotencyKey,
        maxDuration: computeMaxDuration(rest, context.settings),
        create,
        retrieve: async (id, { sends: [sentAt] }) => {
          try {
            return await retrieve(id, rest).withResponse();
          } catch (error) {
            throw createRecordedError(error, { reference, body, id, sentAt, failedAt: context.clock.date() });
          }
        },
        warn,
        within: createGuardTimeout(call.options, context),
      });
    });
}

/**
 * Returns the maximum duration of a guarded create in milliseconds: the first write, all requests and the
 * waits between them.
 */
function computeMaxDuration(
  options: CallOptions,
  { timeout: usual, totalTimeout, maxRetries: usualRetries }: ClientContext['settings'],
): number {
  const { timeout = usual, maxRetries = usualRetries } = options;
  const whole = (timeout + LONGEST_WAIT) * (maxRetries + 1);
  return timeout + Math.min(options.totalTimeout ?? totalTimeout, whole);
}

interface RecordedPayment {
  readonly reference: string;
  readonly body: RequestBody;
  readonly id: string;
  readonly sentAt: string | undefined;
  readonly failedAt: Date;
}

/** Creates the error of a reference whose payment is recorded but could not be retrieved. */
function createRecordedError(
  error: unknown,
  { reference, body, id, sentAt, failedAt }: RecordedPayment,
): unknown {
  const time = failedAt.toISOString();
  const { status, requestId, mode, attempts }: ErrorFacts = isServiceError(error) ? error : {};
  return new PaymentOutcomeUnknownError({
    status,
    requestId,
    mode,
    attempts,
    ...pickResponseFacts(error),
    ...pickBodyFacts(body),
    phase: 'recorded',
    sentAt: sentAt ?? time,
    failedAt: time,
    reference,
    idempotencyKey: undefined,
    paymentId: id,
  });
}

/** Returns the text by which the guard compares bodies. The amounts 100 and '100.00' are equal. */
function toComparableText({ fields }: RequestBody): string {
  return JSON.stringify({ ...fields, amount: Number(fields.amount) });
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
        ? new AbortError('The call was aborted by its signal.', { ...facts, cause: signal?.reason })
        : new TimeoutError(
            'The duplicate guard did not respond within `timeout`: its store is slow, or another create of the reference is running. Nothing was sent.',
            facts,
          ),
    );
}

interface PendingCreate<M extends Mode> {
  readonly call: CallContext<M>;
  readonly body: RequestBody;
  readonly lease: SendLease | undefined;
  readonly echo: EchoRecord;
}

async function createPayment<M extends Mode>(
  { call, body, lease, echo }: PendingCreate<M>,
  { settings, clock, known }: ClientContext,
): Promise<CallResult<Payment, M>> {
  const { callState, options } = call;
  const isSent = settings.idempotencyKeys === 'send';
  const idempotencyKey = options.idempotencyKey ?? (isSent ? (lease?.key ?? clock.unique()) : undefined);
  const { timeout = settings.timeout } = options;
  // Whether the service still knows the key of the first request, and will until the next request has ended.
  const isReplayed = (): boolean => {
    const age = clock.date().getTime() - (callState.sentAt?.getTime() ?? 0);
    return settings.serviceIdempotency === 'replayed' && age < settings.keyRetention - timeout;
  };
  const mayRepeat: RetryRule = (error) =>
    (callState.unknownPhase === undefined && mayRepeatCreate(error)) ||
    (isReplayed() && mayRepeatSafely(error));
  const isTooLate = (): boolean =>
    Boolean(lease?.isExpired()) || (callState.unknownPhase !== undefined && !isReplayed());
  const request = { operation: 'createPayment', path: '/payments', body: body.json, preventReplay } as const;
  try {
    return await call.send({ ...request, mayRepeat, isTooLate, idempotencyKey }, (data, readContext) => {
      const payment = toPayment(data, readContext);
      checkSent(payment, body.fields, readContext.source);
      if (payment) known.add(payment.id);
      if (payment) echo.add(body.fields, payment);
      return payment;
    });
  } catch (error) {
    if (callState.paymentId !== undefined) known.add(callState.paymentId);
    throw toOutcomeError(error, { call, body, idempotencyKey, failedAt: clock.date().toISOString() });
  }
}

interface FailedCreate {
  readonly call: CallContext<Mode>;
  readonly body: RequestBody;
  readonly idempotencyKey: string | undefined;
  readonly failedAt: string;
}

/**
 * Returns the error of a create: unchanged if no request can have made a payment, else with an unknown
 * outcome.
 */
function toOutcomeError(error: unknown, { call, body, idempotencyKey, failedAt }: FailedCreate): unknown {
  const { sentAt, unknownPhase, paymentId } = call.callState;
  if (unknownPhase === undefined || sentAt === undefined) return error;
  return new PaymentOutcomeUnknownError({
    ...pickFacts(call.callState),
    ...pickResponseFacts(error),
    ...pickBodyFacts(body),
    sentAt: sentAt.toISOString(),
    failedAt,
    phase: unknownPhase,
    reference: call.options.reference,
    idempotencyKey,
    paymentId,
  });
}

/** Returns the underlying error and the facts of its response. */
function pickResponseFacts(error: unknown): ErrorFacts {
  if (!isServiceError(error)) return { cause: error };
  const { type, raw, retryAfter } = error;
  return { cause: error, type, raw, retryAfter };
}

function pickBodyFacts({ fields }: RequestBody): Pick<PaymentTrace, TraceField> {
  const { amount = '', from_currency = '', to_currency = '', purpose = null } = fields;
  const { beneficiary_name: name = '', beneficiary_bank: bank } = fields;
  const { beneficiary_account: account, beneficiary_country: country } = fields;
  return { amount, from_currency, to_currency, purpose, beneficiary: { name, bank, account, country } };
}

type TraceField = 'amount' | 'from_currency' | 'to_currency' | 'purpose' | 'beneficiary';
