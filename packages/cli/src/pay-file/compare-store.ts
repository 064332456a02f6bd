import { parseRecord } from '@service/internal';
import type { PaymentInput } from '@service/sdk';
import type { Intent, IntentStore } from '@service/sdk/intents';
import { type LineProblem, PaymentFileError, UsageError } from '../errors.ts';
import { findSimilar, type PaymentFile, readBodies, toLetters } from './check-file.ts';
import { bodyFields } from './records.ts';
import { applyIntent, isFinal } from './run-payment.ts';
import { listIntents } from './store.ts';

/** Maximum number of references in a message. */
const MAX_SHOWN = 10;

/** The store of a run, and its name in messages. */
interface StoreComparison {
  readonly store: IntentStore;
  readonly name: string;
  readonly allowSimilar: boolean;
}

/**
 * Sets the states of the payments of a file to those of their intents.
 *
 * @throws {PaymentFileError} when a line differs from its intent, or is similar to a payment that is no longer in the file.
 * @throws {UsageError} when the store has other payments that a run would send.
 */
export async function compareStore(file: PaymentFile, options: StoreComparison): Promise<void> {
  const { store, name, allowSimilar } = options;
  const changed = new Map<string, Intent>();
  const removed: string[] = [];
  const similar = new Map<string, SimilarPayment>();
  for await (const intent of listIntents(store)) {
    const payment = file.payments.get(intent.reference);
    if (payment) {
      applyIntent(payment, intent);
      if (payment.digest !== intent.digest) changed.set(intent.reference, intent);
    } else if (intent.state === 'created') {
      const found = allowSimilar ? [] : findSimilar(file.similar, intent.reference, readBody(intent));
      for (const { reference, fields } of found.toReversed()) similar.set(reference, { intent, fields });
    } else if (intent.state !== 'rejected' && intent.state !== 'abandoned') removed.push(intent.reference);
  }
  if (removed.length > 0) throw createRemovedError(removed, name);
  const problems = await findChanges(file, changed, similar);
  if (problems.length > 0)
    throw new PaymentFileError(
      'The payment file does not match the payments that were recorded before.',
      problems,
    );
}

function createRemovedError(references: readonly string[], name: string): UsageError {
  const shown = references.slice(0, MAX_SHOWN).join(', ');
  const more = references.length > MAX_SHOWN ? ` and ${references.length - MAX_SHOWN} more` : '';
  return new UsageError(
    `The store ${name} has unfinished payments that are not in the file: ${shown}${more}. Nothing was sent. Restore their lines, cancel them with --resolve REFERENCE=never-made, or use another --store.`,
  );
}

function readBody({ body }: Intent): PaymentInput {
  return ((body === undefined ? undefined : parseRecord(body)) ?? {}) as unknown as PaymentInput;
}

/** A created payment that is similar to a line, and the names of the equal fields. */
interface SimilarPayment {
  readonly intent: Intent;
  readonly fields: string;
}

/** Finds the fields in which lines differ from their intents, and the new lines that are similar to created payments. */
async function findChanges(
  { text, payments }: PaymentFile,
  changed: ReadonlyMap<string, Intent>,
  similar: ReadonlyMap<string, SimilarPayment>,
): Promise<LineProblem[]> {
  const problems: LineProblem[] = [];
  if (changed.size + similar.size === 0) return problems;
  for await (const { reference, body } of readBodies(text)) {
    const payment = payments.get(reference);
    const earlier = similar.get(reference);
    if (earlier !== undefined && payment !== undefined && !isFinal(payment))
      problems.push({ line: payment.line ?? 0, message: describeSimilar(reference, body, earlier) });
    const intent = changed.get(reference);
    if (intent === undefined) continue;
    const recorded = readBody(intent);
    const columns = Object.entries(bodyFields).filter(
      ([, field]) => toComparable(field, body[field]) !== toComparable(field, recorded[field]),
    );
    const fields = columns.length === 0 ? 'a field' : columns.map(([column]) => column).join(', ');
    const message = `${reference} was recorded as ${intent.state} with another value of ${fields}. Restore the line, or give another payment a new reference.`;
    problems.push({ line: payment?.line ?? 0, message });
  }
  return problems;
}

function toComparable(field: string, value: unknown): string {
  return field === 'amount' ? String(Number(value)) : JSON.stringify(value ?? '');
}

/** Shows a line and a created payment side by side. The name is left out, and of an account the end is shown. */
function describeSimilar(reference: string, body: PaymentInput, { intent, fields }: SimilarPayment): string {
  const paid = readBody(intent);
  const rows = [
    ['in the file:', ...toRow(reference, body)],
    ['paid before:', ...toRow(intent.reference, paid)],
  ];
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const others = Object.entries(bodyFields).filter(
    ([, field]) => toComparable(field, body[field]) !== toComparable(field, paid[field]),
  );
  const columns = ['reference', ...others.map(([column]) => column)].join(', ');
  return [
    `it is similar to ${intent.reference}, which was paid and is no longer in the file: ${fields} are equal. Restore the paid line, or pass --allow-similar to pay both.`,
    ...[...lines, `different:    ${columns}`].map((line) => `    ${line}`),
  ].join('\n');
}

function toRow(reference: string, body: PaymentInput): string[] {
  const { amount, from_currency, to_currency, beneficiary_account, purpose } = body;
  const account = toLetters(beneficiary_account).toUpperCase();
  return [
    reference,
    `${amount} ${from_currency} to ${to_currency}`,
    account === '' ? 'no account' : `account …${account.length > 8 ? account.slice(-4) : ''}`,
    purpose ?? 'no purpose',
  ];
}
