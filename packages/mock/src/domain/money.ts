/** Counts minor units: hundredths of a currency (contract.md 9). */
export type Minor = bigint;

/** Counts millionths of a rate (spec §2: up to 6 places). */
export type Micro = bigint;

/** Decimals of every amount. */
export const AMOUNT_SCALE = 2;

/** Decimals of every rate. */
export const RATE_SCALE = 6;

/** Holds an exact decimal number: `units` / 10^`scale`. */
export class Decimal {
  readonly units: bigint;
  readonly scale: number;

  constructor(units: bigint, scale: number) {
    this.units = units;
    this.scale = scale;
  }

  /** Writes the number in its shortest decimal form: no exponent, no trailing zero. */
  toString(): string {
    const isNegative = this.units < 0n;
    const digits = (isNegative ? -this.units : this.units).toString().padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    let end = digits.length;
    while (end > point && digits[end - 1] === '0') end -= 1;
    const fraction = end === point ? '' : `.${digits.slice(point, end)}`;
    return `${isNegative ? '-' : ''}${digits.slice(0, point)}${fraction}`;
  }
}

/** Converts minor units to the decimal that stands on the wire. */
export function toAmount(units: Minor): Decimal {
  return new Decimal(units, AMOUNT_SCALE);
}

/** Converts millionths to the decimal that stands on the wire. */
export function toRate(units: Micro): Decimal {
  return new Decimal(units, RATE_SCALE);
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)0*(\d{1,3}))?$/;

/**
 * Parses a JSON number's text into units of 10^-`scale`, exactly.
 * Returns undefined when the text is no such number or needs more decimals than `scale` by value (`10.000` needs none).
 */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', direction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const shift = scale - fraction.length + Number(`${direction}${exponent}`);
  const units =
    shift >= 0 ? BigInt(digits + '0'.repeat(shift)) : divideExactly(BigInt(digits), 10n ** BigInt(-shift));
  return units === undefined || sign === '' ? units : -units;
}

function divideExactly(numerator: bigint, denominator: bigint): bigint | undefined {
  return numerator % denominator === 0n ? numerator / denominator : undefined;
}

/** Names a way to round what has more digits than can be shown. */
export type Rounding = 'half_up' | 'half_even' | 'down';

/** Divides two non-negative numbers and rounds, once. */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const quotient = numerator / denominator;
  if (rounding === 'down') return quotient;
  const twice = 2n * (numerator - quotient * denominator);
  if (twice === denominator && rounding === 'half_even') return quotient + (quotient % 2n);
  return twice >= denominator ? quotient + 1n : quotient;
}
