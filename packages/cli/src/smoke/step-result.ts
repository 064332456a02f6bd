/** The result of a step that did not fail. */
export interface StepResult {
  readonly status: 'ok' | 'warning' | 'skipped';
  readonly detail: string;
}

/** The error of a response that contradicts the contract. */
export class Discrepancy extends Error {
  override readonly name = 'Discrepancy' as const;
}

/** Creates the result of a successful step. */
export function pass(detail: string): StepResult {
  return { status: 'ok', detail };
}

/** Creates the result of a step that the contract does not allow to decide. */
export function skip(detail: string): StepResult {
  return { status: 'skipped', detail };
}

/** Creates the result of a step that shows that `payment reconcile` is unreliable. */
export function warn(detail: string): StepResult {
  return {
    status: 'warning',
    detail: `${detail}. PAYMENT RECONCILE WILL NOT WORK: transactions cannot be matched to payments`,
  };
}

/**
 * Checks a guarantee of the contract.
 *
 * @throws {Discrepancy} when the condition is false.
 */
export function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Discrepancy(message);
}
