import type { PaymentTrace } from '@service/sdk';
import { type Fields, isObject, parseObject } from './json.ts';
import { parseTime } from './parse.ts';
import { UsageError } from './usage-error.ts';

/**
 * Reads what `pay --json` printed when it did not learn what became of its payment.
 *
 * @throws UsageError for anything else: no error of that name, a field that is missing or not as documented.
 */
export function readLostPayment(text: string, source: string): PaymentTrace {
  const error = readError(text, source);
  const refuse = (field: string, what: string): UsageError =>
    new UsageError(`${source}: error.${field} must be ${what}, as pay --json wrote it. ${byHand}`);
  const readText = (field: string, what: string): string => {
    const value = error[field];
    if (typeof value === 'string' && value.trim() !== '') return value;
    throw refuse(field, what);
  };
  const { purpose, salvagedId } = error;
  if (purpose !== null && typeof purpose !== 'string') throw refuse('purpose', 'text or null');
  if (salvagedId !== undefined && typeof salvagedId !== 'string') throw refuse('salvagedId', 'text');
  const sentAt = readText('sentAt', aTime);
  if (!isTime(sentAt)) throw refuse('sentAt', aTime);
  return {
    phase: 'waiting',
    sentAt,
    failedAt: sentAt,
    reference: undefined,
    idempotencyKey: undefined,
    salvagedId,
    amount: readText('amount', "an amount such as '100.00'"),
    from_currency: readText('from_currency', "a currency such as 'USD'"),
    to_currency: readText('to_currency', "a currency such as 'EUR'"),
    purpose,
  };
}

const aTime = 'a time such as 2026-01-31T12:00:00Z';
const byHand = 'Without it: service-cli payment reconcile FROM TO AMOUNT --since TIME.';

function isTime(text: string): boolean {
  try {
    return !Number.isNaN(parseTime(text).getTime());
  } catch {
    return false;
  }
}

function readError(text: string, source: string): Fields {
  if (text.trim() === '')
    throw new UsageError(
      `${source} is empty: pay was ended before it could say what became of its payment, which may exist. ${byHand}`,
    );
  const document = parseLast(text);
  if (document === undefined) throw new UsageError(`${source} holds no JSON object. ${expected} ${byHand}`);
  const { error } = document;
  if (!isObject(error))
    throw new UsageError(`${source} holds no error${nameFound(document)}, so nothing is in doubt there.`);
  if (error.name === 'PaymentOutcomeUnknownError') return error;
  throw new UsageError(describeOther(error, source));
}

const expected =
  'It must be what `pay --json` printed: { "error": { "name": "PaymentOutcomeUnknownError", … } }.';

function describeOther({ name, id, outcome }: Fields, source: string): string {
  if (name === 'PaymentExistsError')
    return `${source} says that the payment exists; look at it with: service-cli payment get ${String(id)}.`;
  const meaning =
    outcome === 'rejected' || outcome === 'not_sent'
      ? ` (outcome: ${outcome}), which says itself what became of the request`
      : '';
  return `${source} holds a ${JSON.stringify(name) ?? 'nameless error'}${meaning}. ${expected}`;
}

function nameFound({ id }: Fields): string {
  return typeof id === 'string' ? ` but the payment ${id}` : '';
}

/** Parses the text, or where it is one document a line, the last of them, which tells how the run ended. */
function parseLast(text: string): Fields | undefined {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return parseObject(text) ?? parseObject(last);
}
