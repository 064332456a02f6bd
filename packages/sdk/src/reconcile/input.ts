import type { PaymentInput } from '../models.ts';
import { createValidationError, parseUsage, type SentBeneficiary, ServiceError } from '../errors.ts';
import { currencyField, parseAmount } from '../body.ts';
import { listPossibleAmounts } from '../money.ts';
import {
  type Field,
  abortSignal,
  copyOwn,
  isRecord,
  type JsonObject,
  parseFields,
  parseTimestamp,
  pickKnown,
  wholeNumber,
} from '@service/internal';

/**
 * The body of a create and the time of its request, for reconciling without the error: `{ ...body, since }`.
 */
export type PaymentIntent = {
  [Name in keyof Omit<PaymentInput, 'beneficiary_name' | 'purpose'>]: PaymentInput[Name];
} & {
  /** The purpose as sent. Needed, with `beneficiary_name`, for the result `found`. */
  readonly purpose?: string | null | undefined;
  /** The name of the beneficiary as sent. Needed, with `purpose`, for the result `found`. */
  readonly beneficiary_name?: string | undefined;
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
   * The ids of payments that other creates made.
   *
   * @default []
   * @example ['pay_live_…']
   */
  readonly exclude?: readonly string[] | undefined;
}

/** The beneficiary of a create, as sent. */
type WantedBeneficiary = { readonly [Name in keyof SentBeneficiary]: SentBeneficiary[Name] | null };

/** The create whose payment is searched, and the limits of the search. */
export interface WantedPayment {
  readonly purpose: string | null;
  readonly from_currency: string;
  readonly to_currency: string;
  /** All amounts that the service may show for the sent one, in normal form. */
  readonly amounts: readonly string[];
  readonly beneficiary: WantedBeneficiary | undefined;
  /** The time of the request in milliseconds, by the clock of the client. */
  readonly sentAt: number;
  /** The time at which the last request failed, by the same clock; `sentAt` if it is not known. */
  readonly failedAt: number;
  readonly clockSkew: number;
  /** The payment id in the response to the create. */
  readonly paymentId: string | undefined;
  readonly exclude: readonly string[];
  readonly signal: AbortSignal | undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const ids: Field<readonly string[]> = {
  expected: 'a list of payment ids',
  parse: (value) => (Array.isArray(value) && value.every(isText) ? value : undefined),
};
const optionRules = {
  signal: abortSignal,
  clockSkew: wholeNumber(Number.MAX_SAFE_INTEGER),
  exclude: ids,
} as const satisfies Record<keyof ReconcileOptions, Field>;

const time: Field<number> = {
  expected: 'a Date or an ISO 8601 time with an offset, such as `sentAt`',
  parse: (value) => {
    const instant = value instanceof Date ? value.getTime() : parseTimestamp(value);
    return Number.isNaN(instant) ? undefined : instant;
  },
};
const text: Field<string | null> = {
  expected: 'a string or null',
  parse: (value) => (value === null || isText(value) ? value : undefined),
};
const amount: Field<string> = { expected: '', parse: (value) => parseAmount(value, 15) };
const beneficiaryRule: Field<SentBeneficiary> = {
  expected: 'an object with the string `name`',
  parse: (value) =>
    isRecord(value) && isText(value.name) ? (value as unknown as SentBeneficiary) : undefined,
};
const createRules = {
  purpose: text,
  from_currency: currencyField,
  to_currency: currencyField,
  amount,
  beneficiary_name: text,
  beneficiary_bank: text,
  beneficiary_account: text,
  beneficiary_country: text,
  since: time,
  // Of the error of a create.
  paymentId: text,
  beneficiary: beneficiaryRule,
  failedAt: time,
} as const satisfies Record<keyof PaymentIntent | 'paymentId' | 'beneficiary' | 'failedAt', Field>;

/**
 * Parses the arguments of `payments.reconcile`.
 *
 * @throws {ValidationError} (`not_sent`) when a field is missing, unknown or invalid.
 * @throws {ConfigurationError} when an option is unknown or invalid.
 */
export function parseReconcileInput(input: unknown, options: unknown = {}): WantedPayment {
  const checked = parseUsage('The options of reconcile', options, optionRules);
  const { clockSkew = 300_000, exclude = [], signal } = checked;
  const name = 'The argument of reconcile';
  const schema = { name, fields: createRules, createError: createValidationError };
  const given = parseFields(pickCreateFields(input) ?? pickKnown(input, schema), schema);
  const { from_currency, to_currency, since, beneficiary_name } = given;
  if (!from_currency || !to_currency || !given.amount || since === undefined)
    throw createValidationError('reconcile requires the error of a create, or `{ ...body, since }`.');
  const { beneficiary_bank: bank, beneficiary_account: account, beneficiary_country: country } = given;
  return {
    purpose: given.purpose || null,
    from_currency,
    to_currency,
    amounts: listPossibleAmounts(given.amount, from_currency),
    beneficiary:
      given.beneficiary ??
      (beneficiary_name ? { name: beneficiary_name, bank, account, country } : undefined),
    sentAt: since,
    failedAt: Math.max(since, given.failedAt ?? 0),
    clockSkew,
    paymentId: given.paymentId ?? undefined,
    exclude,
    signal,
  };
}

/** Returns the fields of the error of a create, or of its JSON; undefined for any other value. */
function pickCreateFields(input: unknown): JsonObject | undefined {
  if (!isRecord(input) || (input.sentAt ?? input.failedAt) === undefined) {
    if (!(input instanceof ServiceError)) return undefined;
    throw createValidationError(
      'reconcile requires the PaymentOutcomeUnknownError of a create, not another error.',
    );
  }
  const { since = input.sentAt, getBeneficiary } = input;
  const beneficiary: unknown = typeof getBeneficiary === 'function' ? getBeneficiary() : input.beneficiary;
  return Object.assign(copyOwn(input), { since, beneficiary });
}
