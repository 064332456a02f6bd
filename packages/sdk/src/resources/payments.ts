import type { PaymentOutcomeUnknownError, PaymentTrace } from '../errors/payment-outcome-unknown.ts';
import { resolveKey } from '../options/key.ts';
import type { Log } from '../options/log.ts';
import type { Settings } from '../options/settings.ts';
import { type Call, callOperation, startCall } from '../transport/call.ts';
import type { ClientContext } from '../transport/client-context.ts';
import type { CallOptions } from '../transport/request.ts';
import { createEchoRecord } from '../values/comparison.ts';
import type { Mode, Payment, PaymentInput } from '../values/models.ts';
import { checkId, keepAmount, readPayment } from '../values/payment.ts';
import { createKnownPayments, createLeasedPayment, createPaymentCreate } from './create-payment.ts';
import { addPaymentAccess, type PaymentAccess } from './payment-access.ts';
import { reconcile, type Reconciliation } from '../reconcile/reconcile.ts';
import { parseReconcileInput, type PaymentIntent, type ReconcileOptions } from '../reconcile/input.ts';
import { startWalk } from '../transactions/transactions.ts';
import { createPaymentUpdates, type PaymentUpdate, waitForPayment, type WaitOptions } from './wait.ts';

/** The payment operations: `POST /payments` and `GET /payments/{payment_id}`. */
export interface Payments<M extends Mode = Mode> {
  /**
   * Creates a payment. Retries only if no payment can exist: the request never left, or the service rejected
   * it with 429. `keyRetention` allows more retries.
   *
   * @throws {PaymentOutcomeUnknownError} when the payment may exist: check before creating it again. Also
   * when the response has a payment id that `retrieve` cannot look up; `raw` contains it.
   * @throws {InsufficientFundsError} when the wallet balance is too low.
   * @throws {ValidationError} when the body is invalid; `not_sent` if the client found the error.
   * @throws {ConfigurationError} when a text was damaged on its way, for example by a spreadsheet; `fields` names it.
   * @throws {IdempotencyError} when the idempotency key was used before: a payment may exist under it.
   * @throws {ServiceError} when the create fails for another reason. This call then made no payment.
   */
  readonly create: (body: PaymentInput, options?: CallOptions) => Call<Payment, M>;
  /**
   * Retrieves a payment. Retries a 404 for up to `readLag` after the create if this client created the
   * payment.
   *
   * @throws {NotFoundError} when the account and mode have no payment with this id.
   * @throws {ValidationError} (`not_sent`) when `id` is not a payment id, or is one of the other mode.
   * @throws {UnreadableResponseError} when the response contains another payment.
   * @throws {ServiceError} when the request fails for another reason.
   */
  readonly retrieve: (id: string, options?: CallOptions) => Call<Payment, M>;
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
   * Triggers a poll in every running `waitFor` of a payment, now or as soon as a `Retry-After` allows. Call
   * it with a verified webhook event. Only the payment id of the event is used, so a late or forged one does
   * no harm.
   */
  readonly handleEvent: (event: PaymentUpdate) => void;
  /**
   * Searches the transactions and payments of the account for the payment of a create with an unknown
   * outcome. Only reads. No result permits creating the payment again. Takes the error, its JSON, or the body
   * with the time of the create.
   *
   * @throws {ValidationError} (`not_sent`) when the argument is not one of these.
   * @throws {ServiceError} when a read fails.
   */
  readonly reconcile: (
    create: PaymentOutcomeUnknownError | PaymentTrace | PaymentIntent,
    options?: ReconcileOptions,
  ) => Promise<Reconciliation>;
}

/** Creates the payment operations of a client. */
export function createPayments<M extends Mode>(context: ClientContext): Payments<M> {
  const { settings, clock } = context;
  const updates = createPaymentUpdates();
  const known = createKnownPayments(clock);
  const echo = createEchoRecord(context.amounts);
  const endOfLag = (since: number | undefined): number | undefined =>
    since === undefined ? undefined : since + settings.readLag;
  const retrieve = createRetrieve<M>(context, (id) => endOfLag(known.since(id)));
  // The callers handle the errors of these requests, so they are not logged. They have their own retry rules.
  const silent = silenceErrors(context);
  const retrieveOnce = createRetrieve<M>(silent, () => undefined);
  const search: PaymentAccess['search'] = {
    retrieve: async (id, o) => {
      const { data, response } = await retrieveOnce(id, o).withResponse();
      return { data, headers: response.headers };
    },
    // Another client or process can have received the id just now.
    retrieveCreated: createRetrieve<M>(silent, (id) => endOfLag(known.since(id) ?? clock.now())),
    walk: (o) => startWalk(silent, { per_page: 100 }, o).walk(),
    echo,
    clock,
    readLag: settings.searchLag,
  };
  const payments: Payments<M> = {
    create: createPaymentCreate(context, { known, echo }),
    retrieve,
    waitFor: (id, options) =>
      waitForPayment(options, {
        retrieve: (o) => retrieveOnce(id, o),
        subscribe: (listener) => updates.subscribe(id, listener),
        knownSince: known.since(id),
        ...context,
      }),
    handleEvent: updates.publish,
    reconcile: async (create, options) => reconcile(parseReconcileInput(create, options), search),
  };
  addPaymentAccess(payments, {
    settings,
    search,
    create: createLeasedPayment(silent, { known, echo }),
    getMode: () => readMode(settings),
  });
  return payments;
}

async function readMode(settings: Settings): Promise<Mode> {
  const { apiKey } = settings;
  return (typeof apiKey === 'function' ? await resolveKey(apiKey, settings) : apiKey).mode;
}

/** Creates `retrieve`. `findUnseenUntil` returns the time until which a 404 is retried. */
function createRetrieve<M extends Mode>(
  context: ClientContext,
  findUnseenUntil: (id: string) => number | undefined,
): Payments<M>['retrieve'] {
  return (id, options) =>
    startCall(context, options, (call) => {
      const request = {
        operation: 'getPayment',
        method: 'GET',
        path: '/payments/{payment_id}',
        id: checkId(id),
        check: (mode: Mode): void => void checkId(id, mode),
        unseenUntil: findUnseenUntil(id),
      } as const;
      return callOperation(call, request, (data, response) =>
        data.id === id ? keepAmount(readPayment(data, response), context.amounts) : undefined,
      );
    });
}

function silenceErrors({ settings, ...context }: ClientContext): ClientContext {
  const log: Log = (level, line) => (level === 'error' ? undefined : settings.log(level, line));
  return { settings: { ...settings, log }, ...context };
}
