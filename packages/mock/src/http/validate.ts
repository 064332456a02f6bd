import { isRecord, memoize } from '@service/internal';
import type { QuoteRequest } from '@service/contract';
import { invalidFields } from '../domain/api-error.ts';
import {
  divide,
  type Exchange,
  hasRate,
  isSupported,
  type Minor,
  parseDecimal,
  smallestStep,
  toUnits,
} from '../domain/money.ts';
import { AMOUNT_SCALE } from '../domain/json.ts';
import { isPaymentText, type Order } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import type { Body } from './body.ts';
import { HttpError } from './errors.ts';

/** The body of a request, its fields, and their problems. */
interface RequestBody {
  readonly body: Body;
  readonly profile: Profile;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly problems: Map<string, string>;
}

type Precision = Profile['amounts']['precision'];

const exchangeFields = ['from_currency', 'to_currency', 'amount'] satisfies (keyof QuoteRequest)[];
const textFields = [
  'beneficiary_name',
  'beneficiary_bank',
  'beneficiary_account',
  'beneficiary_country',
  'purpose',
] as const;

/**
 * Validates the body of a quote (docs/contract.md#quotes).
 *
 * @throws {HttpError} that names every invalid field
 */
export function validateQuote(body: Body, profile: Profile): Exchange {
  const { precision } = profile.amounts;
  return validateFields(body, profile, exchangeFields, (request) => readExchange(request, precision));
}

/**
 * Validates the body of a payment (docs/contract.md#payments).
 *
 * @throws {HttpError} that names every invalid field
 */
export function validatePayment(body: Body, profile: Profile): Order {
  const { precision } = profile.amounts;
  return validateFields(body, profile, [...exchangeFields, ...textFields], (request) => {
    const exchange = readExchange(request, precision.endsWith('Quotes') ? 'reject' : precision);
    const texts = readTexts(request);
    const beneficiary = {
      name: texts.beneficiary_name ?? '',
      bank: texts.beneficiary_bank,
      account: texts.beneficiary_account,
      country: texts.beneficiary_country,
    };
    return { ...exchange, beneficiary, purpose: texts.purpose };
  });
}

/** @throws {HttpError} that names every invalid field */
function validateFields<Result>(
  body: Body,
  profile: Profile,
  known: readonly string[],
  read: (request: RequestBody) => Result,
): Result {
  const { value } = body;
  const problems = new Map<string, string>();
  if (!isRecord(value)) {
    const message = 'The request body must be a JSON object.';
    throw new HttpError({ type: 'validation_error', message, refusal: 'not_an_object' });
  }
  const { from_currency, to_currency } = value;
  const upper = { from_currency: toUpper(from_currency), to_currency: toUpper(to_currency) };
  const fields = profile.currencies.case === 'strict' ? value : { ...value, ...upper };
  const result = read({ body, profile, fields, problems });
  if (profile.requestBody.unknownFields === 'reject')
    for (const field of Object.keys(fields)) if (!known.includes(field)) problems.set(field, 'is not known');
  const isUnknown = (field: string): boolean =>
    /^"[A-Z]{3}"$/.test(JSON.stringify(fields[field])) && !isSupported(fields[field], profile);
  const refusal = [...problems.keys()].every(isUnknown) ? 'unknown_currency' : 'validation';
  if (problems.size > 0) throw new HttpError({ ...invalidFields(problems), refusal });
  return result;
}

function toUpper(code: unknown): unknown {
  return typeof code === 'string' ? code.toUpperCase() : code;
}

/** Reads the currencies, and the amount from its source text, because a double loses digits (docs/contract.md#money). */
function readExchange({ body, fields, problems, profile }: RequestBody, precision: Precision): Exchange {
  const { from_currency, to_currency, amount } = fields as Readonly<Record<string, unknown>> & Exchange;
  const { minimum, maximum, text: policy } = profile.amounts;
  const text =
    typeof amount === 'string' && policy === 'accept' ? amount : (readNumber(body, 'amount') ?? '');
  for (const field of ['from_currency', 'to_currency'] as const)
    if (fields[field] === undefined) problems.set(field, 'is required');
    else if (!isSupported(fields[field], profile))
      problems.set(field, 'must be a supported ISO 4217 code of 3 upper-case letters');
  if (problems.size === 0) {
    if (from_currency === to_currency && profile.currencies.same === 'reject')
      problems.set('to_currency', 'must differ from from_currency');
    if (!hasRate(from_currency, to_currency, profile))
      problems.set('to_currency', `has no exchange rate from ${from_currency}`);
  }
  const step = problems.has('from_currency') ? 1n : smallestStep(from_currency, profile.minorUnits);
  const exact = parseDecimal(text, AMOUNT_SCALE);
  const isExact = exact !== undefined && exact % step === 0n;
  const fine = isExact ? undefined : parseDecimal(text, FINEST_SCALE);
  const isRounded = fine !== undefined && fine >= 0n && precision !== 'reject';
  const units = isRounded ? roundAmount(fine, step, precision, profile.rounding) : exact;
  const { least, most } = limitsOf(profile.amounts);
  // 0.009 is less than 0.01, although it rounds to that.
  const isEnough = isExact || (fine ?? 0n) >= toUnits(minimum, FINEST_SCALE);
  if (amount === undefined) problems.set('amount', 'is required');
  else if (units === undefined || !isEnough || units < least || units > most)
    problems.set('amount', `must be a number from ${minimum} to ${maximum} with at most 2 decimals`);
  else if (units % step !== 0n) problems.set('amount', `must be a whole number in ${from_currency}`);
  return { from_currency, to_currency, send_amount: units ?? 0n };
}

/** Reads the texts. All but the name can be absent, null, or blank if the profile accepts that. */
function readTexts({ fields, problems, profile }: RequestBody) {
  const texts: Partial<Record<string, string | null>> = {};
  const { empty, limit, number } = profile.texts;
  for (const field of textFields) {
    const isOptional = field !== 'beneficiary_name';
    const given = isOptional ? (fields[field] ?? null) : fields[field];
    const value = typeof given === 'number' && number === 'accept' ? String(given) : given;
    const isBlank = typeof value === 'string' && value.trim() === '';
    if (isOptional && (value === null || (isBlank && empty !== 'reject')))
      texts[field] = empty === 'absent' ? null : value;
    else if (isPaymentText(value, profile)) texts[field] = value;
    else if (value === undefined) problems.set(field, 'is required');
    else problems.set(field, `must be text of 1 to ${limit} characters without control characters`);
  }
  return texts as Record<(typeof textFields)[number], string | null>;
}

const limitsOf = memoize(({ minimum, maximum }: Profile['amounts']) => ({
  least: toUnits(minimum),
  most: toUnits(maximum),
}));

/** Maximum number of decimals of an amount that is rounded or truncated. */
const FINEST_SCALE = 100;

/** Rounds or truncates the excess decimals of an amount. */
function roundAmount(exact: bigint, step: Minor, precision: Precision, rounding: Profile['rounding']): Minor {
  const divisor = 10n ** BigInt(FINEST_SCALE - AMOUNT_SCALE) * step;
  const nearest = rounding === 'half_even' ? 'half_even' : 'half_up';
  return divide(exact, divisor, precision.startsWith('round') ? nearest : 'down') * step;
}

/** Matches JSON that may contain a number of 16 digits or more: a double does not keep all of them. */
const LONG_NUMBER = /[:\s]-?\d[\d.]{15}/;

/**
 * Returns a top-level number as exact decimal text, or undefined if the field is not a number. Up to 15
 * digits come from the double, more from the source text (docs/contract.md#money).
 */
export function readNumber({ text, value }: Body, field: string): string | undefined {
  const number = isRecord(value) ? value[field] : undefined;
  if (typeof number !== 'number') return undefined;
  const isLong = text !== null && LONG_NUMBER.test(text);
  return (isLong ? findSource(text, field) : undefined) ?? String(number);
}

/** Returns the source text of a number, or undefined on a runtime without source text access. */
function findSource(text: string, field: string): string | undefined {
  const sources = new Map<unknown, string | undefined>();
  const keep = function (this: unknown, key: string, value: unknown, context?: { source?: string }): unknown {
    if (key === field && typeof value === 'number') sources.set(this, context?.source);
    return value;
  };
  const root: unknown = JSON.parse(text, keep);
  return sources.get(root);
}
