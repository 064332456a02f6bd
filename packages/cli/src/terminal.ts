import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import { Help } from 'commander';
import type { Environment, Sink } from './session.ts';

/** The meaning of a part of a line. A terminal shows it as a color. */
export type Style = 'good' | 'bad' | 'waiting' | 'weak' | 'strong';

/** A part of a line: plain, or with a style. */
export type Part = string | { readonly text: string; readonly style: Style };

/** A line of text, or its parts. */
export type Line = string | readonly Part[];

/** The properties of an output stream. */
export interface Terminal {
  /** False for a pipe or a file. */
  readonly isTTY: boolean;
  /** The number of columns. Undefined for a pipe or a file, which have no limit. */
  readonly width: number | undefined;
  readonly hasColor: boolean;
}

const loadModule = createRequire(import.meta.url);

/** The width of a terminal that does not report its own, or reports 0. */
const DEFAULT_WIDTH = 80;

/** Returns the properties of a stream. `FORCE_COLOR` turns color on without a terminal. `NO_COLOR` and `--no-color` turn it off. */
export function createTerminal(
  { isTTY = false, columns }: Sink,
  { env }: Pick<Environment, 'env'>,
  color: boolean,
): Terminal {
  const isForced = !/^(?:|0|false)$/.test(env.FORCE_COLOR ?? '');
  const hasColor = color && !env.NO_COLOR && (isForced || (isTTY && env.TERM !== 'dumb'));
  return { isTTY, width: isTTY ? columns || DEFAULT_WIDTH : undefined, hasColor };
}

const formats = { good: 'green', bad: 'red', waiting: 'yellow', weak: 'dim', strong: 'bold' } as const;

/** Adds the escape sequences of a style to a text. */
export function paint(text: string, style: Style): string {
  return styleText(formats[style], text, { validateStream: false });
}

/** Returns the text of a part without its style. */
export function toPlain(part: Part): string {
  return typeof part === 'string' ? part : part.text;
}

/** Returns the number of columns that a text takes: 2 for wide characters, 0 for combining ones. */
function measure(text: string): number {
  // ASCII, the symbols below and the ellipsis take one column each.
  if (/^[\x20-\x7e✓✗•…]*$/.test(text)) return text.length;
  // Loaded late: it takes as long as a third of the start of the program.
  const { default: stringWidth } = loadModule('string-width') as typeof import('string-width');
  return stringWidth(text);
}

const layout = Object.assign(new Help(), { displayWidth: measure, minWidthToWrap: 0 });

/** Breaks a text between words into lines of at most `width` columns, as help is. A longer word is a separate line. */
export function wrap(text: string, width: number): string[] {
  return layout.boxWrap(text, width).split('\n');
}

const symbols: Readonly<Partial<Record<Style, string>>> = { good: '✓', bad: '✗', waiting: '•' };

/** The statuses by their style. */
const statuses: Readonly<Record<'good' | 'bad' | 'waiting', string>> = {
  good: 'completed acknowledged ok found created added',
  bad: 'failed rejected refused exhausted stopped differs',
  waiting: 'pending processing queued retrying planned sending warning skipped other unknown',
};

/** Returns a status with its style, and on a terminal with a symbol. */
export function toStatus(status: string, { isTTY }: Pick<Terminal, 'isTTY'>, shown: string = status): Part {
  const style = (['good', 'bad', 'waiting'] as const).find((each) =>
    statuses[each].split(' ').includes(status),
  );
  if (style === undefined) return shown;
  return { text: isTTY ? `${symbols[style]} ${shown}` : shown, style };
}

// Control characters, line separators and characters that change the text direction.
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Escapes the characters that control a terminal, because text of a service must not. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    controls,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** A column of a table: the field to print, and its alignment. */
export interface Column {
  readonly field: string;
  readonly align?: 'right';
}

/** Formats rows as aligned lines. Columns never become narrower from one call to the next. */
export type Table = (rows: readonly object[]) => Line[];

const GAP = '  ';
/** The minimum width of wrapped text. */
const MIN_WIDTH = 12;

/** Creates a table. The first call also returns a heading. */
export function createTable(columns: readonly Column[], terminal: Terminal): Table {
  const widths = columns.map(({ field }) => measure(field));
  let heading: Part[] | undefined = columns.map(({ field }) => ({ text: field, style: 'strong' }));
  return (rows) => {
    const cells = rows.map((row) => columns.map(({ field }) => formatField(field, row, terminal)));
    for (const line of cells)
      for (const [index, cell] of line.entries())
        widths[index] = Math.max(widths[index] ?? 0, measure(toPlain(cell)));
    const lines = [...(heading === undefined ? [] : [heading]), ...cells];
    heading = undefined;
    return lines.map((line) => formatRow(line, columns, widths));
  };
}

function formatRow(cells: readonly Part[], columns: readonly Column[], widths: readonly number[]): Line {
  return cells.flatMap((cell, index): Part[] => {
    const padding = ' '.repeat((widths[index] ?? 0) - measure(toPlain(cell)));
    const isLast = index === cells.length - 1;
    const aligned = columns[index]?.align === 'right' ? [padding, cell] : [cell, isLast ? '' : padding];
    return index === 0 ? aligned : [GAP, ...aligned];
  });
}

/** A cell of a line, and the width of its column. */
export type Cell = readonly [part: Part, width: number];

/** Formats a line of fixed columns and a text. On a terminal the text continues on indented lines. */
export function toRow(cells: readonly Cell[], text: string, { width }: Terminal): Line[] {
  const start = cells.flatMap(([part, columns]): Part[] => [
    part,
    ' '.repeat(Math.max(0, columns - measure(toPlain(part)))),
    GAP,
  ]);
  const indent = start.reduce((sum, part) => sum + measure(toPlain(part)), 0);
  return indentText(start, text, indent, width);
}

/** Formats an object as one `name: value` line per field. Nested fields are `outer.inner`; lists of scalars are joined with commas. */
export function toFields(record: object, terminal: Terminal): Line[] {
  const fields = flatten(record);
  const width = Math.max(0, ...fields.map(([path]) => path.length));
  return fields.flatMap(([path, name, row]) => {
    const value = (row as Readonly<Record<string, unknown>>)[name];
    const part = isScalarList(value) ? value.map(formatCell).join(',') : formatField(name, row, terminal);
    const start: Part[] = [{ text: `${path}:`, style: 'weak' }, ' '.repeat(width - path.length), ' '];
    if (typeof part !== 'string') return [[...start, part]];
    return indentText(start, part, width + 2, terminal.width);
  });
}

function indentText(start: readonly Part[], text: string, indent: number, width?: number): Line[] {
  const [first = '', ...more] =
    width === undefined ? [text] : wrap(escapeControls(text), Math.max(width - indent, MIN_WIDTH));
  return [[...start, first], ...more.map((line) => `${' '.repeat(indent)}${line}`)];
}

/** A field of an object, or of an object in it. `row` is the object that has the field. */
type FlatField = readonly [path: string, name: string, row: object];

function flatten(row: object, prefix = ''): FlatField[] {
  return Object.entries(row).flatMap(([name, value]: [string, unknown]): FlatField[] => {
    const path = `${prefix}${name}`;
    if (typeof value !== 'object' || value === null || isScalarList(value)) return [[path, name, row]];
    return flatten(value, `${path}.`);
  });
}

/** Whether a value is a list of scalars. Options take such lists with commas too. */
function isScalarList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null);
}

/** Formats a value exactly as it was sent, with control characters escaped. Amounts are never rounded. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return escapeControls(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Formats a field for people: an amount with its currency, a status with its color. Other values stay as they were sent. */
function formatField(name: string, row: object, terminal: Terminal): Part {
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
function currencyOf(name: string, row: object): string | undefined {
  if (!Object.hasOwn(currencyFields, name)) return undefined;
  const found = currencyFields[name]?.map((field) => (row as Readonly<Record<string, unknown>>)[field]);
  return found?.find((code): code is string => typeof code === 'string' && /^[A-Za-z]{3,5}$/.test(code));
}

/**
 * Formats an amount as `1,000.00 USD`. Adds separators and the decimals of the currency, at most 2
 * (docs/contract.md#money), and rounds nothing. Text that is not a decimal number stays as it was sent.
 */
export function formatMoney(amount: unknown, currency: string): string {
  const text = formatCell(amount);
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text === '-' ? text : `${text} ${currency}`;
  const digits = { minimumFractionDigits: digitsOf(currency), maximumFractionDigits: 100 };
  return `${new Intl.NumberFormat('en', digits).format(text as `${number}`)} ${currency}`;
}

function digitsOf(currency: string): number {
  // Other codes throw.
  if (!/^[a-z]{3}$/i.test(currency)) return 2;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return Math.min(maximumFractionDigits, 2);
}

/** A logged request: its words, such as method and path, and its result. Without a response it has no status. */
interface LogEntry {
  readonly at: string;
  readonly words: readonly string[];
  readonly status: number | undefined;
  readonly ms: number;
  readonly detail?: unknown;
}

/** Formats a logged request as a line. */
export function toLogLine({ at, words, status, ms, detail }: LogEntry): readonly Part[] {
  const style = status === undefined || status >= 500 ? 'bad' : status < 400 ? 'good' : 'waiting';
  const result = { text: String(status ?? 'no response'), style } as const;
  const end = typeof detail === 'string' ? detail : '';
  return [`${[at.slice(11, 19), ...words].join('  ')}  `, result, `  ${ms} ms  ${end}`];
}

/** Formats a number of things, such as `1 payment` or `2 payments`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
