import { AbortError, ConfigurationError, TimeoutError } from '../errors/local-errors.ts';
import { PaymentOutcomeUnknownError, type PaymentTrace } from '../errors/payment-outcome-unknown.ts';
import { type ErrorFacts, isServiceError } from '../errors/service-error.ts';
import type { GuardedCreate, SendLease } from '../intents/guard-types.ts';
import type { Transport } from '../transport/attempt.ts';
import { type Answered, type Conversation, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { limit } from '../transport/limit.ts';
import { once } from '../transport/once.ts';
import { pickFacts } from '../transport/progress.ts';
import { LONGEST_WAIT, mayRepeatCreate, mayRepeatSafely, type RetryRule } from '../transport/retry.ts';
import type { Mode, Payment } from '../values/models.ts';
import { checkSent } from '../values/money.ts';
import { type Body, paymentRules, prepareBody } from './body.ts';
import type { EchoRecord } from './payment-match.ts';
import type { Payments } from './payments.ts';
import { toPayment } from './read-payment.ts';

/** Creates `payments.create`: behind the duplicate guard if the call names a reference. */
export function createCreate<M extends Mode>(
  transport: Transport,
  { retrieve, echo }: Pick<Payments<M>, 'retrieve'> & { readonly echo: EchoRecord },
): Payments<M>['create'] {
  const { duplicateGuard, maxDecimals, warn } = transport.settings;
  return (input, options) =>
    startCall(transport, options, async (conversation: Conversation<M>) => {
      const body = prepareBody(input, paymentRules, maxDecimals);
      const create = (lease?: SendLease): Promise<Answered<Payment, M>> =>
        createPayment({ conversation, body, lease, echo }, transport);
      const { reference, idempotencyKey, ...rest } = conversation.options;
      if (reference === undefined) return create();
      if (duplicateGuard === undefined) {
        throw new ConfigurationError('reference needs the option duplicateGuard of the client.');
      }
      const { beneficiary_name: name = '', beneficiary_account: account } = body.fields;
      return duplicateGuard.protect(reference, {
        body: toKnown(body),
        beneficiary: { name, account },
        idempotencyKey,
        maxDuration: computeMaxDuration(rest, transport.settings),
        create,
        retrieve: async (id, { sends: [sentAt] }) => {
          try {
            return await retrieve(id, rest).withResponse();
          } catch (error) {
            throw toUnread(error, { reference, body, id, sentAt, failedAt: transport.clock.date() });
          }
        },
        warn,
        within: boundStore(conversation.options, transport),
      });
    });
}

/** Returns the maximum duration of a guarded create in milliseconds: the first write, then all requests and the waits between. */
function computeMaxDuration(
  options: CallOptions,
  { timeout: usual, totalTimeout, maxRetries: usualRetries }: Transport['settings'],
): number {
  const { timeout = usual, maxRetries = usualRetries } = options;
  const whole = (timeout + LONGEST_WAIT) * (maxRetries + 1);
  return timeout + Math.min(options.totalTimeout ?? totalTimeout, whole);
}

type Unread = {
  readonly reference: string;
  readonly body: Body;
  readonly id: string;
  readonly sentAt: string | undefined;
  readonly failedAt: Date;
};

/** Creates the error of a reference that is paid and whose payment could not be read: no payment is missing. */
function toUnread(error: unknown, { reference, body, id, sentAt, failedAt }: Unread): unknown {
  const time = failedAt.toISOString();
  const { status, requestId, mode, attempts }: ErrorFacts = isServiceError(error) ? error : {};
  return new PaymentOutcomeUnknownError({
    status,
    requestId,
    mode,
    attempts,
    ...pickAnswered(error),
    ...pickAsked(body),
    phase: 'recorded',
    sentAt: sentAt ?? time,
    failedAt: time,
    reference,
    idempotencyKey: undefined,
    salvagedId: id,
  });
}

/** Writes a body as the guard compares it: 100 and '100.00' are the same amount. */
function toKnown({ fields }: Body): string {
  return JSON.stringify({ ...fields, amount: Number(fields.amount) });
}

/** Makes the limit of what is waited for at the guard: its store, and another create of the reference. */
export function boundStore(
  { signal, timeout }: CallOptions,
  { settings, clock }: Transport,
): GuardedCreate<never>['within'] {
  const bounds = { timeout: timeout ?? settings.timeout, clock };
  const facts = { outcome: 'not_sent' } as const;
  return (step, isOver = false) =>
    limit({ ...bounds, signal: isOver ? undefined : signal }, step, (stop) =>
      stop === 'abort'
        ? new AbortError('The call was aborted by its signal.', { ...facts, cause: signal?.reason })
        : new TimeoutError(
            'The duplicate guard did not let the create go on in time; nothing was sent.',
            facts,
          ),
    );
}

type Create<M extends Mode> = {
  readonly conversation: Conversation<M>;
  readonly body: Body;
  readonly lease: SendLease | undefined;
  readonly echo: EchoRecord;
};

async function createPayment<M extends Mode>(
  { conversation, body, lease, echo }: Create<M>,
  { settings, clock, known }: Transport,
): Promise<Answered<Payment, M>> {
  const { progress, options } = conversation;
  const isSent = settings.idempotencyKeys === 'send';
  const idempotencyKey = options.idempotencyKey ?? (isSent ? (lease?.key ?? clock.unique()) : undefined);
  const { timeout = settings.timeout } = options;
  /** Whether the service still knows the key of the first request, and will until the next one has ended. */
  const isReplayed = (): boolean => {
    const age = clock.date().getTime() - (progress.sentAt?.getTime() ?? 0);
    return settings.serviceIdempotency === 'replayed' && age < settings.keyRetention - timeout;
  };
  const mayRepeat: RetryRule = (error) =>
    (progress.doubt === undefined && mayRepeatCreate(error)) || (isReplayed() && mayRepeatSafely(error));
  const isTooLate = (): boolean =>
    Boolean(lease?.isExpired()) || (progress.doubt !== undefined && !isReplayed());
  const question = { operation: 'createPayment', path: '/payments', body: body.json, once } as const;
  try {
    return await conversation.ask({ ...question, mayRepeat, isTooLate, idempotencyKey }, (data, reading) => {
      const payment = toPayment(data, reading);
      checkSent(payment, body.fields, reading.source);
      if (payment) known.add(payment.id);
      if (payment) echo.add(body.fields, payment);
      return payment;
    });
  } catch (error) {
    if (progress.salvagedId !== undefined) known.add(progress.salvagedId);
    throw toOutcome(error, { conversation, body, idempotencyKey, failedAt: clock.date().toISOString() });
  }
}

type Failed = {
  readonly conversation: Conversation<Mode>;
  readonly body: Body;
  readonly idempotencyKey: string | undefined;
  readonly failedAt: string;
};

/** Turns what failed a create into what it means: nothing happened in any of its attempts, or a payment may exist. */
function toOutcome(error: unknown, { conversation, body, idempotencyKey, failedAt }: Failed): unknown {
  const { sentAt, doubt, salvagedId } = conversation.progress;
  if (doubt === undefined || sentAt === undefined) return error;
  return new PaymentOutcomeUnknownError({
    ...pickFacts(conversation.progress),
    ...pickAnswered(error),
    ...pickAsked(body),
    sentAt: sentAt.toISOString(),
    failedAt,
    phase: doubt,
    reference: conversation.options.reference,
    idempotencyKey,
    salvagedId,
  });
}

/** Returns the error beneath, and what its response said. */
function pickAnswered(error: unknown): ErrorFacts {
  if (!isServiceError(error)) return { cause: error };
  const { type, raw, retryAfter } = error;
  return { cause: error, type, raw, retryAfter };
}

function pickAsked({ fields }: Body): Pick<PaymentTrace, TraceField> {
  const { amount = '', from_currency = '', to_currency = '', purpose = null } = fields;
  const { beneficiary_name: name = '', beneficiary_bank: bank } = fields;
  const { beneficiary_account: account, beneficiary_country: country } = fields;
  return { amount, from_currency, to_currency, purpose, beneficiary: { name, bank, account, country } };
}

type TraceField = 'amount' | 'from_currency' | 'to_currency' | 'purpose' | 'beneficiary';
