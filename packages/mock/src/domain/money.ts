/** An amount in hundredths of a currency. */
export type Minor = bigint;

/** A rate in millionths. */
export type Micro = bigint;

export const AMOUNT_SCALE = 2;

export const RATE_SCALE = 6;

/** An exact decimal number: `units` / 10^`scale`. */
export class Decimal {
  readonly units: bigint;
  readonly scale: number;

  constructor(units: bigint, scale: number) {
    this.units = units;
    this.scale = scale;
  }

  /** Formats the number in its shortest decimal form, without an exponent or trailing zeros. */
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

/** Converts an amount to a decimal. */
export function toAmount(units: Minor): Decimal {
  return new Decimal(units, AMOUNT_SCALE);
}

/** Converts a rate to a decimal. */
export function toRate(units: Micro): Decimal {
  return new Decimal(units, RATE_SCALE);
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)0*(\d{1,3}))?$/;

/**
 * Parses the text of a JSON number into units of 10^-`scale`, exactly. Returns undefined for other text, and
 * for a value with more than `scale` decimals (`10.000` has none).
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

/** A rounding mode. */
export type Rounding = 'half_up' | 'half_even' | 'down';

/** Divides two non-negative numbers and rounds once. */
export function divide(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const quotient = numerator / denominator;
  if (rounding === 'down') return quotient;
  const twice = 2n * (numerator - quotient * denominator);
  if (twice === denominator && rounding === 'half_even') return quotient + (quotient % 2n);
  return twice >= denominator ? quotient + 1n : quotient;
}
