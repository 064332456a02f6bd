/** An error after a payment was created, so that the payment is not created again. `cause` is the original error. */
export class PaymentExistsError extends Error {
  override readonly name = 'PaymentExistsError' as const;
  readonly id: string;

  constructor(id: string, cause: unknown) {
    super(`The payment ${id} was created, but a later step failed.`, { cause });
    this.id = id;
  }
}

/**
 * Runs the steps that follow the create of a payment.
 *
 * @throws {PaymentExistsError} when a step throws anything.
 */
export async function afterPayment<T>(id: string, steps: () => Promise<T>): Promise<T> {
  try {
    return await steps();
  } catch (error) {
    throw new PaymentExistsError(id, error);
  }
}
