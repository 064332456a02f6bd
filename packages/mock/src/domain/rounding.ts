/** A rounding mode. */
export type Rounding = 'half_up' | 'half_even' | 'down';

/** Divides two non-negative numbers and rounds once. */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding | 'up'): bigint {
  const quotient = numerator / denominator;
  if (rounding === 'down') return quotient;
  if (rounding === 'up') return quotient * denominator < numerator ? quotient + 1n : quotient;
  const twice = 2n * (numerator - quotient * denominator);
  if (twice === denominator && rounding === 'half_even') return quotient + (quotient % 2n);
  return twice >= denominator ? quotient + 1n : quotient;
}
