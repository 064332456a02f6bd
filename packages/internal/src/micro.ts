const SCALE = 6;

/** Millionths, the unit in which amounts and rates are compared. */
export type Micro = bigint;

/** Millionths in a hundredth. */
export const CENT: Micro = 10_000n;

/**
 * Parses an amount or rate, as number or decimal text, to millionths. Digits after the sixth decimal are
 * rounded, so a float tail has no effect.
 */
export function toMicro(value: unknown): Micro | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  // The float tail of a zero, which `String` writes with an exponent.
  if (typeof value === 'number' && Math.abs(value) < 1e-6) return 0n;
  const [, sign, whole, decimals = ''] = /^(-?)(\d{1,18})(?:\.(\d{1,40}))?$/.exec(String(value)) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(`${whole}${decimals.padEnd(SCALE, '0').slice(0, SCALE)}`);
  const rounded = /^[5-9]/.test(decimals.slice(SCALE)) ? digits + 1n : digits;
  return sign === '-' ? -rounded : rounded;
}

/** Formats hundredths as a decimal, such as `50.25`. */
export function writeCents(cents: bigint): string {
  const text = String(cents).padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Formats millionths as a decimal without trailing zeros. */
export function writeMicro(micro: Micro): string {
  const [sign, digits] = micro < 0n ? ['-', -micro] : ['', micro];
  const text = String(digits).padStart(SCALE + 1, '0');
  const decimals = text.slice(-SCALE).replace(/0+$/, '');
  return `${sign}${text.slice(0, -SCALE)}${decimals && '.'}${decimals}`;
}
