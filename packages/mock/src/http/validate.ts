import { isRecord, type IssueKind, memoize } from '@service/internal';
import { invalidFields, type Problem } from '../domain/api-error.ts';
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

/** The body of a request, the fields that were read, and their problems. */
interface RequestBody {
  readonly body: Body;
  readonly profile: Profile;
  readonly precision: Profile['amounts']['precision'];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly known: Set<string>;
  readonly problems: Map<string, Problem>;
}

/**
 * Validates the body of a quote (docs/contract.md#quotes).
 *
 * @throws {HttpError} that names every invalid field
 */
export function validateQuote(body: Body, profile: Profile): Exchange {
  const request = openBody(body, profile, profile.amounts.precision);
  const exchange = readExchange(request);
  closeBody(request);
  return exchange;
}

/**
 * Validates the body of a payment (docs/contract.md#payments).
 *
 * @throws {HttpError} that names every invalid field
 */
export function validatePayment(body: Body, profile: Profile): Order {
  const { precision } = profile.amounts;
  const request = openBody(body, profile, precision.endsWith('Quotes') ? 'reject' : precision);
  const order = {
    ...readExchange(request),
    beneficiary: {
      name: readText(request, 'beneficiary_name') ?? '',
      bank: readOptionalText(request, 'beneficiary_bank'),
      account: readOptionalText(request, 'beneficiary_account'),
      country: readOptionalText(request, 'beneficiary_country'),
    },
    purpose: readOptionalText(request, 'purpose'),
  };
  closeBody(request);
  return order;
}

function openBody(body: Body, profile: Profile, precision: RequestBody['precision']): RequestBody {
  const { value } = body;
  const problems = new Map<string, Problem>();
  if (!isRecord(value)) {
    problems.set('', { kind: 'body', text: 'must be a JSON object' });
    throw new HttpError({
      type: 'validation_error',
      message: 'The request body must be a JSON object.',
      fields: problems,
      values: { '': value },
      refusal: 'not_an_object',
    });
  }
  const { from_currency, to_currency } = value;
  const upper = { from_currency: toUpper(from_currency), to_currency: toUpper(to_currency) };
  const fields = profile.currencies.case === 'strict' ? value : { ...value, ...upper };
  return { body, profile, precision, fields, known: new Set(), problems };
}

function toUpper(code: unknown): unknown {
  return typeof code === 'string' ? code.toUpperCase() : code;
}

/** @throws {HttpError} that names every invalid field */
function closeBody({ fields, known, problems, profile }: RequestBody): void {
  if (profile.requestBody.unknownFields === 'reject')
    for (const field of Object.keys(fields))
      if (!known.has(field)) problems.set(field, { kind: 'unknown_field', text: 'is not known' });
  if (problems.size > 0) throw new HttpError(invalidFields(problems, fields));
}

/** Reads a field. Adds its problem if it is absent. */
function readField({ fields, known, problems }: RequestBody, field: string, missing: IssueKind): unknown {
  known.add(field);
  const value = fields[field];
  if (value === undefined) problems.set(field, { kind: missing, text: 'is required' });
  return value;
}

function readExchange(request: RequestBody): Exchange {
  const { problems, profile } = request;
  const from = readCurrency(request, 'from_currency');
  const to = readCurrency(request, 'to_currency');
  if (from !== undefined && to !== undefined) {
    if (from === to && profile.currencies.same === 'reject')
      problems.set('to_currency', { kind: 'currency_same', text: 'must differ from from_currency' });
    if (!hasRate(from, to, profile))
      problems.set('to_currency', { kind: 'currency_pair', text: `has no exchange rate from ${from}` });
  }
  return { from_currency: from ?? '', to_currency: to ?? '', send_amount: readAmount(request, from) };
}

function readCurrency(request: RequestBody, field: string): string | undefined {
  const value = readField(request, field, 'missing');
  if (value === undefined || isSupported(value, request.profile)) return value as string | undefined;
  const text = 'must be a supported ISO 4217 code of 3 upper-case letters';
  const ofText = /^[A-Z]{3}$/.test(String(value)) ? 'currency_unknown' : 'currency_form';
  const ofOther = value === null ? 'currency_null' : 'currency_type';
  request.problems.set(field, { kind: typeof value === 'string' ? ofText : ofOther, text });
  return undefined;
}

/** Reads a text that can be absent, null, or blank if the profile accepts that. */
function readOptionalText(request: RequestBody, field: string): string | null {
  const { known, fields, profile } = request;
  known.add(field);
  const value = fields[field] ?? null;
  const isBlank = typeof value === 'string' && value.trim() === '';
  if (isBlank && profile.texts.empty !== 'reject') return profile.texts.empty === 'absent' ? null : value;
  return value === null ? null : readText(request, field);
}

function readText(request: RequestBody, field: string): string | null {
  const value = readField(request, field, 'text_missing');
  const { limit } = request.profile.texts;
  if (value === undefined || isPaymentText(value, request.profile)) return value as string;
  const text = `must be text of 1 to ${limit} characters without control characters`;
  const kindOf = (given: string): IssueKind =>
    given.trim() === '' ? 'text_empty' : given.length > limit ? 'text_long' : 'other';
  const ofOther = value === null ? 'text_null' : 'text_type';
  request.problems.set(field, { kind: typeof value === 'string' ? kindOf(value) : ofOther, text });
  return null;
}

/** Reads the amount from its source text, because a double loses digits (docs/contract.md#money). */
function readAmount(request: RequestBody, from: string | undefined): Minor {
  const { body, problems, profile } = request;
  const { minimum, maximum, text: policy } = profile.amounts;
  const value = readField(request, 'amount', 'amount_missing');
  if (value === undefined) return 0n;
  const requirement = `must be a number from ${minimum} to ${maximum} with at most 2 decimals`;
  const text = typeof value === 'string' && policy === 'accept' ? value : readNumber(body, 'amount');
  if (text === undefined) {
    problems.set('amount', { kind: kindOfOther(value), text: requirement });
    return 0n;
  }
  const step = from === undefined ? 1n : smallestStep(from, profile.minorUnits);
  const exact = parseDecimal(text, AMOUNT_SCALE);
  const isExact = exact !== undefined && exact % step === 0n;
  const units = isExact ? exact : parseUnits(text, step, request);
  const { least, most } = limitsOf(profile.amounts);
  // 0.009 is less than 0.01, although it rounds to that.
  const isEnough = isExact || (parseDecimal(text, FINEST_SCALE) ?? 0n) >= toUnits(minimum, FINEST_SCALE);
  const isInRange = units !== undefined && isEnough && units >= least && units <= most;
  if (isInRange && units % step === 0n) return units;
  const kind = kindOfNumber(text, maximum);
  problems.set('amount', { kind, text: isInRange ? `must be a whole number in ${from}` : requirement });
  return 0n;
}

const limitsOf = memoize(({ minimum, maximum }: Profile['amounts']) => ({
  least: toUnits(minimum),
  most: toUnits(maximum),
}));

/** Returns the kind of the problem of an amount that is not a number. */
function kindOfOther(value: unknown): IssueKind {
  if (typeof value !== 'string') return value === null ? 'amount_null' : 'amount_type';
  return /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? 'amount_text' : 'amount_word';
}

/** Returns the kind of the problem of an amount that is a number. */
function kindOfNumber(text: string, maximum: string): IssueKind {
  const value = Number(text);
  if (Number.isNaN(value)) return 'amount_word';
  if (value < 0) return 'amount_negative';
  if (value === 0) return 'amount_zero';
  return value > Number(maximum) ? 'amount_large' : 'amount_precise';
}

/** Maximum number of decimals of an amount that is rounded or truncated. */
const FINEST_SCALE = 100;

/** Parses an amount in minor units. The profile rejects, rounds or truncates excess decimals. */
function parseUnits(
  text: string,
  step: Minor,
  { precision, profile: { rounding } }: RequestBody,
): Minor | undefined {
  if (precision === 'reject') return parseDecimal(text, AMOUNT_SCALE);
  const exact = parseDecimal(text, FINEST_SCALE);
  if (exact === undefined || exact < 0n) return undefined;
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
