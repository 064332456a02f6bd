/** Reports that the records could not be read, so that nobody knows more of a payment in doubt; `cause` says why. */
export class ReconciliationFailedError extends Error {
  override readonly name = 'ReconciliationFailedError' as const;
  /** Says what is known of the payment, in the word of `PaymentOutcomeUnknownError`. */
  readonly outcome = 'unknown' as const;

  constructor(cause: unknown) {
    super('The records could not be read, so nobody knows yet whether the payment exists.', { cause });
  }
}
