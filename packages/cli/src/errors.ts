/** Wrong arguments or configuration. The message states the change to make. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const;
}

/** An error after a payment was created, so that the payment is not created again. `cause` is the original error. */
export class PaymentExistsError extends Error {
  override readonly name = 'PaymentExistsError' as const;
  readonly id: string;

  constructor(id: string, cause: unknown) {
    super(`The payment ${id} was created, but a later step failed.`, { cause });
    this.id = id;
  }
}

/** The records could not be read, so the outcome of the payment is still unknown. `cause` is the reason. */
export class ReconciliationFailedError extends Error {
  override readonly name = 'ReconciliationFailedError' as const;
  /** The outcome of the payment, as in `PaymentOutcomeUnknownError`. */
  readonly outcome = 'unknown' as const;

  constructor(cause: unknown) {
    super('The records could not be read, so it is unknown whether the payment exists.', { cause });
  }
}

/** The command ended before its stop condition was met. */
export class StopConditionError extends Error {
  override readonly name = 'StopConditionError' as const;
}
