import type { Quote } from '@service/sdk';
import { CENT, toMicro } from '../probe/micro.ts';

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
