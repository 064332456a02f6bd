import type { PaymentOutcomeUnknownError, PaymentTrace } from '../errors/payment-outcome-unknown.ts';
import type { Log } from '../options/log.ts';
import type { Warning } from '../options/warnings.ts';
import type { ClientContext } from '../transport/attempt.ts';
import { type Call, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { checkId } from '../transport/path.ts';
import type { Mode, Payment, PaymentInput } from '../values/models.ts';
import { createGuardTimeout, createPaymentCreate } from './create-payment.ts';
import { createPaymentUpdates, type PaymentUpdate } from './payment-updates.ts';
import { createEchoRecord } from './payment-match.ts';
import { toPayment } from './read-payment.ts';
import { reconcile, type ReconcileGuard, type Reconciliation } from './reconcile.ts';
import type { PaymentIntent, ReconcileOptions } from './reconcile-input.ts';
import { startWalk } from './transactions.ts';
import { waitForPayment, type WaitOptions } from './wait.ts';

/** The payment operations: `POST /payments` and `GET /payments/{payment_id}`. */
export interface Payments<M extends Mode = Mode> {
  /**
   * Creates a payment. Retries only if no payment can exist: the request never left, or the service rejected
   * it with 429. `serviceIdempotency: 'replayed'` allows more retries.
   *
   * @throws {PaymentOutcomeUnknownError} when the payment may exist: check before creating it again. Also
   * when the response has a payment id that `retrieve` cannot look up; `raw` contains it.
   * @throws {InsufficientFundsError} when the wallet balance is too low.
   * @throws {ValidationError} when the body is invalid; `not_sent` if the client found the error.
   * @throws {IdempotencyError} when the reference or the idempotency key was used before: a payment may exist
   * under it.
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
  const updates = createPaymentUpdates();
  const echo = createEchoRecord();
  const retrieve = createRetrieve<M>(context);
  // The callers handle the errors of these requests, so they are not logged.
  const silentContext = silenceErrors(context);
  const retrieveSilently = createRetrieve<M>(silentContext);
  return {
    create: createPaymentCreate(context, { retrieve, echo }),
    retrieve,
    waitFor: (id, options) =>
      waitForPayment(options, {
        retrieve: (o) => retrieveSilently(id, o),
        subscribe: (listener) => updates.subscribe(id, listener),
        knownSince: context.known.since(id),
        ...context,
      }),
    handleEvent: updates.publish,
    reconcile: (create, options) =>
      reconcile(create, options, {
        retrieve: (id, o) => retrieveSilently(id, o).withResponse(),
        retrieveCreated: createRetrieve<M>(allowReadLag(silentContext, context.settings)),
        walk: (o, onCutShort) =>
          startWalk(watchForCutShort(silentContext, onCutShort), { per_page: 100 }, o).walk(),
        guard: createReconcileGuard(context),
        echo,
        clock: context.clock,
      }),
  };
}

function createReconcileGuard(context: ClientContext): ReconcileGuard | undefined {
  const { duplicateGuard: guard, warn } = context.settings;
  const options = { within: createGuardTimeout({}, context) };
  const warnWith = (warning: Warning) => (): undefined => {
    warn(warning);
  };
  return (
    guard && {
      holders: (ids) => guard.holders(ids, options).catch(warnWith(readFailed)),
      recall: (reference) => guard.recall(reference, options).catch(warnWith(readFailed)),
      hasTwin: (reference) =>
        guard.findTwin(reference, options).then(
          (twin) => twin !== undefined,
          // The other calls report a failing store.
          () => true,
        ),
      resolve: async (reference, id) => {
        const result = await guard.resolve(reference, id, options).catch(warnWith(writeFailed));
        if (result === 'no_record') warn(recordMissing);
        return result;
      },
    }
  );
}

/** Retries a 404 for `readLag`, also for an id that another client or process received. */
function allowReadLag(
  { settings, known, clock }: ClientContext,
  { readLag }: Pick<ClientContext['settings'], 'readLag'>,
): ClientContext {
  const since = (id: string): number => known.since(id) ?? clock.now();
  return { settings: { ...settings, readLag }, known: { ...known, since }, clock };
}

/** Calls `onCutShort` if the pages end before the last one that the service stated. */
function watchForCutShort({ settings, ...context }: ClientContext, onCutShort: () => void): ClientContext {
  const warn = (warning: Warning): void => {
    if (warning.code === 'incomplete_list') onCutShort();
    settings.warn(warning);
  };
  return { settings: { ...settings, warn }, ...context };
}

const readFailed: Warning = {
  code: 'guard_failed',
  message:
    'The intent store failed. Payments of other references cannot be excluded and may be among the results.',
};
const recordMissing: Warning = {
  code: 'guard_failed',
  message:
    'The payment was found, but the intent store has no record of its reference. The next create of the reference is sent and can pay twice.',
};
const writeFailed: Warning = {
  code: 'guard_failed',
  message:
    'The payment was found, but the intent store failed to record it. The reference is not sent again until it is reconciled or released.',
};

function createRetrieve<M extends Mode>(context: ClientContext): Payments<M>['retrieve'] {
  const { settings, known } = context;
  return (id, options) =>
    startCall(context, options, async ({ send }) => {
      const path = `/payments/${checkId(id)}` as const;
      const check = (mode: Mode): void => void checkId(id, mode);
      const since = known.since(id);
      const unseenUntil = since === undefined ? undefined : since + settings.readLag;
      return send({ operation: 'getPayment', path, check, unseenUntil }, (data, readContext) =>
        data.id === id ? toPayment(data, readContext) : undefined,
      );
    });
}

function silenceErrors({ settings, ...context }: ClientContext): ClientContext {
  const log: Log = (level, line) => (level === 'error' ? undefined : settings.log(level, line));
  // `waitFor` has its own retry rules, and `reconcile` reports a missing payment.
  return { settings: { ...settings, log, readLag: 0 }, ...context };
}
