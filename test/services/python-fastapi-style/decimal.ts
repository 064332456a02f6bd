/** A decimal number without trailing zeros: `units` divided by 10 to the power of `places`. */
export interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

const pattern = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i;
/** Exponent beyond which a number is outside each limit, so that its digits need no memory. */
const MAX_EXPONENT = 40;

/** Parses plain and scientific notation. Returns undefined if the text is not a number. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = pattern.exec(text.trim()) ?? [];
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return { units: 0n, places: 0 };
  const exponent = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, Number(exponentText)));
  const places = fraction.length - exponent - (digits.length - significant.length);
  const units = BigInt(significant) * (sign === '-' ? -1n : 1n);
  return places < 0 ? { units: units * 10n ** BigInt(-places), places: 0 } : { units, places };
}

/** Converts to hundredths. The number has at most 2 decimal places. */
export function toMinorUnits({ units, places }: Decimal): bigint {
  return units * 10n ** BigInt(2 - places);
}

/** Divides positive integers and rounds half to even, the default of the Python decimal context. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const isRoundedUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isRoundedUp ? quotient + 1n : quotient;
}

/** Formats minor units with two decimal places. */
export function formatMinorUnits(amount: bigint): string {
  const digits = amount.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
