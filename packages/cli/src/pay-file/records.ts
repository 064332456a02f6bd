import { Readable } from 'node:stream';
import { describeUnknown, isRecord } from '@service/internal';
import type { PaymentInput } from '@service/sdk';
import { type CsvError, parse } from 'csv-parse';
import { type LineProblem, PaymentFileError } from '../errors.ts';

/** A column of a payment file. */
export type ColumnName =
  'reference' | 'from' | 'to' | 'amount' | 'name' | 'account' | 'bank' | 'country' | 'purpose';

/** The fields of a payment request by the column of a payment file. */
export const bodyFields: Readonly<Record<Exclude<ColumnName, 'reference'>, keyof PaymentInput>> = {
  from: 'from_currency',
  to: 'to_currency',
  amount: 'amount',
  name: 'beneficiary_name',
  account: 'beneficiary_account',
  bank: 'beneficiary_bank',
  country: 'beneficiary_country',
  purpose: 'purpose',
};

const columnNames: readonly ColumnName[] = ['reference', ...(Object.keys(bodyFields) as ColumnName[])];
const requiredColumns: readonly ColumnName[] = ['reference', 'from', 'to', 'amount', 'name'];

/** A line of a payment file: the texts of its columns that are not empty, without spaces at their ends. */
export interface PaymentRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<ColumnName, string>>>;
}

/**
 * Reads CSV with a header, or one JSON object per line if the text starts with a brace. Skips empty lines. Yields the
 * problem of a line that cannot be read.
 *
 * @throws {PaymentFileError} when the header is invalid.
 */
export async function* readRecords(text: string): AsyncGenerator<PaymentRecord | LineProblem> {
  const lines = keepMarks(text).replaceAll(/\r\n?/g, '\n');
  if (/^\s*\[/.test(lines)) {
    const message =
      'a JSON array is not supported. Write one JSON object per line, without commas between them.';
    throw new PaymentFileError('The payment file is invalid.', [{ line: 1, message }]);
  }
  yield* /^\s*\{/.test(lines) ? readJsonLines(lines) : readCsv(lines);
}

async function* readCsv(text: string): AsyncGenerator<PaymentRecord | LineProblem> {
  const skipped: CsvError[] = [];
  const parser = parse({
    info: true,
    relax_column_count: true,
    trim: true,
    record_delimiter: '\n',
    // A thrown error would discard the records before it that were not read yet.
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error) skipped.push(error);
    },
  });
  let header: readonly ColumnName[] | undefined;
  let last = 0;
  for await (const row of Readable.from(splitBytes(Buffer.from(text))).pipe(
    parser,
  ) as AsyncIterable<CsvRow>) {
    const { record, info } = row;
    if (skipped[0] && info.lines >= Number(skipped[0].lines)) break;
    const line = last + 1;
    last = info.lines;
    if (record.every((cell) => cell.trim() === '')) continue;
    if (header === undefined) header = readHeader(record, line);
    else yield toRecord(record, { header, line });
  }
  if (skipped[0]) yield { line: last + 1, message: describeCsvError(skipped[0]) };
  else if (header === undefined) throw new PaymentFileError('The payment file is empty.', []);
}

interface CsvRow {
  readonly record: readonly string[];
  /** `lines` is the number of the last line of the record. */
  readonly info: { readonly lines: number };
}

/** The parser emits all records of a piece at once. */
const PIECE = 65_536;

function* splitBytes(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE) yield bytes.subarray(start, start + PIECE);
}

/** Describes an error of the parser without the text that it found, which can be an account number. */
function describeCsvError({ code }: CsvError): string {
  const problem =
    code === 'CSV_QUOTE_NOT_CLOSED'
      ? 'a double quote is not closed'
      : 'a double quote must enclose a whole field; write "" for a quote in it';
  return `${problem}. The lines after it were not read.`;
}

function readHeader(record: readonly string[], line: number): readonly ColumnName[] {
  const names = record.map((cell) => cell.trim().toLowerCase());
  const problems = new Set<string>();
  const isOtherFormat = names.length === 1 && /[;\t|]/.test(names[0] ?? '');
  const hasHeader = names.some((name) => columnNames.some((known) => known === name));
  if (isOtherFormat) problems.add('the columns must be separated by commas.');
  // The cells can be personal data.
  else if (!hasHeader) problems.add(`the names of the columns are missing: ${columnNames.join(', ')}.`);
  else {
    for (const [index, name] of names.entries()) {
      if (!columnNames.some((known) => known === name))
        problems.add(`the column ${describeUnknown(name, columnNames)} Rename or remove it.`);
      else if (names.indexOf(name) !== index) problems.add(`the column ${name} occurs twice.`);
    }
    for (const name of requiredColumns)
      if (!names.includes(name)) problems.add(`the column ${name} is missing.`);
  }
  if (problems.size === 0) return names as ColumnName[];
  const all = [...problems].map((message) => ({ line, message }));
  throw new PaymentFileError('The header of the payment file is invalid.', all);
}

function toRecord(
  record: readonly string[],
  { header, line }: { readonly header: readonly ColumnName[]; readonly line: number },
): PaymentRecord | LineProblem {
  if (record.length !== header.length) {
    const message = `it has ${record.length} columns, but the header has ${header.length}. Enclose a text with a comma in double quotes.`;
    return { line, message };
  }
  return { line, cells: toCells(header.map((name, index) => [name, record[index] ?? ''])) };
}

function toCells(entries: readonly (readonly [ColumnName, string])[]): PaymentRecord['cells'] {
  const trimmed = entries.map(([name, text]) => [name, keepMarks(text).trim()] as const);
  return Object.fromEntries(trimmed.filter(([, text]) => text !== ''));
}

/** Replaces U+FEFF, which would be removed like a space, with another invisible character. */
function keepMarks(text: string): string {
  return text.replaceAll('\uFEFF', '\u200B');
}

function* readJsonLines(text: string): Generator<PaymentRecord | LineProblem> {
  for (const [index, json] of text.split('\n').entries()) {
    if (json.trim() !== '') yield toJsonRecord(json, index + 1);
  }
}

function toJsonRecord(json: string, line: number): PaymentRecord | LineProblem {
  const value = parseWithDigits(json);
  if (!isRecord(value)) return { line, message: 'it must be one JSON object.' };
  const entries: [ColumnName, string][] = [];
  for (const [name, cell] of Object.entries(value)) {
    const column = columnNames.find((known) => known === name);
    if (column === undefined) return { line, message: `the member ${describeUnknown(name, columnNames)}` };
    if (typeof cell === 'string') entries.push([column, cell]);
    else if (cell !== null)
      return {
        line,
        message: `${column} must be a string${column === 'amount' ? ' or a number' : '; only an amount may be a number'}.`,
      };
  }
  const repeated = listMembers(json).find((name, index, names) => names.indexOf(name) !== index);
  if (repeated !== undefined) return { line, message: `the member ${repeated} occurs twice.` };
  return { line, cells: toCells(entries) };
}

/** Returns the names of the members of a valid JSON object without inner objects. A parser keeps the last of equal ones. */
function listMembers(json: string): readonly string[] {
  const strings = json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:?)/g);
  return [...strings].flatMap(([, text = '', colon]) => (colon === '' ? [] : [JSON.parse(text) as string]));
}

/** Parses JSON with an amount as its text, because a number can have more digits than a double. */
function parseWithDigits(json: string): unknown {
  try {
    return JSON.parse(json, toDigits);
  } catch {
    return undefined;
  }
}

function toDigits(name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return name === 'amount' && typeof value === 'number' ? (context?.source ?? String(value)) : value;
}
