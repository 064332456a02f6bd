/** Converts the text of a JSON number to units of 10^-places, or undefined if it has more decimal places. */
export function parseDecimal(text: string, places: number): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const shift = Number(exponent) - fraction.length + places;
  const digits = BigInt(whole + fraction);
  const divisor = 10n ** BigInt(Math.max(0, -shift));
  if (digits % divisor !== 0n) return undefined;
  const value = (digits / divisor) * 10n ** BigInt(Math.max(0, shift));
  return sign === '-' ? -value : value;
}

/** Number with an exact decimal text, which the JSON encoder writes as it is. */
export class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Cents with two decimal places, as `StringFixed(2)` writes them. */
export function formatCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function centsNumber(cents: bigint): Decimal {
  return new Decimal(formatCents(cents));
}

/** Millionths without trailing zeros. */
export function rateNumber(micros: bigint): Decimal {
  const digits = micros.toString().padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return new Decimal(fraction === '' ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${fraction}`);
}

/** Divides non-negative numbers and rounds half to even, as `RoundBank` does. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** JSON form of `google.type.Money`: `units` is an int64 and therefore a string. */
export function protoMoney(currency: string, cents: bigint): object {
  return {
    currency_code: currency,
    units: (cents / 100n).toString(),
    nanos: Number((cents % 100n) * 10_000_000n),
  };
}
