import type { Quote } from '@service/sdk';
import { CENT, toMicro } from '../probe/micro.ts';

const decimal = /^\d+(?:\.\d+)?$/;

/** Tells whether a wire amount, a number or decimal text (contract.md 8), is a figure of 0 or more. */
export function isFigure(value: unknown): boolean {
  return decimal.test(String(value));
}

/** Tells whether a wire amount is more than 0. */
export function isPositive(value: unknown): boolean {
  return isFigure(value) && /[1-9]/.test(String(value));
}

/** Tells whether two wire amounts are the same to two decimals; a float tail does not count (contract.md 8). */
export function isSameAmount(one: unknown, other: unknown): boolean {
  return toHundredths(one) === toHundredths(other);
}

/** Writes an amount for a comparison; nothing is computed with it. */
function toHundredths(value: unknown): string {
  return isFigure(value) ? Number(value).toFixed(2) : String(value);
}

/** Returns true for a quote by whose own fee and rate less than 0.01 arrives: the amount is too small to be paid. */
export function isSwallowed({ send_amount, fee, rate, receive_amount }: Quote): boolean {
  const [send, cost, price] = [send_amount, fee, rate].map(toMicro);
  if (send === undefined || cost === undefined || price === undefined) return false;
  return !isPositive(receive_amount) && (send - cost) * price < CENT * 1_000_000n;
}
