/** Exact decimal number: `units` times 10 to the power of -`scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** Amount of money in hundredths: every supported currency has 2 decimal places. */
export type Money = bigint;

export const moneyScale = 2;
export const rateScale = 6;

const maxUnits = 2n ** 96n - 1n;
const maxScale = 28;

/** Parses a JSON number. Returns `undefined` if it does not fit into `System.Decimal`. */
export function parseDecimal(text: string): Decimal | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  let units = BigInt(whole + fraction);
  let scale = fraction.length - Number(exponent);
  if (units === 0n) return { units, scale: 0 };
  if (scale < -maxScale || scale > 1_000) return undefined;
  if (scale < 0) {
    units *= 10n ** BigInt(-scale);
    scale = 0;
  }
  if (scale > maxScale) {
    units = divideToEven(units, 10n ** BigInt(scale - maxScale));
    scale = maxScale;
  }
  while (units > maxUnits && scale > 0) {
    units = divideToEven(units, 10n);
    scale -= 1;
  }
  return units > maxUnits ? undefined : { units: sign === '' ? units : -units, scale };
}

export function formatDecimal({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const sign = units < 0n ? '-' : '';
  return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-scale)}`;
}

export function compareDecimals(left: Decimal, right: Decimal): number {
  const difference = left.units * 10n ** BigInt(right.scale) - right.units * 10n ** BigInt(left.scale);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** Converts to hundredths. Returns `undefined` if the value has more decimal places. */
export function toMoney({ units, scale }: Decimal): Money | undefined {
  if (scale <= moneyScale) return units * 10n ** BigInt(moneyScale - scale);
  const divisor = 10n ** BigInt(scale - moneyScale);
  return units % divisor === 0n ? units / divisor : undefined;
}

export function formatMoney(amount: Money): string {
  return formatDecimal({ units: amount, scale: moneyScale });
}

/** Divides two positive numbers and rounds half to even, the default of `Math.Round`. */
export function divideToEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const roundsUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return roundsUp ? quotient + 1n : quotient;
}
