import { CENT, toMicro } from '@service/internal';
import type { Quote } from '@service/sdk';

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

const decimal = /^\d+(?:\.\d+)?$/;

/** Returns true for an amount of 0 or more, as number or decimal text (docs/contract.md#profile-settings). */
export function isFigure(value: unknown): boolean {
  return decimal.test(String(value));
}

/** Returns true for an amount above 0. */
export function isPositive(value: unknown): boolean {
  return isFigure(value) && /[1-9]/.test(String(value));
}

/**
 * Returns true if two amounts are equal to two decimals. A float tail is ignored
 * (docs/contract.md#profile-settings).
 */
export function isSameAmount(one: unknown, other: unknown): boolean {
  return toHundredths(one) === toHundredths(other);
}

/** Formats an amount for a comparison. Nothing is calculated with the result. */
function toHundredths(value: unknown): string {
  return isFigure(value) ? Number(value).toFixed(2) : String(value);
}

/**
 * Returns true if the fee and the rate of a quote leave less than 0.01: the amount is too small for a
 * payment.
 */
export function isSwallowed({ send_amount, fee, rate, receive_amount }: Quote): boolean {
  const [send, cost, price] = [send_amount, fee, rate].map(toMicro);
  if (send === undefined || cost === undefined || price === undefined) return false;
  return !isPositive(receive_amount) && (send - cost) * price < CENT * 1_000_000n;
}
