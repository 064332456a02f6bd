import { refuse } from './errors/refuse.ts';

const plainDecimal = /^(?:0|[1-9]\d*)(?:\.(\d+))?$/;
const negativeDecimal = /^-(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Reads an amount of money into its decimal text, exactly as given.
 *
 * @throws ValidationError (`not_sent`) for anything but a plain decimal above 0 with at most `most` decimals and 15
 * significant digits: a double holds no more than that for certain.
 */
export function parseAmount(value: unknown, most = 2): string {
  const text = toText(value);
  if (negativeDecimal.test(text)) throw refuse(tooLittle);
  const match = plainDecimal.exec(text);
  if (match === null) throw refuse(`amount must be a plain decimal such as '100.00', without ${unwanted}.`);
  const decimals = match[1]?.length ?? 0;
  if (decimals > most) throw refuse(tooFine(value, decimals, most));
  const digits = text.replace('.', '').replace(/^0+/, '');
  if (digits === '') throw refuse(tooLittle);
  if (digits.length > 15) throw refuse('amount must have at most 15 significant digits.');
  return text;
}

const tooLittle = 'amount must be more than 0.';
const unwanted = 'sign, exponent, spaces, separators or leading zeros';

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number')
    throw refuse("amount must be a number or a decimal string such as '100.00'.");
  if (!Number.isFinite(value)) throw refuse('amount must be a finite number.');
  return String(value);
}

function tooFine(value: unknown, decimals: number, most: number): string {
  const hint =
    typeof value === 'number'
      ? ' Sums of numbers carry float tails (0.1 + 0.2 is 0.30000000000000004): round them, or pass a string.'
      : '';
  return `amount must have at most ${most} decimals, and this one has ${decimals}.${hint}`;
}
