import { describeUnknown } from '@service/internal';
import type { PaymentInput } from '@service/sdk';
import { CsvError, type InfoRecord, parse } from 'csv-parse/sync';
import { type LineProblem, PaymentFileError } from '../errors.ts';

/** A column of a payment file. */
export type ColumnName =
  'reference' | 'from' | 'to' | 'amount' | 'name' | 'account' | 'bank' | 'country' | 'purpose' | 'payment_id';

/** The fields of a payment request by the column of a payment file. Both names are read. */
export const bodyFields: Readonly<
  Record<Exclude<ColumnName, 'reference' | 'payment_id'>, keyof PaymentInput>
> = {
  from: 'from_currency',
  to: 'to_currency',
  amount: 'amount',
  name: 'beneficiary_name',
  account: 'beneficiary_account',
  bank: 'beneficiary_bank',
  country: 'beneficiary_country',
  purpose: 'purpose',
};

/** The columns of a file to pay. */
const payColumns: readonly ColumnName[] = ['reference', ...(Object.keys(bodyFields) as ColumnName[])];
/** The columns of a file of payments that may exist. */
export const checkColumns: readonly ColumnName[] = [...payColumns, 'payment_id'];
const requiredColumns: readonly ColumnName[] = ['reference', 'from', 'to', 'amount', 'name'];

/** A line of a payment file: the texts of its columns that are not empty, without spaces at their ends. */
export interface PaymentRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<ColumnName, string>>>;
}

interface CsvRow {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads CSV with a header and commas (RFC 4180). Skips empty lines. Yields the problem of a line that cannot be read. A double
 * quote that does not enclose a whole field ends the rows.
 *
 * @throws {PaymentFileError} when the header is invalid.
 */
export function* readRecords(
  source: string,
  columns: readonly ColumnName[] = payColumns,
): Generator<PaymentRecord | LineProblem> {
  // A program that converts a file can add a second byte order mark.
  const text = keepMarks(source.replace(/^\uFEFF+/, '')).replaceAll(/\r\n?/g, '\n');
  if (/^\s*[[{]/.test(text)) {
    const message = 'it must be CSV with the names of the columns in its first line.';
    throw new PaymentFileError('The payment file is invalid.', [{ line: 1, message }]);
  }
  const rows: CsvRow[] = [];
  let line = 1;
  let problem: LineProblem | undefined;
  const onRecord = (cells: string[], { lines }: InfoRecord): null => {
    rows.push({ line, cells });
    line = lines + 1;
    return null;
  };
  try {
    parse(text, { trim: true, relax_column_count: true, record_delimiter: '\n', on_record: onRecord });
  } catch (error) {
    // The message of the parser has the text of the field, which can be an account number.
    const isOpen = error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED';
    const message = isOpen
      ? 'a double quote is not closed.'
      : 'a double quote must enclose a whole field; write "" for a quote in it.';
    problem = { line, message: `${message} The lines after it were not read.` };
  }
  const [header, ...records] = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (header !== undefined) {
    const names = readHeader(header, columns);
    for (const row of records) yield toRecord(row, names);
  } else if (problem === undefined) throw new PaymentFileError('The payment file is empty.');
  if (problem !== undefined) yield problem;
}

/** Returns the columns of a header. A comma at the end is no column. */
function readHeader({ cells, line }: CsvRow, columnNames: readonly ColumnName[]): readonly ColumnName[] {
  const texts = withoutEmptyEnd(cells, 0).map((cell) => cell.trim().toLowerCase());
  const names = texts.map((text) => findColumn(text, columnNames) ?? text);
  const problems = new Set<string>();
  const isKnown = (name: string): boolean => columnNames.some((known) => known === name);
  if (names.length === 1 && /[;\t|]/.test(names[0] ?? ''))
    problems.add('the columns must be separated by commas.');
  // The cells can be personal data.
  else if (!names.some(isKnown))
    problems.add(`the names of the columns are missing: ${columnNames.join(', ')}.`);
  else {
    for (const [index, name] of names.entries()) {
      if (!isKnown(name))
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

/** Returns the column of a name: its own, or that of its field in the API. */
function findColumn(name: string, columns: readonly ColumnName[]): ColumnName | undefined {
  const fields: Readonly<Partial<Record<ColumnName, string>>> = bodyFields;
  return columns.find((column) => column === name || fields[column] === name);
}

function toRecord({ cells, line }: CsvRow, header: readonly ColumnName[]): PaymentRecord | LineProblem {
  const { length } = withoutEmptyEnd(cells, header.length);
  if (length === header.length) {
    const texts = header.map((name, index) => [name, keepMarks(cells[index] ?? '').trim()] as const);
    return { line, cells: Object.fromEntries(texts.filter(([, text]) => text !== '')) };
  }
  const message = `it has ${length} columns, but the header has ${header.length}. Enclose a text with a comma in double quotes.`;
  return { line, message };
}

/** Removes the empty cells at the end of a row that has more than `least`: a spreadsheet writes commas for them. */
function withoutEmptyEnd(cells: readonly string[], least: number): readonly string[] {
  const end = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  return cells.length > least ? cells.slice(0, Math.max(end, least)) : cells;
}

/** Replaces U+FEFF, which would be removed like a space, with another invisible character. */
function keepMarks(text: string): string {
  return text.replaceAll('\uFEFF', '\u200B');
}
