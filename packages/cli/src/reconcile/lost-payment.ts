import { isRecord, type JsonObject, parseIsoTime, parseRecord } from '@service/internal';
import type { PaymentTrace } from '@service/sdk';
import { UsageError } from '../errors.ts';
import { quoteForShell } from '../output.ts';

/**
 * Reads the `PaymentOutcomeUnknownError` document that `pay --json` printed.
 *
 * @throws {UsageError} when the text has no such error, or a field of it is missing or invalid.
 */
export function readLostPayment(text: string, source: string): PaymentTrace {
  const error = readError(text, source);
  const createFieldError = (field: string, expected: string): UsageError =>
    new UsageError(`${source}: error.${field} must be ${expected}, as pay --json printed it. ${ALTERNATIVE}`);
  const readText = (field: string, expected: string): string => {
    const value = error[field];
    if (typeof value === 'string' && value.trim() !== '') return value;
    throw createFieldError(field, expected);
  };
  const { purpose, paymentId } = error;
  if (purpose !== null && typeof purpose !== 'string') throw createFieldError('purpose', 'text or null');
  if (paymentId !== undefined && typeof paymentId !== 'string') throw createFieldError('paymentId', 'text');
  const sentAt = readText('sentAt', EXPECTED_TIME);
  if (Number.isNaN(parseIsoTime(sentAt))) throw createFieldError('sentAt', EXPECTED_TIME);
  return {
    phase: 'waiting',
    sentAt,
    failedAt: sentAt,
    reference: undefined,
    idempotencyKey: undefined,
    paymentId,
    amount: readText('amount', "an amount such as '100.00'"),
    from_currency: readText('from_currency', "a currency such as 'USD'"),
    to_currency: readText('to_currency', "a currency such as 'EUR'"),
    purpose,
  };
}

const EXPECTED_TIME = 'a time such as 2026-01-31T12:00:00Z';
const ALTERNATIVE = 'Without the file, pass FROM TO AMOUNT and --since TIME to payment reconcile.';

function readError(text: string, source: string): JsonObject {
  if (text.trim() === '')
    throw new UsageError(
      `${source} is empty: pay was ended before it printed a result. The payment may exist. ${ALTERNATIVE}`,
    );
  const document = parseLast(text);
  if (document === undefined)
    throw new UsageError(`${source} is not a JSON object. ${EXPECTED_DOCUMENT} ${ALTERNATIVE}`);
  const { error } = document;
  if (!isRecord(error))
    throw new UsageError(
      `${source} has no error${formatFoundPayment(document)}, so there is nothing to reconcile.`,
    );
  if (error.name === 'PaymentOutcomeUnknownError') return error;
  throw new UsageError(explainOtherError(error, source));
}

const EXPECTED_DOCUMENT =
  'It must be the output of `pay --json`: { "error": { "name": "PaymentOutcomeUnknownError", … } }.';

function explainOtherError({ name, id, outcome }: JsonObject, source: string): string {
  if (name === 'PaymentExistsError')
    return `${source}: the payment exists. Retrieve it with:\n  service-cli payment get ${quoteForShell(String(id))}`;
  const found = name === undefined ? 'an error without a name' : `the error ${JSON.stringify(name)}`;
  if (outcome === 'rejected' || outcome === 'not_sent')
    return `${source} has ${found} with the outcome ${outcome}, so there is nothing to reconcile.`;
  return `${source} has ${found}. ${EXPECTED_DOCUMENT}`;
}

function formatFoundPayment({ id }: JsonObject): string {
  return typeof id === 'string' ? ` but the payment ${id}` : '';
}

/** Parses the text, or its last line if it has one document per line: the last document is the result. */
function parseLast(text: string): JsonObject | undefined {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return parseRecord(text) ?? parseRecord(last);
}
