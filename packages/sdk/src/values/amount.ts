import { refuse } from '../errors/refuse.ts';

/**
 * Reads an amount of money into its decimal text, exactly as given.
 *
 * @throws ValidationError (`not_sent`) for anything but a plain decimal above 0 with at most `most` decimals and 15
 * significant digits: a double holds no more than that for certain.
 */
export function parseAmount(value: unknown, most = 2): string {
  const text = typeof value === 'number' ? String(value) : value;
  const match = typeof text === 'string' ? /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text) : null;
  if (match === null) throw refuse(notPlain);
  const [written, sign, whole = '', decimals = ''] = match;
  const digits = (whole + decimals).replace(/^0+/, '');
  if (sign || !digits) throw refuse('amount must be more than 0.');
  if (decimals.length > most) {
    const hint = typeof value === 'number' ? floatTails : '';
    throw refuse(`amount must have at most ${most} decimals, and this one has ${decimals.length}.${hint}`);
  }
  if (digits.length > 15) throw refuse('amount must have at most 15 significant digits.');
  return written;
}

const notPlain =
  "amount must be a plain decimal such as '100.00', a string or a finite number, without sign, exponent, spaces, separators or leading zeros.";
const floatTails =
  ' Sums of numbers carry float tails (0.1 + 0.2 is 0.30000000000000004): round them, or pass a string.';

/** ISO 4217 currencies without minor units. */
const ZERO_DECIMAL_CURRENCIES: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
);

/**
 * Lists, in normal form, the amounts that a service may have taken a sent amount for: the amount itself, and the amount rounded
 * or truncated to the decimals of its currency. 2 decimals are the most that a service keeps.
 */
export function listTakenAmounts(text: string, currency: string): readonly string[] {
  const amounts = [normalizeDecimal(text)];
  for (const decimals of ZERO_DECIMAL_CURRENCIES.has(currency) ? [2, 0] : [2]) {
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
