/** Reports what went wrong once a payment was there, so that nobody creates it again; `cause` says what. */
export class PaymentExistsError extends Error {
  override readonly name = 'PaymentExistsError' as const;
  readonly id: string;

  constructor(id: string, cause: unknown) {
    super(`The payment ${id} was created, and what came after it failed.`, { cause });
    this.id = id;
  }
}

/** Takes the steps that follow a payment. Throws PaymentExistsError, whatever goes wrong in them. */
export async function afterPayment<T>(id: string, steps: () => Promise<T>): Promise<T> {
  try {
    return await steps();
  } catch (error) {
    throw new PaymentExistsError(id, error);
  }
}
