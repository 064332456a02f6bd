import { type Body, paymentRules, prepareBody } from './body.ts';
import { AbortError, ConfigurationError, TimeoutError } from '../errors/local-errors.ts';
import { PaymentOutcomeUnknownError, type PaymentTrace } from '../errors/payment-outcome-unknown.ts';
import { isServiceError } from '../errors/service-error.ts';
import { isRecord, type JsonObject, orNull, pickOrNull } from '../values/json.ts';
import type { Mode, Payment, PaymentInput } from '../values/models.ts';
import { checkSent, readMoney } from '../values/money.ts';
import { createNews, type PaymentNews } from './news.ts';
import { modeOfPaymentId } from '../values/payment-id.ts';
import { type PaymentIntent, reconcile, type Reconciliation, type ReconcileOptions } from './reconcile.ts';
import type { GuardedCreate } from '../options/duplicate-guard.ts';
import type { Log } from '../options/log.ts';
import { limit } from '../transport/limit.ts';
import { type Answered, type Call, type Conversation, type Reading, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { once } from '../transport/once.ts';
import { checkId } from '../transport/path.ts';
import { pickFacts } from '../transport/progress.ts';
import { mayRepeatCreate } from '../transport/retry.ts';
import type { Transport } from '../transport/attempt.ts';
import { waitForPayment, type WaitOptions } from './wait.ts';
import { createTransactions } from './transactions.ts';

/** Creates and follows payments: `POST /payments`, `GET /payments/{payment_id}` (spec §4). */
export type Payments<M extends Mode = Mode> = {
  /**
   * Creates a payment. The request is sent again only where it is certain that none was made: it never left, or the service
   * turned it away with 429. The option `idempotency: 'assume'` widens that.
   *
   * @throws PaymentOutcomeUnknownError when the payment may exist: do not create it again before checking. Also when the
   * service answers with a payment that `retrieve` could never look up; what stands in place of its id is in `raw`.
   * @throws InsufficientFundsError when the wallet holds too little.
   * @throws ValidationError for a body that is wrong, `not_sent` where it is seen before sending.
   * @throws ServiceError of another class when it is certain that no payment was made.
   */
  readonly create: (body: PaymentInput, options?: CallOptions) => Call<Payment, M>;
  /**
   * Retrieves a payment. A 404 for a payment that this client created is sent again for up to `readLag` after the create.
   *
   * @throws NotFoundError when there is none of this id for this account and mode.
   * @throws ValidationError (`not_sent`) for what is no payment id, or one of the other mode.
   * @throws UnreadableResponseError when the answer is another payment.
   * @throws ServiceError of another class for anything else that fails.
   */
  readonly retrieve: (id: string, options?: CallOptions) => Call<Payment, M>;
  /**
   * Retrieves a payment until it is final or has the status asked for. A payment that failed is a result. Connection errors,
   * 408, 429 and 5xx are retried until the deadline, and a 404 for up to `readLag`: the id comes from a create or a webhook.
   *
   * @throws NotFoundError when the payment is still missing after `readLag`.
   * @throws WaitTimeoutError with the payment as last seen; its cause is what failed last, if that did not pass.
   * @throws ConfigurationError (`not_sent`) for options that are wrong, such as a status that is not documented.
   * @throws AbortError when `signal` ends the waiting.
   */
  readonly waitFor: (id: string, options?: WaitOptions) => Promise<Payment>;
  /**
   * Tells those who wait for a payment that there is news of it, such as an event that came in and was verified: they
   * look at once. The event itself changes nothing, so one that is late or forged does no harm.
   */
  readonly notify: (news: PaymentNews) => void;
  /**
   * Looks for the payment of a create whose outcome is unknown, in the transactions and payments of the account. It reads
   * and never sends anything again, and none of its results is leave to create the payment again. It takes the error, what was kept
   * of it as JSON, or what was asked for.
   *
   * @throws ServiceError for what fails to be read.
   */
  readonly reconcile: (
    lost: PaymentOutcomeUnknownError | PaymentTrace | PaymentIntent,
    options?: ReconcileOptions,
  ) => Promise<Reconciliation>;
};

/** Makes the payments of a client. */
export function createPayments<M extends Mode>(transport: Transport): Payments<M> {
  const news = createNews();
  const { duplicateGuard, warn } = transport.settings;
  const retrieve = createRetrieve<M>(transport);
  // What these meet on their way is no failure of a call that somebody made.
  const quiet = silenceErrors(transport);
  const tools = { list: createTransactions<M>(quiet).list, retrieve: createRetrieve<M>(quiet) };
  return {
    create: createFrom(transport, retrieve),
    retrieve,
    waitFor: (id, options) =>
      waitForPayment(options, {
        retrieve: (o) => tools.retrieve(id, o),
        listen: (wake) => news.listen(id, wake),
        knownSince: transport.known.since(id),
        ...transport,
      }),
    notify: news.tell,
    reconcile: async (lost, options) => {
      const result = await reconcile(lost, options, tools);
      const { reference } = lost;
      if (duplicateGuard && result.result === 'found' && reference) {
        const within = boundStore({}, transport);
        await duplicateGuard.resolve(reference, result.payment.id, { warn, within });
      }
      return result;
    },
  };
}

function createRetrieve<M extends Mode>(transport: Transport): Payments<M>['retrieve'] {
  const { settings, known } = transport;
  return (id, options) =>
    startCall(transport, options, async ({ ask }) => {
      const path = `/payments/${checkId(id)}` as const;
      const check = (mode: Mode): void => void checkId(id, mode);
      const since = known.since(id);
      const unseenUntil = since === undefined ? undefined : since + settings.readLag;
      return ask({ operation: 'getPayment', path, check, unseenUntil }, (data, reading) =>
        data.id === id ? toPayment(data, reading) : undefined,
      );
    });
}

function silenceErrors({ settings, ...transport }: Transport): Transport {
  const log: Log = (level, line) => (level === 'error' ? undefined : settings.log(level, line));
  // `waitFor` retries by its own rules, and `reconcile` reports a payment that is missing.
  return { settings: { ...settings, log, readLag: 0 }, ...transport };
}

/** Makes `create`: past the duplicate guard, where there is one and the call names a reference. */
function createFrom<M extends Mode>(
  transport: Transport,
  retrieve: Payments<M>['retrieve'],
): Payments<M>['create'] {
  const { duplicateGuard, maxDecimals, warn } = transport.settings;
  return (input, options) =>
    startCall(transport, options, async (conversation: Conversation<M>) => {
      const body = prepareBody(input, paymentRules, maxDecimals);
      const create = (): Promise<Answered<Payment, M>> => createPayment(conversation, body, transport);
      const { reference, idempotencyKey: _, ...rest } = conversation.options;
      if (reference === undefined) return create();
      if (duplicateGuard === undefined) {
        throw new ConfigurationError('reference needs the option duplicateGuard of the client.');
      }
      const again = (id: string): Promise<Answered<Payment, M>> => retrieve(id, rest).withResponse();
      const within = boundStore(conversation.options, transport);
      return duplicateGuard.protect(reference, {
        body: toKnown(body),
        create,
        retrieve: again,
        warn,
        within,
      });
    });
}

/** Writes a body as the guard compares it: 100 and '100.00' are the same amount. */
function toKnown({ fields }: Body): string {
  return JSON.stringify({ ...fields, amount: Number(fields.amount) });
}

/** Makes the limit of what is waited for at the guard: its store, and another create of the reference. */
function boundStore(
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

async function createPayment<M extends Mode>(
  conversation: Conversation<M>,
  body: Body,
  { settings, clock, known }: Transport,
): Promise<Answered<Payment, M>> {
  const assumed = settings.idempotency === 'assume';
  const idempotencyKey = conversation.options.idempotencyKey ?? (assumed ? clock.unique() : undefined);
  const mayRepeat = assumed ? undefined : mayRepeatCreate;
  try {
    return await conversation.ask(
      { operation: 'createPayment', path: '/payments', body: body.json, once, mayRepeat, idempotencyKey },
      (data, reading) => {
        const payment = toPayment(data, reading);
        checkSent(payment, body.fields, reading.source);
        if (payment) known.add(payment.id);
        return payment;
      },
    );
  } catch (error) {
    const { salvagedId } = conversation.progress;
    if (salvagedId !== undefined) known.add(salvagedId);
    throw toOutcome(error, { conversation, body, idempotencyKey, failedAt: clock.date().toISOString() });
  }
}

/** Reads a payment of the mode that was asked; optional fields that the service left out or empty become null (spec §2). */
function toPayment(raw: JsonObject, { asked, source }: Reading): Payment | undefined {
  const { id, status, beneficiary, purpose } = raw;
  if (modeOfPaymentId(id) !== asked || typeof status !== 'string') return undefined;
  const record: JsonObject = { ...raw, purpose: orNull(purpose) };
  if (isRecord(beneficiary)) {
    record.beneficiary = { ...beneficiary, ...pickOrNull(beneficiary, ['bank', 'account', 'country']) };
  }
  return readMoney<Payment>({ record, raw, source }, ['send_amount', 'rate', 'receive_amount']);
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
  const { amount = '', from_currency = '', to_currency = '', purpose = null } = body.fields;
  return new PaymentOutcomeUnknownError({
    ...pickFacts(conversation.progress),
    ...(isServiceError(error) && { type: error.type, raw: error.raw, retryAfter: error.retryAfter }),
    cause: error,
    sentAt: sentAt.toISOString(),
    failedAt,
    phase: doubt,
    reference: conversation.options.reference,
    idempotencyKey,
    salvagedId,
    amount,
    from_currency,
    to_currency,
    purpose,
  });
}
