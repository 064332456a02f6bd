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
import { toPayment } from './read-payment.ts';
import { type PaymentIntent, reconcile, type Reconciliation, type ReconcileOptions } from './reconcile.ts';
import { createTransactions } from './transactions.ts';
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
  const { duplicateGuard, warn } = transport.settings;
  const retrieve = createRetrieve<M>(transport);
  // What these meet on their way is no failure of a call that somebody made.
  const quiet = silenceErrors(transport);
  const tools = { list: createTransactions<M>(quiet).list, retrieve: createRetrieve<M>(quiet) };
  return {
    create: createCreate(transport, retrieve),
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
        const { payment } = result;
        const bound = await duplicateGuard
          .resolve(reference, payment.id, { within })
          .catch(() => warn(notBound));
        // One payment is never bound to two references.
        if (bound === 'id_taken') return { result: 'ambiguous', payments: [payment] };
      }
      return result;
    },
  };
}

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
