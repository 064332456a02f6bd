import { ServiceError, type PaymentInput } from '@service/sdk';
import type { Payer } from '@service/sdk/intents';
import { type LineProblem, PaymentFileError } from '../errors.ts';
import { bodyFields, type ColumnName, type PaymentRecord, readRecords } from './records.ts';
import { createRunPayment, type RunPayment } from './run-payment.ts';

/** The valid payments of a file. */
export interface PaymentFile {
  readonly text: string;
  /** The payments by reference, in the order of the file. */
  readonly payments: ReadonlyMap<string, RunPayment>;
  /** The references by the texts in which two payments are similar. */
  readonly similar: ReadonlyMap<string, string>;
}

/**
 * Checks every line of a payment file.
 *
 * @param prepare Validates a reference and a body, and returns its digest.
 * @throws {PaymentFileError} with the problems of all lines.
 */
export async function checkFile(
  text: string,
  { prepare, allowSimilar }: { readonly prepare: Payer['prepare']; readonly allowSimilar: boolean },
): Promise<PaymentFile> {
  const payments = new Map<string, RunPayment>();
  const similar = new Map<string, string>();
  const problems: LineProblem[] = [];
  const findProblem = (checked: CheckedLine): string | undefined => {
    if ('message' in checked) return checked.message;
    const { reference, body } = checked;
    const first = payments.get(reference)?.line;
    if (first !== undefined) return `the reference ${reference} is also on line ${first}.`;
    payments.set(reference, createRunPayment(checked));
    const [found] = findSimilar(similar, reference, body);
    for (const key of listSimilarTexts(reference, body).keys())
      if (!similar.has(key)) similar.set(key, reference);
    if (found === undefined || allowSimilar) return undefined;
    return `it is similar to line ${payments.get(found.reference)?.line}: ${found.fields} are equal. Remove one, or pass --allow-similar to pay both.`;
  };
  for await (const checked of checkLines(text, prepare)) {
    const message = findProblem(checked);
    if (message !== undefined) problems.push({ line: checked.line, message });
  }
  if (problems.length > 0) {
    const count = new Set(problems.map(({ line }) => line)).size;
    const lines = count === 1 ? 'line' : 'lines';
    throw new PaymentFileError(`The payment file has ${count} invalid ${lines}.`, problems);
  }
  if (payments.size === 0) throw new PaymentFileError('The payment file has no payments.', []);
  return { text, payments, similar };
}

/** A line that is valid by itself, or its problem. */
type CheckedLine =
  | LineProblem
  | {
      readonly line: number;
      readonly reference: string;
      readonly digest: string;
      readonly body: PaymentInput;
    };

/** The number of lines that are checked at the same time: each digest is computed in another thread. */
const LOOKAHEAD = 64;

async function* checkLines(text: string, prepare: Payer['prepare']): AsyncGenerator<CheckedLine> {
  const checks: Promise<CheckedLine | { readonly error: unknown }>[] = [];
  const take = async (): Promise<CheckedLine[]> => {
    const checked = await checks.shift();
    if (checked && 'error' in checked) throw checked.error as Error;
    return checked ? [checked] : [];
  };
  for await (const record of readRecords(text)) {
    checks.push(checkRecord(record, prepare).catch((error: unknown) => ({ error })));
    if (checks.length >= LOOKAHEAD) yield* await take();
  }
  while (checks.length > 0) yield* await take();
}

async function checkRecord(
  record: PaymentRecord | LineProblem,
  prepare: Payer['prepare'],
): Promise<CheckedLine> {
  if ('message' in record) return record;
  const { line, cells } = record;
  const [open] = Object.entries(cells).find(([, text]) => text.includes('\n')) ?? [];
  if (open !== undefined)
    return { line, message: `${open} contains a line break. Is a double quote not closed?` };
  const body = toBody(cells);
  const reference = cells.reference ?? '';
  try {
    const { digest } = await prepare(reference, body);
    return { line, reference, digest, body };
  } catch (error) {
    return { line, message: toProblem(error) };
  }
}

/** Reads the bodies of a checked file again, because they are not kept in memory. */
export async function* readBodies(text: string): AsyncGenerator<{ reference: string; body: PaymentInput }> {
  for await (const record of readRecords(text)) {
    if (!('message' in record)) yield { reference: record.cells.reference ?? '', body: toBody(record.cells) };
  }
}

function toBody(cells: PaymentRecord['cells']): PaymentInput {
  const fields = Object.entries(bodyFields).map(([column, field]) => [field, cells[column as ColumnName]]);
  const body = Object.fromEntries(fields) as unknown as PaymentInput;
  return {
    ...body,
    from_currency: toCode(body.from_currency),
    to_currency: toCode(body.to_currency),
  };
}

function toCode(code: string | undefined): string {
  return (code ?? '').toUpperCase();
}

/** Returns the problem of a line that the client rejects, with columns in place of fields. */
function toProblem(error: unknown): string {
  if (!(error instanceof ServiceError) || error.outcome !== 'not_sent') throw error;
  return Object.entries(bodyFields).reduce(
    (text, [column, field]) => text.replaceAll(new RegExp(`\\b${field}\\b`, 'g'), column),
    error.message,
  );
}

/**
 * Returns the texts in which a payment can be equal to a similar one, with the names of their fields: amount and currencies,
 * and the reference, or purpose and name, or purpose and account. References are compared without leading zeros and
 * separators, names and accounts by letters and digits.
 */
function listSimilarTexts(reference: string, body: PaymentInput): ReadonlyMap<string, string> {
  const { amount, from_currency, to_currency, beneficiary_name, beneficiary_account, purpose } = body;
  const reason = (purpose ?? '').normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  const texts: [fields: string, text: string, purpose?: string][] = [
    ['reference', withoutZeros(toLetters(reference))],
    ['reference', toLetters(withoutZeros(reference))],
    ['purpose and name', toLetters(beneficiary_name), reason],
    ['purpose and account', toLetters(beneficiary_account), reason],
  ];
  const named = texts.filter(([, text]) => text !== '');
  return new Map(
    named.map((parts) => [
      JSON.stringify([Number(amount), from_currency, to_currency, ...parts]),
      `amount, currencies, ${parts[0]}`,
    ]),
  );
}

function withoutZeros(text: string): string {
  return text.replaceAll(/(?<!\d)0+(?=\d)/g, '');
}

/** Returns the letters and digits of a text. */
export function toLetters(text: string | null | undefined): string {
  return (text ?? '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** Returns the references of the payments that are similar to another one, and the names of the equal fields. */
export function findSimilar(
  similar: PaymentFile['similar'],
  reference: string,
  body: PaymentInput,
): readonly { readonly reference: string; readonly fields: string }[] {
  return [...listSimilarTexts(reference, body)].flatMap(([key, fields]) => {
    const found = similar.get(key);
    return found === undefined ? [] : [{ reference: found, fields }];
  });
}
