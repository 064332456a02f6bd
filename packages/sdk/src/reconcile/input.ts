import type { PaymentInput, SentFields } from '../models.ts';
import { createValidationError, parseUsage, type ReturnedFields, ServiceError } from '../errors.ts';
import { amountField, currencyField, sentFields } from '../body.ts';
import {
  type Field,
  abortSignal,
  copyOwn,
  isRecord,
  type JsonObject,
  matching,
  parseFields,
  parseTimestamp,
  pickKnown,
  wholeNumber,
} from '@service/internal';

/**
 * The body of a create and the time of its request, for reconciling without the error: `{ ...body, since }`. The name of the
 * beneficiary and the purpose are needed for the result `found`.
 */
export type SentPayment = Pick<PaymentInput, 'from_currency' | 'to_currency' | 'amount'> & {
  readonly [Name in keyof PaymentInput]?: PaymentInput[Name] | undefined;
} & {
  /** The time at which the request was sent, by the clock of the client. ISO 8601 with an offset as text. */
  readonly since: string | Date;
};

/** The options of `payments.reconcile`. */
export interface ReconcileOptions {
  /**
   * Aborts the search.
   *
   * @default none
   * @example AbortSignal.timeout(10_000)
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum difference between the clocks of client and service in milliseconds, in addition to the
   * difference measured with the `Date` headers of the service.
   *
   * @default 300_000
   * @example 60_000
   */
  readonly clockSkew?: number | undefined;
  /**
   * The ids of payments that other creates made, in addition to those in the error. For a body and a time, a payment
   * is `found` only with this option: pass `[]` if the account has no other payment of these fields.
   *
   * @default the ids in the error
   * @example ['pay_live_…']
   */
  readonly exclude?: readonly string[] | undefined;
}

/** The create whose payment is searched, and the limits of the search. */
export interface WantedPayment {
  /** The fields of the request. Without a name, the beneficiary is not known. */
  readonly fields: SentFields;
  readonly returnedFields: ReturnedFields;
  /** The time of the request in milliseconds, by the clock of the client. */
  readonly sentAt: number;
  /** The time at which the last request failed, by the same clock; `sentAt` if it is not known. */
  readonly failedAt: number;
  /** The name of the create in its error; undefined for a body and a time. */
  readonly createId: string | undefined;
  readonly clockSkew: number;
  /** The payment id in the response to the create. */
  readonly paymentId: string | undefined;
  /** The payments of other creates; undefined if nothing is known of them. */
  readonly exclude: readonly string[] | undefined;
  /** The times of other creates whose payments can look like this one. */
  readonly openCreates: readonly number[];
  readonly signal: AbortSignal | undefined;
}

/** A list of values of which each one matches a field. */
const listOf = <T>(items: string, parse: (value: unknown) => T | undefined): Field<readonly T[]> => ({
  expected: `a list of ${items}`,
  parse: (value) => {
    const parsed = Array.isArray(value) ? value.map(parse) : [undefined];
    return parsed.every((one) => one !== undefined) ? parsed : undefined;
  },
});
const ids = listOf('payment ids', (value) => (typeof value === 'string' ? value : undefined));
const optionRules = {
  signal: abortSignal,
  clockSkew: wholeNumber(Number.MAX_SAFE_INTEGER),
  exclude: ids,
} as const satisfies Record<keyof ReconcileOptions, Field>;

/** A point in time, as milliseconds. */
export const time: Field<number> = {
  expected: 'a Date or an ISO 8601 time with an offset, such as `sentAt`',
  parse: (value) => {
    const instant = value instanceof Date ? value.getTime() : parseTimestamp(value);
    return Number.isNaN(instant) ? undefined : instant;
  },
};
/** A text, or null for none. */
export const text: Field<string | null> = /* @__PURE__ */ matching(
  'a string or null',
  (value) => value === null || typeof value === 'string',
);
const createRules = {
  purpose: text,
  beneficiary_name: text,
  beneficiary_bank: text,
  beneficiary_account: text,
  beneficiary_country: text,
  from_currency: currencyField,
  to_currency: currencyField,
  amount: amountField,
  since: time,
  // Of the error of a create.
  paymentId: text,
  createId: text,
  failedAt: time,
  exclude: ids,
  openCreates: listOf('ISO 8601 times with an offset', time.parse),
  returnedFields: matching<ReturnedFields>(
    "an object of 'exact' and 'changed'",
    (value) => isRecord(value) && Object.values(value).every((one) => one === 'exact' || one === 'changed'),
  ),
} as const satisfies Record<keyof SentPayment | ErrorField, Field>;

type ErrorField = 'paymentId' | 'createId' | 'failedAt' | 'exclude' | 'openCreates' | 'returnedFields';

/**
 * Parses the arguments of `payments.reconcile`.
 *
 * @throws {ValidationError} (`not_sent`) when a field is missing, unknown or invalid.
 * @throws {ConfigurationError} when an option is unknown or invalid.
 */
export function parseReconcileInput(input: unknown, options: unknown = {}): WantedPayment {
  const checked = parseUsage('The options of reconcile', options, optionRules);
  const { clockSkew = 300_000, signal } = checked;
  const name = 'The argument of reconcile';
  const schema = { name, fields: createRules, createError: createValidationError };
  const given = parseFields(pickCreateFields(input) ?? pickKnown(input, schema), schema);
  const { from_currency, to_currency, since } = given;
  if (!from_currency || !to_currency || !given.amount || since === undefined)
    throw createValidationError(
      'reconcile requires the PaymentOutcomeUnknownError of a create, or `{ ...body, since }`.',
    );
  const exclude = checked.exclude ?? given.exclude;
  return {
    fields: Object.fromEntries(sentFields.map((field) => [field, given[field] || undefined])),
    returnedFields: given.returnedFields ?? {},
    sentAt: since,
    failedAt: Math.max(since, given.failedAt ?? 0),
    createId: given.createId || undefined,
    clockSkew,
    paymentId: given.paymentId || undefined,
    exclude: exclude && [...exclude, ...(given.exclude ?? [])],
    openCreates: given.openCreates ?? [],
    signal,
  };
}

/** Returns the fields of the error of a create, or of its JSON; undefined for any other value. */
function pickCreateFields(input: unknown): JsonObject | undefined {
  if (!isRecord(input) || (input.sentAt ?? input.failedAt) === undefined)
    // Another error has none of the fields.
    return input instanceof ServiceError ? {} : undefined;
  const { since = input.sentAt, getBody } = input;
  const sent: unknown = typeof getBody === 'function' ? getBody() : input.sent;
  return Object.assign(copyOwn(input), isRecord(sent) && copyOwn(sent), { since });
}
