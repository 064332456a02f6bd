/** Returns a decimal as an integer of its smallest unit, rounded half to even. Undefined if it is not a decimal. */
export function parseDecimal(text: string, places: number): bigint | undefined {
  const [, sign, units, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,12}))?$/.exec(text.trim()) ?? [];
  if (units === undefined) return undefined;
  const excess = Math.max(0, fraction.length - places);
  const digits = BigInt(units + fraction.padEnd(places, '0'));
  const value = divideHalfEven(digits, 10n ** BigInt(excess));
  return sign ? -value : value;
}

export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const doubled = (dividend % divisor) * 2n;
  if (doubled === divisor) return quotient + (quotient % 2n);
  return doubled > divisor ? quotient + 1n : quotient;
}

export const toFloat = (cents: bigint): number => Number(cents) / 100;
