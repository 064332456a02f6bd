import type { PaymentRequest } from '@service/contract';
import { type Body, preparePayment } from '../body.ts';
import { PaymentOutcomeUnknownError } from '../errors/payment-outcome-unknown.ts';
import { isServiceError } from '../errors/service-error.ts';
import { isRecord, type JsonObject, orNull } from '../json.ts';
import type { Mode, Payment, PaymentInput } from '../models.ts';
import { readMoney } from '../money.ts';
import { modeOfPaymentId } from '../payment-id.ts';
import {
  type Call,
  type CallOptions,
  type Conversation,
  type Reading,
  startCall,
} from '../transport/call.ts';
import type { Transport } from '../transport/send.ts';
import { waitForPayment, type WaitOptions } from '../wait.ts';
import type { Api } from './api.ts';

/** Creates and follows payments: `POST /payments`, `GET /payments/{payment_id}` (spec §4). */
export type Payments<M extends Mode = Mode> = {
  /**
   * Creates a payment. The request is sent once and never repeated.
   *
   * @throws PaymentOutcomeUnknownError when the payment may exist: do not create it again before checking. Also when the
   * service answers with a payment that `retrieve` could never look up; what stands in place of its id is in `raw`.
   * @throws InsufficientFundsError when the wallet holds too little.
   * @throws ValidationError for a body that is wrong, `not_sent` where it is seen before sending.
   * @throws ServiceError of another class when it is certain that no payment was made.
   */
  readonly create: (body: PaymentInput, options?: CallOptions) => Call<Payment, M>;
  /**
   * Retrieves a payment as it stands now.
   *
   * @throws NotFoundError when there is none of this id for this account and mode.
   * @throws ValidationError (`not_sent`) for what is no payment id, or one of the other mode.
   * @throws UnreadableResponseError when the answer is another payment.
   * @throws ServiceError of another class for anything else that fails.
   */
  readonly retrieve: (id: string, options?: CallOptions) => Call<Payment, M>;
  /**
   * Retrieves a payment until it is final or has the status asked for. A payment that failed is a result; connection
   * errors, 429 and 5xx are borne until the deadline.
   *
   * @throws WaitTimeoutError with the payment as last seen; its cause is what failed last, if that did not pass.
   * @throws ConfigurationError (`not_sent`) for options that are wrong, such as a status that is not documented.
   * @throws AbortError when `signal` ends the waiting.
   */
  readonly waitFor: (id: string, options?: WaitOptions) => Promise<Payment>;
};

/** Makes the payments of a client. */
export function createPayments<M extends Mode>(api: Api, transport: Transport): Payments<M> {
  const retrieve: Payments<M>['retrieve'] = (id, options) =>
    startCall(transport, options, ({ ask }) =>
      ask(
        (init) => api.GET('/payments/{payment_id}', { ...init, params: { path: { payment_id: id } } }),
        (data, reading) => (data.id === id ? toPayment(data, reading) : undefined),
      ),
    );
  return {
    create: (input, options) =>
      startCall(transport, options, async (conversation: Conversation<M>) => {
        const body = preparePayment(input);
        const content = { body: body.fields, bodySerializer: () => body.json };
        return conversation
          .ask((init) => api.POST('/payments', { ...init, ...content }), toPayment)
          .catch((error: unknown) => {
            throw toOutcome(error, conversation, body);
          });
      }),
    retrieve,
    waitFor: (id, options) => waitForPayment(options, { retrieve: (o) => retrieve(id, o), ...transport }),
  };
}

/** Reads a payment of the mode that was asked; optional fields that the service left out or empty become null (spec §2). */
function toPayment(raw: JsonObject, { asked, source }: Reading): Payment | undefined {
  const { id, status, beneficiary, purpose } = raw;
  if (modeOfPaymentId(id) !== asked || typeof status !== 'string') return undefined;
  const record: JsonObject = { ...raw, purpose: orNull(purpose) };
  if (isRecord(beneficiary)) {
    const { bank, account, country } = beneficiary;
    record.beneficiary = {
      ...beneficiary,
      bank: orNull(bank),
      account: orNull(account),
      country: orNull(country),
    };
  }
  return readMoney<Payment>({ record, raw, source }, ['send_amount', 'rate', 'receive_amount']);
}

/** Turns what failed a create into what it means: nothing happened, or a payment may exist. */
function toOutcome(error: unknown, conversation: Conversation<Mode>, body: Body<PaymentRequest>): unknown {
  const { progress, idempotencyKey } = conversation;
  const settled = isServiceError(error) && error.outcome !== 'unknown';
  if (settled || progress.phase === 'preparing') return error;
  const { attempts, status, requestId, mode, sentAt, phase } = progress;
  const { from_currency, to_currency, purpose = null } = body.fields;
  return new PaymentOutcomeUnknownError({
    attempts,
    status,
    requestId,
    mode,
    sentAt,
    phase,
    idempotencyKey,
    ...(isServiceError(error) && { type: error.type, raw: error.raw }),
    cause: error,
    salvagedId: salvageId(progress.received),
    amount: body.amount,
    from_currency,
    to_currency,
    purpose,
  });
}

/** Finds the id of the payment in an answer that is broken or not believed; an id that is cut short is none. */
function salvageId(received: string): string | undefined {
  return /"id"\s*:\s*"(pay_(?:test|live)_[\w-]+)"/.exec(received)?.[1];
}
