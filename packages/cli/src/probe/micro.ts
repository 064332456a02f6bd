const SCALE = 6;

/** Counts millionths: what money and rates are compared in. */
export type Micro = bigint;

/** Holds millionths in a hundredth. */
export const CENT: Micro = 10_000n;

/** Reads a wire figure, a number or decimal text, to six decimals; a float tail behind them does not count. */
export function toMicro(value: unknown): Micro | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  // A float tail alone, which is written with an exponent.
  if (typeof value === 'number' && Math.abs(value) < 1e-6) return 0n;
  const [, sign, whole, decimals = ''] = /^(-?)(\d{1,18})(?:\.(\d{1,40}))?$/.exec(toDigits(value)) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(`${whole}${decimals.padEnd(SCALE, '0').slice(0, SCALE)}`);
  const rounded = /^[5-9]/.test(decimals.slice(SCALE)) ? digits + 1n : digits;
  return sign === '-' ? -rounded : rounded;
}

/** Writes a figure with all its digits: what is left of a sum of doubles may have an exponent. */
function toDigits(value: number | string): string {
  const isTiny = typeof value === 'number' && Math.abs(value) < 1e-6;
  return isTiny ? value.toFixed(SCALE + 1) : String(value);
}

/** Writes hundredths as a decimal, such as `50.25`. */
export function writeCents(cents: bigint): string {
  const text = String(cents).padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Writes millionths as a decimal, without zeros at its end. */
export function writeMicro(micro: Micro): string {
  const [sign, digits] = micro < 0n ? ['-', -micro] : ['', micro];
  const text = String(digits).padStart(SCALE + 1, '0');
  const decimals = text.slice(-SCALE).replace(/0+$/, '');
  return `${sign}${text.slice(0, -SCALE)}${decimals && '.'}${decimals}`;
}
