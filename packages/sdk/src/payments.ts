import { comparePayment, listDifferences, showsNothing } from './comparison.ts';
import { CreateRecord, type OpenCreate } from './create-record.ts';
import { checkId, checkTexts, paymentFields, prepareBody, type RequestBody } from './body.ts';
import {
  createAbortError,
  createUsageError,
  type ErrorFacts,
  listFields,
  PaymentOutcomeUnknownError,
  type PaymentTrace,
  ServiceError,
  TimeoutError,
} from './errors.ts';
import { resolveKey } from './key.ts';
import type { Mode, Payment, PaymentInput } from './models.ts';
import { readPayment } from './money.ts';
import type { CallOptions, Settings } from './options.ts';
import { parseReconcileInput, type ReconcileOptions, type SentPayment } from './reconcile/input.ts';
import { createReader, type Reads } from './reconcile/reader.ts';
import { type OtherCreates, reconcile, type Reconciliation } from './reconcile/reconcile.ts';
import { startWalk } from './transactions/transactions.ts';
import { type Call, CallContext, callOperation, runAttempt, startCall } from './transport/call.ts';
import { withDeadline } from './transport/deadline.ts';
import {
  type ClientContext,
  createUnreadableError,
  type Draft,
  NOT_DOCUMENTED,
  pickFacts,
  rebuildResponse,
  type ServiceResponse,
} from './transport/response.ts';
import { waitForPayment, type WaitOptions } from './wait-for.ts';

/** The payment operations: `POST /payments` and `GET /payments/{payment_id}`. */
export interface Payments {
  /**
   * Creates a payment. Retries only if no payment can exist: the request never left, or the service rejected
   * it with 429. `keyRetention` allows more retries.
   *
   * @throws {PaymentOutcomeUnknownError} when the payment may exist: check before creating it again. Also
   * when the response has a payment id that `retrieve` cannot look up (`raw` contains it), or shows a payment that
   * cannot be the one sent: `code` is `'other_payment'`.
   * @throws {InsufficientFundsError} when the wallet balance is too low.
   * @throws {ValidationError} when the body is invalid; `not_sent` if the client found the error.
   * @throws {ConfigurationError} when a text was damaged on its way, for example by a spreadsheet; `fields` names it.
   * @throws {IdempotencyError} when the idempotency key was used before: a payment may exist under it.
   * @throws {ServiceError} when the create fails for another reason. This call then made no payment.
   */
  readonly create: (body: PaymentInput, options?: CallOptions) => Call<Payment>;
  /**
   * Retrieves a payment. Retries a 404 for up to `readLag` after the create if this client created the
   * payment.
   *
   * @throws {NotFoundError} when the account and mode have no payment with this id.
   * @throws {ValidationError} (`not_sent`) when `id` is not a payment id, or is one of the other mode.
   * @throws {UnreadableResponseError} when the response contains another payment.
   * @throws {ServiceError} when the request fails for another reason.
   */
  readonly retrieve: (id: string, options?: CallOptions) => Call<Payment>;
  /**
   * Polls a payment until it is final or has the requested status. Resolves for a failed payment too. Retries
   * connection errors, request timeouts, 408, 429 and 5xx until the timeout, and a 404 for up to `readLag`:
   * the id comes from a create or a webhook, so reads can lag behind.
   *
   * @throws {NotFoundError} when the payment is still missing after `readLag`.
   * @throws {WaitTimeoutError} when the timeout passes first. `last` is the last retrieved payment, and
   * `cause` is the last failure unless a later request succeeded.
   * @throws {ConfigurationError} (`not_sent`) when an option is invalid, such as an undocumented status.
   * @throws {AbortError} when `signal` is aborted.
   */
  readonly waitFor: (id: string, options?: WaitOptions) => Promise<Payment>;
  /**
   * Searches the transactions and payments of the account for the payment of a create with an unknown
   * outcome. Only reads. No result permits creating the payment again. Takes the error, its JSON, or the body
   * with the time of the create.
   *
   * @throws {ValidationError} (`not_sent`) when the argument is not one of these.
   * @throws {TimeoutError} when the search takes longer than the `totalTimeout` of the client, 60 s without one.
   * @throws {ServiceError} when a read fails.
   */
  readonly reconcile: (
    create: PaymentOutcomeUnknownError | PaymentTrace | SentPayment,
    options?: ReconcileOptions,
  ) => Promise<Reconciliation>;
}

/** Creates the payment operations of a client. */
export function createPayments(context: ClientContext): { payments: Payments; access: ClientAccess } {
  const { settings, clock } = context;
  const { baseUrl, timeout, keyRetention, idempotencyKeys, warn } = settings;
  const record = new CreateRecord();
  const search: Reads = {
    retrieve: (id, options) => retrievePayment(context, id, options).withResponse(),
    // Another client or process can have received the id just now.
    retrieveCreated: (id, options) =>
      retrievePayment(context, id, options, record.getKnownSince(id) ?? clock.now()),
    walk: (options) => startWalk(context, { per_page: 100 }, options).walk(),
    clock,
    readLag: settings.searchLag,
  };
  const payments: Payments = {
    create: (input, options) => sendPayment(context, record, input, options),
    retrieve: (id, options) => retrievePayment(context, id, options, record.getKnownSince(id)),
    waitFor: (id, options) => {
      // It has its own rules for retries.
      const retrieve = (each: CallOptions): Call<Payment> => retrievePayment(context, id, each);
      return waitForPayment(options, context, retrieve, record.getKnownSince(id));
    },
    reconcile: async (create, options) => {
      const wanted = parseReconcileInput(create, options);
      const others: OtherCreates = {
        // A body and a time can be those of a create that returned its payment.
        listHeld: async (ids) => new Set(wanted.createId && ids.filter((id) => record.isHeld(wanted, id))),
        isShared: (id) => record.isHeld(wanted, id),
        listTwins: async () => record.listTwins(wanted, wanted.openCreates),
        accept: async ({ id }) => record.claim(wanted, id),
      };
      const { signal } = wanted;
      const limit = settings.totalTimeout === Infinity ? SEARCH_TIME : settings.totalTimeout;
      return withDeadline(
        { timeout: limit, signal, clock },
        // Also checked between pages that arrive without a turn of I/O, before any timer has fired.
        (stopped, checkDeadline) => reconcile(wanted, createReader(search, stopped, checkDeadline), others),
        (stop) => {
          if (stop === 'abort') return createAbortError(signal, { outcome: 'unknown' }, 'reconcile');
          const problem = `The search did not end within ${limit} ms. Reconcile again with a client that has a longer totalTimeout.`;
          return new TimeoutError(problem, { outcome: 'unknown' });
        },
      );
    },
  };
  const access: ClientAccess = {
    settings: { baseUrl, timeout, keyRetention, idempotencyKeys, warn },
    search,
    record,
    create: (input, options, lease) => sendPayment(context, record, input, options, lease),
    getMode: async () => {
      const { apiKey } = settings;
      return (typeof apiKey === 'function' ? await resolveKey(apiKey, settings) : apiKey).mode;
    },
    send: (draft, options) => runAttempt(new CallContext(context, options), draft, rebuildResponse, Infinity),
  };
  return { payments, access };
}

/** Maximum time of a search without a `totalTimeout`, in milliseconds. That of a payer is its `reconcileTime`. */
const SEARCH_TIME = 60_000;

/** Sends a create. `lease` is that of a payer, which has checked the texts before. */
function sendPayment(
  context: ClientContext,
  record: CreateRecord,
  input: PaymentInput,
  options: CallOptions | undefined,
  lease?: SendLease,
): Call<Payment> {
  return startCall(context, options, async (call) => {
    const { settings, clock } = call;
    const body = prepareBody(input, paymentFields);
    const { fields } = body;
    if (!lease) checkTexts(fields);
    if (settings.idempotencyKeys === 'send') call.idempotencyKey ??= lease?.key;
    const request = {
      operation: 'createPayment',
      method: 'POST',
      path: '/payments',
      body: body.json,
      isSentOnce: true,
      isExpired: lease?.isExpired,
      check: lease?.checkMode,
    } as const;
    const create: OpenCreate = {
      createId: undefined,
      intentKey: lease?.key,
      fields,
      sentAt: undefined,
    };
    record.open.add(create);
    let other: Pick<PaymentTrace, 'otherPaymentId' | 'differingFields'> = {};
    try {
      const payment = await callOperation(call, request, readPayment);
      const now = clock.now();
      const received = call.received as ServiceResponse;
      const { idempotencyKey } = call;
      const comparison = comparePayment(fields, payment);
      const isUnclear = showsNothing(fields, comparison);
      const differingFields = listDifferences(fields, comparison);
      const isReturned = record.isReturned(payment.id, idempotencyKey);
      if (!isUnclear && !isReturned && differingFields.length === 0) {
        const sentAt = Number(call.sent?.at);
        record.addPayment(payment.id, now, { fields, sentAt, idempotencyKey }, comparison);
        record.open.delete(create);
        const { send_amount } = payment;
        if (typeof send_amount === 'number' && send_amount !== Number(fields.amount)) {
          const message = `The service changed the amount: ${fields.amount} was sent, and it used ${send_amount}.`;
          received.source.warn('other_amount', message);
        }
        return payment;
      }
      call.unknownPhase = 'responded';
      if (isUnclear) {
        call.paymentId ??= payment.id;
        throw createUnreadableError(received, NOT_DOCUMENTED);
      }
      other = { otherPaymentId: payment.id, differingFields };
      const problem = `it shows the payment of another create${listFields(differingFields)}`;
      throw createUnreadableError(received, problem, 'other_payment');
    } catch (error) {
      const { sent, unknownPhase: phase, idempotencyKey } = call;
      record.open.delete(create);
      if (phase === undefined || sent === undefined) throw error;
      const createId = (create.createId = clock.random().toString(36).slice(2));
      create.sentAt = sent.at.getTime();
      record.keepOpen(create);
      const paymentId = call.paymentId === other.otherPaymentId ? undefined : call.paymentId;
      if (paymentId !== undefined) record.addId(paymentId, clock.now());
      const times = { sentAt: sent.at.toISOString(), failedAt: clock.date().toISOString() };
      const ids = { createId, reference: lease?.reference, idempotencyKey, paymentId, ...other };
      const facts = {
        ...pickFacts(call),
        phase,
        ...times,
        ...ids,
        ...record.getFacts(create),
      };
      throw createUnknownError(error, body, facts);
    }
  });
}

/** Creates the error of a create whose payment may exist, from the error of a request, the body, and further facts. */
export function createUnknownError(
  error: unknown,
  { fields }: Pick<RequestBody, 'fields'>,
  facts: ErrorFacts & Omit<PaymentTrace, 'sent'>,
): PaymentOutcomeUnknownError {
  const { raw, ...received }: ErrorFacts = error instanceof ServiceError ? error : {};
  return new PaymentOutcomeUnknownError({ ...received, raw, cause: error, ...facts, sent: fields });
}

/** Retrieves a payment. With the time since which it exists, a 404 is retried for `readLag`. */
function retrievePayment(
  context: ClientContext,
  id: string,
  options: CallOptions | undefined,
  knownSince?: number,
): Call<Payment> {
  return startCall(context, options, async (call) => {
    const request = {
      operation: 'getPayment',
      method: 'GET',
      path: `/payments/${checkId(id)}`,
      check: (mode: Mode): void => void checkId(id, mode),
      unseenUntil: knownSince === undefined ? undefined : knownSince + context.settings.readLag,
    } as const;
    return callOperation(call, request, (data, received) =>
      data.id === id ? readPayment(data, received) : undefined,
    );
  });
}

/** A lease that permits sending one create. */
interface SendLease {
  readonly reference: string;
  /** The idempotency key of the reference. */
  readonly key: string;
  /** Returns whether the lease has ended. Nothing is sent after that. */
  readonly isExpired: () => boolean;
  /** Checks the mode of the API key before each request. */
  readonly checkMode: (mode: Mode) => void;
}

/** The operations of a client for the other entries of the package. They contain no API key. */
export interface ClientAccess {
  readonly settings: Pick<Settings, 'baseUrl' | 'timeout' | 'keyRetention' | 'idempotencyKeys' | 'warn'>;
  /** The reads of a search for payments. */
  readonly search: Reads;
  /** The creates of the client. */
  readonly record: Pick<CreateRecord, 'getReturnedFields' | 'closeIntent'>;
  /** Creates a payment under a lease. */
  readonly create: (input: PaymentInput, options: CallOptions, lease: SendLease) => Promise<Payment>;
  /** Returns the mode of the API key. */
  readonly getMode: () => Promise<Mode>;
  /** Sends one request with the API key, the timeout and the hooks, and checks its redirect and mode. */
  readonly send: (draft: Draft, options: CallOptions) => Promise<Response>;
}

/** The property of a client with these operations. Global, because an entry may be of another copy of the package. */
export const CLIENT_ACCESS: unique symbol = Symbol.for('@service/sdk/access');

/**
 * Returns the operations of a client.
 *
 * @throws {ConfigurationError} when the first argument of the caller is no client.
 */
export function requireAccess(client: unknown, caller: string): ClientAccess {
  const access = (client as { readonly [CLIENT_ACCESS]?: ClientAccess } | null | undefined)?.[CLIENT_ACCESS];
  if (access !== undefined) return access;
  throw createUsageError(`${caller}: the first argument must be a client, the result of createClient().`);
}
