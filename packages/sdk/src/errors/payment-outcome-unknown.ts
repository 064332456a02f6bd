import { modeOfPaymentId } from '../values/payment-id.ts';
import { type ErrorFacts, hide, ServiceError } from './service-error.ts';

/**
 * How far a create had come: `waiting` for a response, `reading` its body, `answered` in a way that does not say whether there is
 * a payment, or `recorded`: the duplicate guard knows the payment, and it could not be read.
 */
export type UnknownPhase = 'waiting' | 'reading' | 'answered' | 'recorded';

/** The beneficiary as the create sent it. */
export interface SentBeneficiary {
  readonly name: string;
  readonly bank?: string | undefined;
  readonly account?: string | undefined;
  readonly country?: string | undefined;
}

/** The fields of a create by which its payment can be found. */
export type PaymentTrace = {
  readonly phase: UnknownPhase;
  readonly sentAt: string;
  readonly failedAt: string;
  readonly reference: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly salvagedId: string | undefined;
  readonly amount: string;
  readonly from_currency: string;
  readonly to_currency: string;
  readonly purpose: string | null;
  /** Absent in the JSON of the error; add it there, or no payment counts as found by its purpose. */
  readonly beneficiary?: SentBeneficiary | undefined;
};

/**
 * Reports a create that was sent and whose payment **may exist**. `cause` is the error beneath. Look for the payment
 * before anything is created again: by `salvagedId`, else in the transactions by `purpose`, amount and `sentAt`.
 */
export class PaymentOutcomeUnknownError extends ServiceError implements PaymentTrace {
  /** Says how far the request had come. */
  declare readonly phase: UnknownPhase;
  /** Says when it was first handed to `fetch`, as ISO 8601 in UTC by the local clock. */
  declare readonly sentAt: string;
  /** Says when the last try was given up, by the same clock. */
  declare readonly failedAt: string;
  /** Holds the `reference` of the call, which the duplicate guard knows it by. */
  declare readonly reference: string | undefined;
  /** Holds the idempotency key that was sent, if any. */
  declare readonly idempotencyKey: string | undefined;
  /** Holds the id of the payment where the answer, even a broken one, still showed it. */
  declare readonly salvagedId: string | undefined;
  /** Holds the amount as decimal text, in `from_currency`. */
  declare readonly amount: string;
  /** Holds the currency to send. */
  declare readonly from_currency: string;
  /** Holds the currency to receive. */
  declare readonly to_currency: string;
  /** Holds the purpose as sent, or null. */
  declare readonly purpose: string | null;

  /** Returns the beneficiary as sent. A function, so that no log, copy or inspection of the error shows it. */
  declare readonly getBeneficiary: () => SentBeneficiary | undefined;

  constructor({ beneficiary, ...facts }: ErrorFacts & PaymentTrace) {
    super(describe(facts), { ...facts, outcome: 'unknown' });
    hide(this, 'getBeneficiary', () => beneficiary);
  }

  override get name(): 'PaymentOutcomeUnknownError' {
    return 'PaymentOutcomeUnknownError';
  }
}

const whatHappened: Record<Exclude<UnknownPhase, 'recorded'>, string> = {
  waiting: 'was sent and got no answer',
  reading: 'was sent and its answer broke off',
  answered: 'was sent and its answer does not say what became of it',
};

function describe({ phase, salvagedId }: PaymentTrace): string {
  if (phase === 'recorded') {
    return `The reference was paid before, and its payment could not be read. Do not create it again; retrieve ${salvagedId}.`;
  }
  const look =
    salvagedId === undefined
      ? 'look for it in the transactions'
      : `retrieve ${salvagedId} with a key of ${modeOfPaymentId(salvagedId)} mode, as the answer still showed that id`;
  return `The create ${whatHappened[phase]}: the payment may exist. Do not create it again before checking; ${look}.`;
}
