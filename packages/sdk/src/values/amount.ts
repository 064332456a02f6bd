import { createValidationError } from '../errors/validation-error.ts';

/**
 * Returns an amount as decimal text, digit by digit as given.
 *
 * @throws {ValidationError} (`not_sent`) when the amount is not a plain decimal above 0 with at most
 * `maxDecimals` decimals and 15 significant digits. A double is exact up to 15 digits.
 */
export function parseAmount(value: unknown, maxDecimals = 2): string {
  const text = typeof value === 'number' ? String(value) : value;
  const match = typeof text === 'string' ? /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text) : null;
  if (match === null) throw createValidationError(notPlainMessage);
  const [written, sign, whole = '', decimals = ''] = match;
  const digits = (whole + decimals).replace(/^0+/, '');
  if (sign || !digits) throw createValidationError('amount must be more than 0.');
  if (decimals.length > maxDecimals) {
    const hint = typeof value === 'number' ? roundingHint : '';
    throw createValidationError(
      `amount must have at most ${maxDecimals} decimals, and this one has ${decimals.length}.${hint}`,
    );
  }
  if (digits.length > 15) throw createValidationError('amount must have at most 15 significant digits.');
  return written;
}

const notPlainMessage =
  "amount must be a plain decimal such as '100.00', as a string or a finite number, without sign, exponent, spaces, separators or leading zeros.";
const roundingHint =
  ' Sums of numbers have rounding errors (0.1 + 0.2 is 0.30000000000000004). Round them, or pass a string.';

/** ISO 4217 currencies without minor units. */
const zeroDecimalCurrencies: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
);

/**
 * Returns, in normal form, the amounts that a service may show for a sent amount: the amount itself, and the
 * amount rounded or truncated to the decimals of its currency. Services keep at most 2 decimals
 * (docs/contract.md#profile-settings).
 */
export function listPossibleAmounts(text: string, currency: string): readonly string[] {
  const amounts = [normalizeDecimal(text)];
  for (const decimals of zeroDecimalCurrencies.has(currency) ? [2, 0] : [2]) {
    const [whole = '', fraction = ''] = text.split('.');
    if (fraction.length <= decimals) continue;
    const kept = BigInt(whole + fraction.slice(0, decimals));
    const isRoundedUp = (fraction[decimals] ?? '0') >= '5';
    amounts.push(writeDecimal(kept, decimals), ...(isRoundedUp ? [writeDecimal(kept + 1n, decimals)] : []));
  }
  return [...new Set(amounts)];
}

/** Returns a plain decimal without leading and trailing zeros: `100` for `100.00`. */
export function normalizeDecimal(text: string): string {
  const [whole = '', fraction = ''] = text.split('.');
  const decimals = fraction.replace(/0+$/, '');
  return (whole.replace(/^0+(?=\d)/, '') || '0') + (decimals && `.${decimals}`);
}

function writeDecimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return normalizeDecimal(`${digits.slice(0, point)}.${digits.slice(point)}`);
}
