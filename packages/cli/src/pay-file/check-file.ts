import { type PaymentInput, ServiceError } from '@service/sdk';
import type { IntentStore, Payer } from '@service/sdk/payer';
import { type LineProblem, PaymentFileError, UsageError } from '../errors.ts';
import { findDamage } from '../spreadsheet.ts';
import { formatCount } from '../terminal.ts';
import { bodyFields, type ColumnName, type PaymentRecord, readRecords } from './records.ts';
import { applyIntent, isFinal, readBody, type RunPayment } from './run-payment.ts';
import { listIntents } from './store.ts';

/** The valid payments of a file. */
export interface PaymentFile {
  /** The payments by reference, in the order of the file. */
  readonly payments: ReadonlyMap<string, RunPayment>;
  /** The references by the texts in which two payments are similar. */
  readonly similar: ReadonlyMap<string, string>;
}

/** The number of lines that are checked at the same time: each digest is computed in another thread. */
const GROUP = 64;

interface CheckOptions {
  /** Validates a reference and a body, and returns its digest. */
  readonly prepare: Payer['prepare'];
  readonly allowSimilar: boolean;
  readonly signal: AbortSignal;
  /** @default the columns of a file to pay */
  readonly columns?: readonly ColumnName[] | undefined;
}

/**
 * Checks every line of a payment file.
 *
 * @throws {PaymentFileError} with the problems of all lines.
 * @throws {UsageError} when the run is interrupted.
 */
export async function checkFile(
  text: string,
  { prepare, allowSimilar, signal, columns }: CheckOptions,
): Promise<PaymentFile> {
  const payments = new Map<string, RunPayment>();
  const similar = new Map<string, string>();
  const problems: LineProblem[] = [];
  const findProblem = (payment: RunPayment): string | undefined => {
    const { reference, body } = payment;
    const first = payments.get(reference)?.line;
    if (first !== undefined) return `the reference ${reference} is also on line ${first}.`;
    payments.set(reference, payment);
    const [found] = findSimilar(similar, payment.reference, body);
    for (const key of listSimilarTexts(reference, body).keys())
      if (!similar.has(key)) similar.set(key, reference);
    if (found === undefined || allowSimilar) return undefined;
    return `it is similar to line ${payments.get(found.reference)?.line}: ${found.fields} are equal. Remove one, or pass --allow-similar to pay both.`;
  };
  const records = [...readRecords(text, columns)];
  for (let start = 0; start < records.length; start += GROUP) {
    if (signal.aborted) throw new UsageError('Interrupted. Nothing was sent.');
    const group = records.slice(start, start + GROUP).map((record) => checkRecord(record, prepare));
    for (const checked of await Promise.all(group)) {
      const message = 'message' in checked ? checked.message : findProblem(checked);
      if (message !== undefined) problems.push({ line: checked.line ?? 0, message });
    }
  }
  if (problems.length > 0) {
    const count = new Set(problems.map(({ line }) => line)).size;
    throw new PaymentFileError(`The payment file has ${formatCount(count, 'invalid line')}.`, problems);
  }
  if (payments.size === 0) throw new PaymentFileError('The payment file has no payments.');
  return { payments, similar };
}

async function checkRecord(
  record: PaymentRecord | LineProblem,
  prepare: Payer['prepare'],
): Promise<RunPayment | LineProblem> {
  if ('message' in record) return record;
  const { line, cells } = record;
  const [open] = Object.entries(cells).find(([, text]) => text.includes('\n')) ?? [];
  if (open !== undefined)
    return { line, message: `${open} contains a line break. Is a double quote not closed?` };
  const damage = findDamage(cells);
  if (damage !== undefined) return { line, message: damage };
  const fields = Object.entries(bodyFields).map(([column, field]) => [field, cells[column as ColumnName]]);
  const body = Object.fromEntries(fields) as unknown as PaymentInput;
  Object.assign(body, {
    from_currency: (cells.from ?? '').toUpperCase(),
    to_currency: (cells.to ?? '').toUpperCase(),
  });
  const reference = cells.reference ?? '';
  try {
    const { digest } = await prepare(reference, body);
    return { line, reference, digest, body, state: 'new', paymentId: cells.payment_id };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.outcome !== 'not_sent') throw error;
    // With columns in place of fields.
    const message = Object.entries(bodyFields).reduce(
      (text, [column, field]) => text.replaceAll(new RegExp(`\\b${field}\\b`, 'g'), column),
      error.message,
    );
    return { line, message };
  }
}

/**
 * Returns the texts in which a payment can be equal to a similar one, with the names of their fields: amount and currencies,
 * and the reference, or purpose and name, or purpose and account. All are compared by letters and digits, references also
 * without leading zeros.
 */
function listSimilarTexts(reference: string, body: PaymentInput): ReadonlyMap<string, string> {
  const { amount, from_currency, to_currency, beneficiary_name, beneficiary_account, purpose } = body;
  // Digits that are apart stay apart: 1/11 and 11/1 are two months.
  const groups = (purpose ?? '').split(/(?<=\p{N})[^\p{L}\p{M}\p{N}]+(?=\p{N})/u);
  const reason = groups.map(toLetters).join(' ');
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

/** Accents, invisible characters, and all others besides letters and digits. */
const OTHERS = /[\u02B0-\u036F]|\p{Default_Ignorable_Code_Point}|[^\p{L}\p{M}\p{N}]/gu;

/** Returns the letters and digits of a text in capitals. A capital ß becomes a small one first, which becomes SS. */
function toLetters(text: string | null | undefined): string {
  return (text ?? '').normalize('NFKD').toLowerCase().toUpperCase().replaceAll(OTHERS, '');
}

/** Returns the references of the payments that are similar to another one, and the names of the equal fields. */
function findSimilar(
  similar: PaymentFile['similar'],
  reference: string,
  body: PaymentInput,
): readonly { readonly reference: string; readonly fields: string }[] {
  return [...listSimilarTexts(reference, body)].flatMap(([key, fields]) => {
    const found = similar.get(key);
    return found === undefined ? [] : [{ reference: found, fields }];
  });
}

/** Maximum number of references in a message. */
const MAX_SHOWN = 10;

/**
 * Sets the states of the payments of a file to those of their intents.
 *
 * @param name The name of the store in messages.
 * @throws {PaymentFileError} when a line differs from its intent, or is similar to a payment that is no longer in the file.
 * @throws {UsageError} when the store has other payments that a run would send.
 */
export async function compareStore(
  { payments, similar }: PaymentFile,
  store: IntentStore,
  name: string,
  allowSimilar: boolean,
): Promise<void> {
  const removed: string[] = [];
  const changes: { readonly payment: RunPayment; readonly message: string }[] = [];
  const earlier = new Map<RunPayment, string>();
  for await (const intent of listIntents(store)) {
    const { reference, state } = intent;
    const payment = payments.get(reference);
    if (payment !== undefined) {
      applyIntent(payment, intent);
      if (payment.digest === intent.digest) continue;
      const fields = listDifferences(payment.body, readBody(intent)).join(', ') || 'a field';
      const message = `${reference} was recorded as ${state} with another value of ${fields}. Restore the line, or give another payment a new reference.`;
      changes.push({ payment, message });
    } else if (state === 'created' && !allowSimilar) {
      for (const found of findSimilar(similar, reference, readBody(intent)).toReversed()) {
        const other = payments.get(found.reference);
        if (other === undefined) continue;
        const different = ['reference', ...listDifferences(other.body, readBody(intent))].join(', ');
        const message = `it is similar to ${reference}, which was paid and is no longer in the file: ${found.fields} are equal; as written, ${different} differ. Restore the paid line, or pass --allow-similar to pay both.`;
        earlier.set(other, message);
      }
    } else if (!['created', 'rejected', 'abandoned'].includes(state)) removed.push(reference);
  }
  if (removed.length > 0) {
    const shown = removed.slice(0, MAX_SHOWN).join(', ');
    const more = removed.length > MAX_SHOWN ? ` and ${removed.length - MAX_SHOWN} more` : '';
    const toCancel = 'cancel them with --resolve REFERENCE=never-made';
    // Another store would pay the lines again that this one has.
    const isOther = [...payments.values()].every(({ version }) => version === undefined);
    const advice = isOther ? `, ${toCancel}, or use another --store` : `, or ${toCancel}`;
    throw new UsageError(
      `The store ${name} has unfinished payments that are not in the file: ${shown}${more}. Nothing was sent. Restore their lines${advice}.`,
    );
  }
  for (const [payment, message] of earlier) if (!isFinal(payment)) changes.push({ payment, message });
  const problems = changes.map(({ payment: { line = 0 }, message }) => ({ line, message }));
  if (problems.length > 0)
    throw new PaymentFileError(
      'The payment file does not match the payments that were recorded before.',
      problems,
    );
}

/** Returns the columns in which two bodies differ. */
function listDifferences(one: PaymentInput, other: PaymentInput): string[] {
  return Object.entries(bodyFields)
    .filter(([, field]) => toComparable(field, one[field]) !== toComparable(field, other[field]))
    .map(([column]) => column);
}

function toComparable(field: string, value: unknown): string {
  return field === 'amount' ? String(Number(value)) : JSON.stringify(value ?? '');
}
