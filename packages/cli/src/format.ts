import { escapeControls } from './output.ts';
import { type Part, type Terminal, toStatus } from './terminal.ts';

/** Formats a value exactly as it was sent, with control characters escaped. Amounts are never rounded. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return escapeControls(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * Formats a field for people: an amount with its currency, a time relative to now on a terminal, a status with its color.
 * Other values stay as they were sent.
 */
export function formatField(name: string, row: object, terminal: Terminal): Part {
  const value = (row as Readonly<Record<string, unknown>>)[name];
  const currency = currencyOf(name, row);
  if (currency !== undefined) return formatMoney(value, currency);
  if (name === 'status' || name === 'state') return toStatus(formatCell(value), terminal);
  return formatCell(value);
}

/** The fields with amounts, and the fields with their currencies. */
const currencyFields: Readonly<Record<string, readonly string[]>> = {
  amount: ['currency', 'from_currency'],
  balance: ['currency'],
  balance_after: ['currency'],
  fee: ['from_currency', 'currency'],
  send_amount: ['from_currency'],
  receive_amount: ['to_currency'],
};

/** Returns the currency of an amount. Undefined for other fields, and for an amount whose currency is not known. */
export function currencyOf(name: string, row: object): string | undefined {
  if (!Object.hasOwn(currencyFields, name)) return undefined;
  const found = currencyFields[name]?.map((field) => (row as Readonly<Record<string, unknown>>)[field]);
  return found?.find((code): code is string => typeof code === 'string' && /^[A-Za-z]{3,5}$/.test(code));
}

/**
 * Formats an amount as `1,000.00 USD`. Adds separators and the decimals of the currency, at most 2
 * (docs/contract.md#money), and removes no digit. Text that is not a decimal number stays as it was sent.
 */
export function formatMoney(amount: unknown, currency: string): string {
  const text = formatCell(amount);
  const [, sign = '', whole, decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return text === '-' ? text : `${text} ${currency}`;
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  const padded = decimals.padEnd(digitsOf(currency), '0');
  return `${sign}${grouped}${padded && `.${padded}`} ${currency}`;
}

function digitsOf(currency: string): number {
  if (currency.length !== 3) return 2;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return Math.min(maximumFractionDigits, 2);
}

/** Returns whether a field is a time by its name and value. */
export function isTime(name: string, value: unknown): value is string {
  return /(?:^|_)at$/.test(name) && typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** Formats a time relative to now in its largest unit, such as `3m ago` or `in 2h`. */
export function formatRelative(time: number, now: number): string {
  const distance = Math.abs(now - time);
  const [unit, length] = units.find(([, size]) => distance >= size) ?? [];
  if (unit === undefined) return 'now';
  const text = `${Math.floor(distance / length)}${unit}`;
  return time > now ? `in ${text}` : `${text} ago`;
}
