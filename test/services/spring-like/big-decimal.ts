import { rawJson } from './object-mapper.ts';

export type RoundingMode = 'DOWN' | 'HALF_EVEN';

/** Longer exponents are refused so that no request can make the service compute with huge integers. */
const MAX_EXPONENT = 400;
const MAX_LENGTH = 1_000;

/** A decimal number that keeps its scale: `100.00` is written with two decimal places. */
export class BigDecimal {
  readonly unscaled: bigint;
  readonly scale: number;

  constructor(unscaled: bigint, scale: number) {
    this.unscaled = unscaled;
    this.scale = scale;
  }

  /** Returns undefined if the text is no decimal number. */
  static parse(text: string): BigDecimal | undefined {
    if (text.length > MAX_LENGTH) return undefined;
    const match = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
    if (!match) return undefined;
    const [, sign, integer = '', fraction = '', exponent = '0'] = match;
    if (Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined;
    const digits = BigInt(integer + fraction);
    return new BigDecimal(sign === '-' ? -digits : digits, fraction.length - Number(exponent));
  }

  /**
   * Parses a constant.
   * @throws {TypeError} when the text is no decimal number
   */
  static of(text: string): BigDecimal {
    const value = BigDecimal.parse(text);
    if (value === undefined) throw new TypeError(`"${text}" is no decimal number.`);
    return value;
  }

  setScale(scale: number, mode: RoundingMode): BigDecimal {
    if (scale >= this.scale) return new BigDecimal(this.unscaled * 10n ** BigInt(scale - this.scale), scale);
    return new BigDecimal(roundedQuotient(this.unscaled, 10n ** BigInt(this.scale - scale), mode), scale);
  }

  stripTrailingZeros(): BigDecimal {
    let { unscaled, scale } = this;
    if (unscaled === 0n) return new BigDecimal(0n, 0);
    for (; unscaled % 10n === 0n; scale -= 1) unscaled /= 10n;
    return new BigDecimal(unscaled, scale);
  }

  add(other: BigDecimal): BigDecimal {
    const scale = Math.max(this.scale, other.scale);
    return new BigDecimal(this.#unscaledAt(scale) + other.#unscaledAt(scale), scale);
  }

  subtract(other: BigDecimal): BigDecimal {
    return this.add(new BigDecimal(-other.unscaled, other.scale));
  }

  multiply(other: BigDecimal): BigDecimal {
    return new BigDecimal(this.unscaled * other.unscaled, this.scale + other.scale);
  }

  divide(divisor: BigDecimal, scale: number, mode: RoundingMode): BigDecimal {
    const shift = BigInt(scale + divisor.scale - this.scale);
    const dividend = shift >= 0n ? this.unscaled * 10n ** shift : this.unscaled;
    const by = shift >= 0n ? divisor.unscaled : divisor.unscaled * 10n ** -shift;
    return new BigDecimal(roundedQuotient(dividend, by, mode), scale);
  }

  compareTo(other: BigDecimal): number {
    const difference = this.subtract(other).unscaled;
    if (difference === 0n) return 0;
    return difference > 0n ? 1 : -1;
  }

  min(other: BigDecimal): BigDecimal {
    return this.compareTo(other) <= 0 ? this : other;
  }

  max(other: BigDecimal): BigDecimal {
    return this.compareTo(other) >= 0 ? this : other;
  }

  /** The number of digits before the decimal point. */
  get integerDigits(): number {
    return Math.max(0, String(this.unscaled).replace('-', '').length - this.scale);
  }

  toPlainString(): string {
    if (this.scale <= 0) return String(this.#unscaledAt(0));
    const digits = String(this.unscaled)
      .replace('-', '')
      .padStart(this.scale + 1, '0');
    const sign = this.unscaled < 0n ? '-' : '';
    return `${sign}${digits.slice(0, -this.scale)}.${digits.slice(-this.scale)}`;
  }

  toJSON(): unknown {
    return rawJson(this.toPlainString());
  }

  #unscaledAt(scale: number): bigint {
    return this.unscaled * 10n ** BigInt(scale - this.scale);
  }
}

export const zero = new BigDecimal(0n, 2);

function roundedQuotient(dividend: bigint, divisor: bigint, mode: RoundingMode): bigint {
  const quotient = dividend / divisor;
  if (mode === 'DOWN') return quotient;
  const remainder = dividend % divisor;
  const twice = (remainder < 0n ? -remainder : remainder) * 2n;
  const size = divisor < 0n ? -divisor : divisor;
  const isUp = twice > size || (twice === size && quotient % 2n !== 0n);
  if (!isUp) return quotient;
  return quotient + (dividend < 0n === divisor < 0n ? 1n : -1n);
}
