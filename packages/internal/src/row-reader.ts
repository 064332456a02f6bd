import { isRecord } from './json.ts';
import { toMicro, writeMicro } from './micro.ts';
import type { RowTemplate } from './profile.ts';
import { listPlaceholders } from './template.ts';
import { type MatchedValue, matchTemplate } from './template-match.ts';

/** The values of a row under the documented names of a transaction. Amounts are decimal text. */
export type RowFacts = Readonly<Record<string, string | null>>;

/** A row that was read with its template. */
export interface RowReading {
  readonly facts: RowFacts;
  /** The fields that the template explains. */
  readonly explained: readonly string[];
}

/**
 * Reads a row with the template that writes it. Numbers in the row can be text, which keeps their digits. Returns
 * undefined if no template fits.
 */
export function readRow(templates: readonly RowTemplate[], row: unknown): RowReading | undefined {
  const fitting = templates.map((template) => fit(template, row)).filter((one) => one !== undefined);
  const least = Math.min(...fitting.map(({ differences }) => differences));
  const [best, ...others] = fitting.filter(({ differences }) => differences === least);
  if (best === undefined) return undefined;
  const { of, values } = best;
  const isClear = least === 0 && others.every((other) => other.of === of);
  const fields = isRecord(best.row) ? Object.entries(best.row) : [];
  return {
    facts: readFacts(values, isClear && of !== 'any' ? of : undefined),
    explained: fields.filter(([, field]) => listPlaceholders(field).length > 0).map(([name]) => name),
  };
}

type Fit = RowTemplate & ReturnType<typeof matchTemplate>;

/** Compares a row with a template. Returns undefined if its amount cannot be read. */
function fit(template: RowTemplate, row: unknown): Fit | undefined {
  const { values: parts, differences } = matchTemplate(template.row, row);
  const values = joinParts(parts);
  const amount = findValue(values, amountNames);
  if (amount !== undefined && typeof readAmount(amount) !== 'string') return undefined;
  const isForPayment = template.of !== 'any' && template.of !== 'deposit' && template.of !== 'adjustment';
  const hasNoPayment = isForPayment && findValue(values, ['payment_id'])?.value === null;
  return { ...template, values, differences: differences + (hasNoPayment ? 1 : 0) };
}

/** Joins the whole number and the fraction of each amount that has its parts in two fields. */
function joinParts(values: readonly MatchedValue[]): readonly MatchedValue[] {
  const fractions = values.filter(({ words }) => words.some((word) => word.startsWith('fraction=')));
  return values.flatMap((each) => {
    if (fractions.includes(each)) return [];
    const fraction = fractions.find(({ name }) => name === each.name);
    return each.words.includes('whole') && fraction
      ? [{ ...each, value: joinAmount(each, fraction) }]
      : [each];
  });
}

/** Returns the decimal text of an amount with two parts. Null if one of them is no whole number. */
function joinAmount(whole: MatchedValue, fraction: MatchedValue): string | null {
  const [units, rest] = [whole, fraction].map(({ value }) => /^(-?)(\d+)$/.exec(String(value)));
  if (!units || !rest) return null;
  const digits = Number(fraction.words.find((word) => word.startsWith('fraction='))?.slice(9));
  const decimals = (rest[2] ?? '').padStart(digits, '0').replace(/(?<=..)0+$/, '');
  return `${units[1] || rest[1]}${units[2]}.${decimals}`;
}

const amountNames = ['amount', 'debit', 'send_amount'];

/** The placeholders of each text of a transaction, the preferred one first. */
const textNames: Readonly<Record<string, readonly string[]>> = {
  id: ['id', 'number'],
  type: ['type'],
  status: ['status', 'payment_status'],
  currency: ['currency', 'from_currency'],
  payment_id: ['payment_id'],
  reference: ['reference', 'purpose'],
  created_at: ['created_at', 'payment_created_at'],
};

function findValue(values: readonly MatchedValue[], names: readonly string[]): MatchedValue | undefined {
  const found = names.flatMap((name) => values.filter((value) => value.name === name));
  return found.find(({ value }) => value !== null) ?? found[0];
}

/** Returns the facts of a row. `of` is the kind of the row; undefined if it is not known. */
function readFacts(values: readonly MatchedValue[], of: string | undefined): RowFacts {
  const facts: Record<string, string | null> = {};
  for (const [field, names] of Object.entries(textNames)) {
    const found = findValue(values, names);
    if (found) facts[field] = field === 'created_at' ? readTime(found) : readText(found, field);
  }
  if (of !== undefined) facts.type ??= of;
  const amount = findValue(values, amountNames);
  const sign = findValue(values, ['sign']);
  if (amount) facts.amount = applySign(amount, sign && readText(sign, 'sign'), facts.type);
  const fee = findValue(values, ['row_fee', 'fee']);
  const balance = findValue(values, ['balance_after']);
  // A fee is never negative in a transaction.
  if (fee) facts.fee = readAmount(fee)?.replace('-', '') ?? null;
  if (balance) facts.balance_after = readAmount(balance) ?? null;
  return facts;
}

/** Reads a text, and inverts its form. */
function readText({ value, words }: MatchedValue, field: string): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  if (value === '') return null;
  const isName = field === 'type' || field === 'status';
  let text = String(value);
  for (const word of words.toReversed()) {
    const at = word.indexOf('=', 1);
    if (word.startsWith('or=')) continue;
    if (word.startsWith('else=') && text === word.slice(at + 1)) return null;
    if (at > 0 && text === word.slice(at + 1)) text = word.slice(0, at);
    // The documented types and statuses are in lowercase, and currencies in uppercase.
    else if (word === 'upper' && isName) text = text.toLowerCase();
    else if (word === 'lower' && field === 'currency') text = text.toUpperCase();
    else if (word === 'spaced' && isName) text = text.replaceAll(' ', '_');
    else if (word === 'html') text = text.replaceAll('&lt;', '<').replaceAll('&amp;', '&');
  }
  return text;
}

/** Reads a time: seconds or milliseconds since 1970, and HTTP dates, become ISO 8601. */
function readTime({ value, words }: MatchedValue): string | null {
  const scale = words.includes('unix') ? 1_000 : words.includes('unix_ms') ? 1 : undefined;
  const isText = typeof value === 'string' || typeof value === 'number';
  if (scale === undefined && !words.includes('http')) return typeof value === 'string' ? value : null;
  const time = new Date(isText ? (scale === undefined ? value : Number(value) * scale) : Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** Reads an amount as decimal text with all its digits. Returns null for none, and undefined for another value. */
function readAmount({ value, words }: MatchedValue): string | null | undefined {
  if (value === null || value === '') return null;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const plain = /^-?[\d.]+e[-+\d]+$/i.test(String(value))
    ? writeMicro(toMicro(Number(value)) ?? 0n)
    : String(value);
  const [, sign = '', whole, decimals] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain) ?? [];
  if (whole === undefined) return undefined;
  if (!words.includes('cents')) return plain;
  const digits = whole.padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}${decimals ?? ''}`;
}

/** Returns an amount with its sign: negative if the money leaves the wallet. */
function applySign(
  amount: MatchedValue,
  sign: string | null | undefined,
  type: string | null | undefined,
): string | null {
  const text = readAmount(amount) ?? null;
  const isSigned =
    amount.name === 'amount' && !amount.words.includes('abs') && !amount.words.includes('negative');
  const size = text?.replace('-', '') ?? null;
  const isOut = sign === '-' || (sign !== '+' && (type === 'payment' || type === 'fee'));
  const isIn = sign === '+' || type === 'refund' || type === 'deposit';
  if (size === null || isSigned || (!isOut && !isIn)) return text;
  return isOut && Number(size) !== 0 ? `-${size}` : size;
}
