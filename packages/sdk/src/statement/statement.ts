import { abortSignal, type Field, pickKnown, wholeNumber } from '@service/internal';
import { checkId, paymentFields, prepareBody } from '../body.ts';
import type { Client } from '../client.ts';
import { createUsageError, createValidationError, parseUsage, ValidationError } from '../errors.ts';
import type { Mode } from '../models.ts';
import { normalizeDecimal } from '../comparison.ts';
import { requireAccess } from '../payments.ts';
import { text, time } from '../reconcile/input.ts';
import { type Period, readAccount } from './account.ts';
import { type Group, groupBy, pairRecords } from './pair.ts';
import type { Statement, StatementOptions, StatementRecord } from './types.ts';

/**
 * Compares the caller's records of a period with the payments of the account. Only reads: it requests the transactions
 * around the period and each payment that they or the records name. A payment without a row, such as one that was never
 * debited, is found only by its `payment_id`.
 *
 * @throws {ConfigurationError} (`not_sent`) when an option is unknown or invalid, or the first argument is no client.
 * @throws {ValidationError} (`not_sent`) when a record is invalid. The message has its index.
 * @throws {ServiceError} when a read fails.
 * @example
 * const day = { since: '2026-01-31T00:00:00Z', until: '2026-02-01T00:00:00Z' };
 * const { missing, extra, differing } = await checkStatement(client, [order], day);
 */
export async function checkStatement(
  client: Client,
  records: readonly StatementRecord[],
  options: StatementOptions,
): Promise<Statement> {
  const access = requireAccess(client, 'checkStatement');
  const period = parsePeriod(options);
  const groups = groupRecords(records, await access.getMode());
  const recordedIds = groups.flatMap(({ paymentId }) => paymentId ?? []);
  const account = await readAccount(access.search, period, recordedIds);
  return { ...pairRecords(groups, account, period), unseen: account.gaps };
}

const optionFields = {
  since: { ...time, isRequired: true },
  until: { ...time, isRequired: true },
  clockSkew: wholeNumber(Number.MAX_SAFE_INTEGER),
  signal: abortSignal,
} as const satisfies Record<keyof StatementOptions, Field>;

/** @throws {ConfigurationError} when an option is unknown, missing or invalid. */
function parsePeriod(options: unknown): Period {
  const parsed = parseUsage('The options of checkStatement', options, optionFields);
  const { since, until, clockSkew = 300_000, signal } = parsed;
  if (since >= until) throw createUsageError('`until` must be later than `since`.');
  return { since, until, clockSkew, signal };
}

const recordSchema = {
  name: 'The record',
  fields: { ...paymentFields, reference: text, payment_id: text },
  createError: createValidationError,
};

/** @throws {ValidationError} (`not_sent`) with the index of the first invalid record. */
function groupRecords(records: unknown, mode: Mode): readonly Group[] {
  if (!Array.isArray(records)) throw createValidationError('The records must be an array of objects.');
  // With the holes of the array.
  const parsed = Array.from(records, (record: unknown, index): Group => {
    try {
      const { reference, payment_id, ...body } = pickKnown(record, recordSchema);
      if (typeof (reference ?? '') !== 'string') throw createValidationError('reference must be a string.');
      const { fields } = prepareBody(body, paymentFields);
      const amount = normalizeDecimal(fields.amount ?? '');
      const paymentId = (payment_id ?? undefined) === undefined ? undefined : checkId(payment_id, mode);
      return { records: [record as StatementRecord], fields: { ...fields, amount }, paymentId };
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      throw createValidationError(`records[${index}]: ${error.message}`);
    }
  });
  const equal = groupBy(parsed, ({ fields, paymentId }) => JSON.stringify([fields, paymentId]));
  return [...equal.values()].map((same) => {
    const { fields, paymentId } = same[0] as Group;
    return { fields, paymentId, records: same.flatMap((one) => one.records) };
  });
}
