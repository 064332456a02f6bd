import { modeOfPaymentId } from '../values/payment.ts';
import { type ErrorFacts, hide, ServiceError } from './service-error.ts';

/**
 * The progress of a create at the time its outcome became unknown.
 *
 * - `'waiting'`: no response was received.
 * - `'reading'`: the response body was incomplete.
 * - `'responded'`: the response does not show whether the payment was created.
 * - `'recorded'`: the reference has the payment, but it could not be retrieved.
 * - `'searched'`: the result of an earlier create of the reference is not known, and a search did not find its payment.
 */
export type UnknownPhase = 'waiting' | 'reading' | 'responded' | 'recorded' | 'searched';

/** The beneficiary of a create, as sent. */
export interface SentBeneficiary {
  /** The name, `beneficiary_name` of the request. */
  readonly name: string;
  /** The bank, `beneficiary_bank` of the request. */
  readonly bank?: string | undefined;
  /** The account number, `beneficiary_account` of the request. */
  readonly account?: string | undefined;
  /** The country, `beneficiary_country` of the request. */
  readonly country?: string | undefined;
}

/** The fields of a create that identify its payment. `payments.reconcile` takes them. */
export interface PaymentTrace {
  /** The progress of the last request with an unknown outcome. */
  readonly phase: UnknownPhase;
  /** The time at which the first request was passed to `fetch`, as ISO 8601 in UTC by the local clock. */
  readonly sentAt: string;
  /** The time at which the last request failed, by the same clock. */
  readonly failedAt: string;
  /** The reference of the create, if a payer sent it. */
  readonly reference: string | undefined;
  /** The idempotency key that was sent; undefined if none was. */
  readonly idempotencyKey: string | undefined;
  /** The payment id in the response, even an incomplete one; undefined if there is none. */
  readonly paymentId: string | undefined;
  /** The amount in `from_currency`, as decimal text. */
  readonly amount: string;
  /** The currency that is sent. */
  readonly from_currency: string;
  /** The currency that is received. */
  readonly to_currency: string;
  /** The purpose as sent, or null. */
  readonly purpose: string | null;
  /**
   * Absent in the JSON of the error. Add it before reconciling: without it, no payment is found by its
   * purpose.
   */
  readonly beneficiary?: SentBeneficiary | undefined;
}

/**
 * A create with an unknown outcome: **the payment may exist**. `cause` is the error of the request.
 *
 * Do not create the payment again before you have looked for it: with `payments.reconcile(error)`, by
 * `paymentId`, or in the transactions by `purpose`, amount and `sentAt`.
 *
 * @example
 * try {
 *   await client.payments.create(body);
 * } catch (error) {
 *   if (!isPaymentOutcomeUnknownError(error)) throw error;
 *   const { result } = await client.payments.reconcile(error);
 * }
 */
export class PaymentOutcomeUnknownError extends ServiceError implements PaymentTrace {
  declare readonly phase: UnknownPhase;
  declare readonly sentAt: string;
  declare readonly failedAt: string;
  declare readonly reference: string | undefined;
  declare readonly idempotencyKey: string | undefined;
  declare readonly paymentId: string | undefined;
  declare readonly amount: string;
  declare readonly from_currency: string;
  declare readonly to_currency: string;
  declare readonly purpose: string | null;

  /**
   * Returns the beneficiary as sent. A function, so that no log, copy or inspection of the error shows it.
   */
  declare readonly getBeneficiary: () => SentBeneficiary | undefined;

  constructor({ beneficiary, ...facts }: ErrorFacts & PaymentTrace) {
    super(formatMessage(facts), { ...facts, outcome: 'unknown' });
    hide(this, 'getBeneficiary', () => beneficiary);
  }

  override get name(): 'PaymentOutcomeUnknownError' {
    return 'PaymentOutcomeUnknownError';
  }
}

const textByPhase: Record<Exclude<UnknownPhase, 'recorded' | 'searched'>, string> = {
  waiting: 'was sent, but no response was received',
  reading: 'was sent, but its response is incomplete',
  responded: 'was sent, but its response does not show the result',
};

function formatMessage({ phase, paymentId }: PaymentTrace): string {
  if (phase === 'recorded') {
    return `The reference was already paid, but its payment could not be retrieved. Do not create it again; retrieve ${paymentId}.`;
  }
  if (phase === 'searched' && paymentId === undefined)
    return 'The outcome of an earlier create of the reference is unknown, and its payment was not found. Nothing was sent. Call pay again later; payments.reconcile(error) explains what was found.';
  const text = phase === 'searched' ? 'of the reference was sent earlier' : textByPhase[phase];
  const check =
    paymentId === undefined
      ? 'look for it in the transactions'
      : `retrieve ${paymentId} with a ${modeOfPaymentId(paymentId)} key (its id was in the response)`;
  return `The create ${text}: the payment may exist. Do not create it again before checking; ${check}.`;
}
