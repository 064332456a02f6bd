import { isRecord, type IssueKind, memoize } from '@service/internal';
import type { PaymentRequest, QuoteRequest } from '@service/contract';
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

/** A field, and its requirement as the error message names it. */
interface FieldRule {
  readonly requirement: (profile: Profile) => string;
  readonly accepts: (value: unknown, profile: Profile) => boolean;
  /** Returns the kind of the problem of a value that is not accepted. */
  readonly kindOf: (value: unknown, profile: Profile) => IssueKind;
  /** The kind of the problem of an absent field. */
  readonly missing: IssueKind;
  /** Accepts an absent field, null, and blank text if the profile does. */
  readonly isOptional?: true;
}

const currencyRule: FieldRule = {
  requirement: () => 'must be a supported ISO 4217 code of 3 upper-case letters',
  accepts: isSupported,
  kindOf: (value) =>
    value === null
      ? 'currency_null'
      : typeof value !== 'string'
        ? 'currency_type'
        : /^[A-Z]{3}$/.test(value)
          ? 'currency_unknown'
          : 'currency_form',
  missing: 'missing',
};
const amountRule: FieldRule = {
  requirement: ({ amounts: { minimum, maximum } }) =>
    `must be a number from ${minimum} to ${maximum} with at most 2 decimals`,
  // `readAmount` checks the digits in the source text.
  accepts: (value, { amounts }) =>
    typeof value === 'number' || (typeof value === 'string' && amounts.text === 'accept'),
  kindOf: (value) => {
    if (typeof value === 'string')
      return /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? 'amount_text' : 'amount_word';
    return value === null ? 'amount_null' : 'amount_type';
  },
  missing: 'amount_missing',
};
const textRule: FieldRule = {
  requirement: ({ texts: { limit } }) =>
    `must be text of 1 to ${limit} characters without control characters`,
  accepts: isPaymentText,
  kindOf: (value, { texts }) => {
    if (typeof value !== 'string') return value === null ? 'text_null' : 'text_type';
    return isBlank(value) ? 'text_empty' : value.length > texts.limit ? 'text_long' : 'other';
  },
  missing: 'text_missing',
};
const optionalTextRule: FieldRule = { ...textRule, isOptional: true };

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

type Rules = readonly (readonly [field: string, rule: FieldRule])[];

const quoteRules: Rules = Object.entries({
  from_currency: currencyRule,
  to_currency: currencyRule,
  amount: amountRule,
} satisfies Record<keyof QuoteRequest, FieldRule>);

const paymentRules: Rules = Object.entries({
  from_currency: currencyRule,
  to_currency: currencyRule,
  amount: amountRule,
  beneficiary_name: textRule,
  beneficiary_bank: optionalTextRule,
  beneficiary_account: optionalTextRule,
  beneficiary_country: optionalTextRule,
  purpose: optionalTextRule,
} satisfies Record<keyof PaymentRequest, FieldRule>);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Validates the body of a quote (docs/contract.md#quotes).
 *
 * @throws {HttpError} that names every invalid field
 */
export function validateQuote(body: Body, profile: Profile): Exchange {
  const { fields, send_amount } = readRequest(quoteRules, body, profile);
  const request = fields as QuoteRequest;
  return { from_currency: request.from_currency, to_currency: request.to_currency, send_amount };
}

/**
 * Validates the body of a payment (docs/contract.md#payments).
 *
 * @throws {HttpError} that names every invalid field
 */
export function validatePayment(body: Body, profile: Profile): Order {
  const isStrict = profile.amounts.precision.endsWith('Quotes');
  const { fields, send_amount } = readRequest(
    paymentRules,
    body,
    isStrict ? { ...profile, amounts: { ...profile.amounts, precision: 'reject' } } : profile,
  );
  const request = fields as PaymentRequest;
  const readText = (text: string | null | undefined): string | null =>
    text === undefined || text === null || (isBlank(text) && profile.texts.empty === 'absent') ? null : text;
  return {
    from_currency: request.from_currency,
    to_currency: request.to_currency,
    send_amount,
    beneficiary: {
      name: request.beneficiary_name,
      bank: readText(request.beneficiary_bank),
      account: readText(request.beneficiary_account),
      country: readText(request.beneficiary_country),
    },
    purpose: readText(request.purpose),
  };
}

/** Validates each field in order, with the currency pair and the digits of the amount. */
function readRequest(rules: Rules, body: Body, profile: Profile): { fields: Fields; send_amount: Minor } {
  const fields = normaliseCurrencies(requireObject(body.value), profile);
  const [from, to] = [String(fields.from_currency), String(fields.to_currency)];
  const problems = new Map<string, Problem>();
  let send_amount = 0n;
  for (const [field, rule] of rules) {
    const { requirement, accepts, kindOf, missing, isOptional = false } = rule;
    const value = fields[field];
    if (isOptional && (value === undefined || value === null)) continue;
    const hasFrom = !problems.has('from_currency');
    if (!accepts(value, profile)) {
      if (isOptional && profile.texts.empty !== 'reject' && isBlank(value)) continue;
      const isMissing = value === undefined;
      problems.set(
        field,
        isMissing
          ? { kind: missing, text: 'is required' }
          : { kind: kindOf(value, profile), text: requirement(profile) },
      );
    } else if (field === 'to_currency' && hasFrom) {
      if (from === to && profile.currencies.same === 'reject')
        problems.set(field, { kind: 'currency_same', text: 'must differ from from_currency' });
      if (!hasRate(from, to, profile))
        problems.set(field, { kind: 'currency_pair', text: `has no exchange rate from ${from}` });
    } else if (field === 'amount') {
      const text = typeof value === 'string' ? value : readNumber(body, field);
      const read = readAmount(text ?? '', hasFrom ? from : undefined, profile);
      if (typeof read === 'bigint') send_amount = read;
      else problems.set(field, read);
    }
  }
  if (profile.requestBody.unknownFields === 'reject')
    for (const field of Object.keys(fields))
      if (!rules.some(([known]) => known === field))
        problems.set(field, { kind: 'unknown_field', text: 'is not known' });
  if (problems.size > 0) throw new HttpError(invalidFields(problems, fields));
  return { fields, send_amount };
}

/** Converts currency codes to upper case, if the profile accepts any case. */
function normaliseCurrencies(fields: Fields, { currencies }: Profile): Fields {
  if (currencies.case === 'strict') return fields;
  const { from_currency, to_currency } = fields;
  return { ...fields, from_currency: toUpper(from_currency), to_currency: toUpper(to_currency) };
}

function toUpper(code: unknown): unknown {
  return typeof code === 'string' ? code.toUpperCase() : code;
}

function requireObject(value: unknown): Fields {
  if (isRecord(value)) return value;
  const fields = new Map<string, Problem>([['', { kind: 'body', text: 'must be a JSON object' }]]);
  throw new HttpError({
    type: 'validation_error',
    message: 'The request body must be a JSON object.',
    fields,
    values: { '': value },
    refusal: 'not_an_object',
  });
}

/** Reads the amount from its source text, because a double loses digits (docs/contract.md#money). */
function readAmount(text: string, from: string | undefined, profile: Profile): Minor | Problem {
  const step = from === undefined ? 1n : smallestStep(from, profile.minorUnits);
  const exact = parseDecimal(text, AMOUNT_SCALE);
  const isExact = exact !== undefined && exact % step === 0n;
  const units = isExact ? exact : parseUnits(text, step, profile);
  const { minimum } = profile.amounts;
  const { least, most } = limitsOf(profile.amounts);
  // 0.009 is less than 0.01, although it rounds to that.
  const isEnough = isExact || (parseDecimal(text, FINEST_SCALE) ?? 0n) >= toUnits(minimum, FINEST_SCALE);
  const isInRange = units !== undefined && isEnough && units >= least && units <= most;
  if (isInRange && units % step === 0n) return units;
  const requirement = isInRange ? `must be a whole number in ${from}` : amountRule.requirement(profile);
  return { kind: kindOfNumber(text, profile), text: requirement };
}

const limitsOf = memoize(({ minimum, maximum }: Profile['amounts']) => ({
  least: toUnits(minimum),
  most: toUnits(maximum),
}));

/** Returns the kind of the problem of an amount that is a number. */
function kindOfNumber(text: string, { amounts: { maximum } }: Profile): IssueKind {
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
  { amounts: { precision }, rounding }: Profile,
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

type JsonEntry = [key: string, value: unknown, context?: { readonly source?: string }];
type Reviver = (this: unknown, ...entry: JsonEntry) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Returns the source text of a number, or undefined on a runtime without source text access. */
function findSource(text: string, field: string): string | undefined {
  const sources = new Map<unknown, string | undefined>();
  const root = parseWith(text, function keep(...[key, value, context]) {
    if (key === field && typeof value === 'number') sources.set(this, context?.source);
    return value;
  });
  return sources.get(root);
}
