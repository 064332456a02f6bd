import type { Payment, PaymentInput, Transaction } from '../models.ts';

/** A payment in the caller's records: the body of its create, with a reference, and its id if that is known. */
export interface StatementRecord extends PaymentInput {
  /**
   * The caller's name for the record, for the reader of the result. It is not compared.
   *
   * @default none
   * @example 'order-42'
   */
  readonly reference?: string | null | undefined;
  /**
   * The id of the payment. The record is then compared with this payment only.
   *
   * @default none
   * @example 'pay_live_…'
   */
  readonly payment_id?: string | null | undefined;
}

/** The period of a statement, and the limits of its reads. */
export interface StatementOptions {
  /** The start of the period, by the clock of the service. ISO 8601 with an offset as text. */
  readonly since: string | Date;
  /** The end of the period, which is not part of it. */
  readonly until: string | Date;
  /**
   * Maximum time in milliseconds by which a row or a payment can have a time on the other side of `since` or `until`.
   *
   * @default 300_000
   * @example 60_000
   */
  readonly clockSkew?: number | undefined;
  /**
   * Aborts the check.
   *
   * @default none
   * @example AbortSignal.timeout(60_000)
   */
  readonly signal?: AbortSignal | undefined;
}

/** A payment of the account. */
export interface StatementPayment {
  /** The payment with its present status. One that `failed` after it was `completed` was returned by the bank. */
  readonly payment: Payment;
  /** The rows of the account that return its money. */
  readonly refunds: readonly Transaction[];
}

/** A record and the payment that has its fields. */
export interface StatementAgreement extends StatementPayment {
  /** The record as given. */
  readonly record: StatementRecord;
  /**
   * The fields that the payment hides, masks, cuts, adds or respells, such as `Muller` for `Müller`. All others are equal:
   * amounts by all digits, texts except for spaces, account numbers also without separators that one side lacks.
   */
  readonly unconfirmed: readonly (keyof PaymentInput)[];
}

/** A record and the payment of its id, or the only payment that is like it except for one thing. */
export interface StatementDifference extends StatementPayment {
  /** The record as given. */
  readonly record: StatementRecord;
  /** The fields that differ. */
  readonly fields: readonly (keyof PaymentInput)[];
}

/** Records and payments that may belong together. A person decides. */
export interface StatementQuestion {
  /**
   * The missing proof.
   *
   * - `twins`: several records or payments are alike, and their numbers differ or they could be exchanged.
   * - `similar`: several records or payments are alike except for one thing.
   * - `unconfirmed`: the payment hides or changes a field that identifies it.
   * - `outside_period`: the payment is next to the period, or its time cannot be read.
   * - `unseen`: no payment was found, but one of the reasons in `unseen` can hide it.
   */
  readonly reason: 'twins' | 'similar' | 'unconfirmed' | 'outside_period' | 'unseen';
  /** The records as given. */
  readonly records: readonly StatementRecord[];
  /** The payments that can belong to them. */
  readonly payments: readonly StatementPayment[];
}

/** A part of the account that the check could not see. */
export interface StatementGap {
  /**
   * The kind of the gap.
   *
   * - `unreadable_row`: rows that cannot be read and name no payment.
   * - `unlinked_row`: rows of the period that name no payment.
   * - `hidden_payment`: payments of rows that the service does not show.
   * - `incomplete_list`: the list has more rows, but no way to them, or its rows have an uncommon name.
   * - `read_lag`: the service may not show the last payments of the period yet (`readLag` of the client).
   */
  readonly reason: 'unreadable_row' | 'unlinked_row' | 'hidden_payment' | 'incomplete_list' | 'read_lag';
  /** The gap and its remedy, as sentences without values of rows. */
  readonly message: string;
}

/** The comparison of records with an account. Each record is in exactly one list. */
export interface Statement {
  /** The records whose payment exists, with all fields that it shows equal. Check the status of the payment too. */
  readonly agreeing: readonly StatementAgreement[];
  /** The records whose payment has another value in some fields. */
  readonly differing: readonly StatementDifference[];
  /** The records without any payment in the account. Not a permission to pay them: the create may still be running. */
  readonly missing: readonly StatementRecord[];
  /** The payments in no record that were created, or refunded, in the period or at a time that cannot be read. */
  readonly extra: readonly StatementPayment[];
  /** The records for which the account gives no answer. */
  readonly undecided: readonly StatementQuestion[];
  /** The parts of the account that the check could not see; empty if it saw the whole period. */
  readonly unseen: readonly StatementGap[];
}
