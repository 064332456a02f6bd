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
