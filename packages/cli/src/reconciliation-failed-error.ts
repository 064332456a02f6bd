/** The records could not be read, so the outcome of the payment is still unknown. `cause` is the reason. */
export class ReconciliationFailedError extends Error {
  override readonly name = 'ReconciliationFailedError' as const;
  /** The outcome of the payment, as in `PaymentOutcomeUnknownError`. */
  readonly outcome = 'unknown' as const;

  constructor(cause: unknown) {
    super('The records could not be read, so it is unknown whether the payment exists.', { cause });
  }
}
