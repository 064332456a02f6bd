import type { PaymentOutcomeUnknownError, PaymentTrace } from '../errors/payment-outcome-unknown.ts';
import type { Log } from '../options/log.ts';
import type { Warning } from '../options/warnings.ts';
import type { Transport } from '../transport/attempt.ts';
import { type Call, startCall } from '../transport/call.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { checkId } from '../transport/path.ts';
import type { Mode, Payment, PaymentInput } from '../values/models.ts';
import { boundStore, createCreate } from './create-payment.ts';
import { createNews, type PaymentNews } from './news.ts';
import { createEchoRecord } from './payment-match.ts';
import { toPayment } from './read-payment.ts';
import { reconcile, type ReconcileGuard, type Reconciliation } from './reconcile.ts';
import type { PaymentIntent, ReconcileOptions } from './reconcile-input.ts';
import { startWalk } from './transactions.ts';
import { waitForPayment, type WaitOptions } from './wait.ts';

/** Creates and follows payments: `POST /payments`, `GET /payments/{payment_id}` (spec §4). */
export type Payments<M extends Mode = Mode> = {
  /**
   * Creates a payment. The request is sent again only where it is certain that none was made: it never left, or the service
   * turned it away with 429. The option `serviceIdempotency: 'replayed'` widens that.
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
  const echo = createEchoRecord();
  const retrieve = createRetrieve<M>(transport);
  // What these meet on their way is no failure of a call that somebody made.
  const quiet = silenceErrors(transport);
  const retrieveQuietly = createRetrieve<M>(quiet);
  return {
    create: createCreate(transport, { retrieve, echo }),
    retrieve,
    waitFor: (id, options) =>
      waitForPayment(options, {
        retrieve: (o) => retrieveQuietly(id, o),
        listen: (wake) => news.listen(id, wake),
        knownSince: transport.known.since(id),
        ...transport,
      }),
    notify: news.tell,
    reconcile: (lost, options) =>
      reconcile(lost, options, {
        retrieve: (id, o) => retrieveQuietly(id, o).withResponse(),
        retrieveCreated: createRetrieve<M>(allowReadLag(quiet, transport.settings)),
        walk: (o, onCutShort) => startWalk(watchForCut(quiet, onCutShort), { per_page: 100 }, o).walk(),
        guard: createReconcileGuard(transport),
        echo,
        clock: transport.clock,
      }),
  };
}

function createReconcileGuard(transport: Transport): ReconcileGuard | undefined {
  const { duplicateGuard: guard, warn } = transport.settings;
  const options = { within: boundStore({}, transport) };
  const warnOf = (warning: Warning) => (): undefined => {
    warn(warning);
  };
  return (
    guard && {
      holders: (ids) => guard.holders(ids, options).catch(warnOf(notRead)),
      recall: (reference) => guard.recall(reference, options).catch(warnOf(notRead)),
      hasTwin: (reference) =>
        guard.findTwin(reference, options).then(
          (twin) => twin !== undefined,
          // A store that fails is reported once, by the other calls.
          () => true,
        ),
      resolve: async (reference, id) => {
        const result = await guard.resolve(reference, id, options).catch(warnOf(notBound));
        if (result === 'no_record') warn(noRecord);
        return result;
      },
    }
  );
}

/** Retries a 404 for `readLag`, also for an id that another client or process got from the service. */
function allowReadLag(
  { settings, known, clock }: Transport,
  { readLag }: Pick<Transport['settings'], 'readLag'>,
): Transport {
  const since = (id: string): number => known.since(id) ?? clock.now();
  return { settings: { ...settings, readLag }, known: { ...known, since }, clock };
}

/** Calls back when the service breaks its promise of more pages. */
function watchForCut({ settings, ...transport }: Transport, onCutShort: () => void): Transport {
  const warn = (warning: Warning): void => {
    if (warning.code === 'list_cut_short') onCutShort();
    settings.warn(warning);
  };
  return { settings: { ...settings, warn }, ...transport };
}

const notRead: Warning = {
  code: 'guard_failed',
  message:
    'The intent store failed: the payments of other references are not known, and may be among the results.',
};
const noRecord: Warning = {
  code: 'guard_failed',
  message:
    'The payment was found, but the intent store has no record of its reference: the next create of the reference is sent.',
};
const notBound: Warning = {
  code: 'guard_failed',
  message: 'The intent store failed: the payment was found, and its reference stays closed.',
};

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
