import { parseRecord } from '@service/internal';
import type { PaymentInput } from '@service/sdk';
import type { Intent, IntentStore } from '@service/sdk/intents';
import { type LineProblem, PaymentFileError, UsageError } from '../errors.ts';
import { type PaymentFile, readBodies, toAlikeText } from './check-file.ts';
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
 * @throws {PaymentFileError} when a line differs from its intent, or is like a payment that is no longer in the file.
 * @throws {UsageError} when the store has other payments that a run would send.
 */
export async function compareStore(file: PaymentFile, options: StoreComparison): Promise<void> {
  const { store, name, allowSimilar } = options;
  const changed = new Map<string, Intent>();
  const removed: string[] = [];
  const alike: [reference: string, earlier: string][] = [];
  for await (const intent of listIntents(store)) {
    const payment = file.payments.get(intent.reference);
    if (payment) {
      applyIntent(payment, intent);
      if (payment.digest !== intent.digest) changed.set(intent.reference, intent);
    } else if (intent.state === 'created') {
      const twin = file.alike.get(toAlikeText(readBody(intent) as unknown as PaymentInput));
      if (twin !== undefined) alike.push([twin, intent.reference]);
    } else if (intent.state !== 'rejected' && intent.state !== 'abandoned') removed.push(intent.reference);
  }
  if (removed.length > 0) throw createRemovedError(removed, name);
  const problems = await findChanges(file, changed);
  for (const [reference, earlier] of allowSimilar ? [] : alike) {
    const payment = file.payments.get(reference);
    if (payment === undefined || isFinal(payment)) continue;
    const message = `it has the amount, currencies, beneficiary and purpose of ${earlier}, which was paid and is no longer in the file. Restore its reference, or pass --allow-similar to pay both.`;
    problems.push({ line: payment.line ?? 0, message });
  }
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

function readBody({ body }: Intent): Readonly<Record<string, unknown>> {
  return (body === undefined ? undefined : parseRecord(body)) ?? {};
}

/** Finds the fields in which lines differ from their intents. */
async function findChanges(
  { text, payments }: PaymentFile,
  changed: ReadonlyMap<string, Intent>,
): Promise<LineProblem[]> {
  const problems: LineProblem[] = [];
  if (changed.size === 0) return problems;
  for await (const { reference, body } of readBodies(text)) {
    const intent = changed.get(reference);
    if (intent === undefined) continue;
    const recorded = readBody(intent);
    const columns = Object.entries(bodyFields).filter(
      ([, field]) => toComparable(field, body[field]) !== toComparable(field, recorded[field]),
    );
    const fields = columns.length === 0 ? 'a field' : columns.map(([column]) => column).join(', ');
    const message = `${reference} was recorded as ${intent.state} with another value of ${fields}. Restore the line, or give another payment a new reference.`;
    problems.push({ line: payments.get(reference)?.line ?? 0, message });
  }
  return problems;
}

function toComparable(field: string, value: unknown): string {
  return field === 'amount' ? String(Number(value)) : JSON.stringify(value ?? '');
}
