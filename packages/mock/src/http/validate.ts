import { isRecord } from '@service/internal';
import type { PaymentRequest, QuoteRequest } from '@service/contract';
import { invalidFields } from '../domain/api-error.ts';
import {
  AMOUNT_SCALE,
  divide,
  type Exchange,
  isSupported,
  type Minor,
  parseDecimal,
  smallestStep,
} from '../domain/money.ts';
import { MAX_AMOUNT, MIN_AMOUNT, type Order, PAYMENT_TEXT } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import type { Body } from './body.ts';
import { HttpError } from './errors.ts';

/** The requirement of a field, as the error message names it. */
interface FieldRule {
  readonly requirement: string;
  readonly accepts: (value: unknown) => boolean;
  /** Accepts an absent field and null. */
  readonly isOptional?: true;
}

const currencyRule: FieldRule = {
  requirement: 'must be a supported ISO 4217 code of 3 upper-case letters',
  accepts: (value) => typeof value === 'string' && isSupported(value),
};
const amountRule: FieldRule = {
  requirement: 'must be a number from 0.01 to 999999999.99 with at most 2 decimals',
  // `readAmount` checks the digits in the source text.
  accepts: (value) => typeof value === 'number',
};
const textRule: FieldRule = {
  requirement: 'must be text of 1 to 255 characters without control characters',
  accepts: (value) => typeof value === 'string' && PAYMENT_TEXT.test(value),
};
const optionalTextRule: FieldRule = { ...textRule, isOptional: true };

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
type Problems = Map<string, string>;

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
  const { fields, send_amount } = readRequest(paymentRules, body, profile);
  const request = fields as PaymentRequest;
  return {
    from_currency: request.from_currency,
    to_currency: request.to_currency,
    send_amount,
    beneficiary: {
      name: request.beneficiary_name,
      bank: request.beneficiary_bank ?? null,
      account: request.beneficiary_account ?? null,
      country: request.beneficiary_country ?? null,
    },
    purpose: request.purpose ?? null,
  };
}

/** Validates each field, then the currency pair and the amount. */
function readRequest(rules: Rules, body: Body, profile: Profile): { fields: Fields; send_amount: Minor } {
  const fields = normaliseCurrencies(requireObject(body.value), profile);
  const problems = findProblems(rules, fields);
  checkPair(fields, problems, profile);
  if (profile.unknownFields === 'reject') checkNames(fields, rules, problems);
  const send_amount = readAmount(readNumber(body, 'amount'), { fields, profile, problems });
  if (problems.size > 0) throw new HttpError(invalidFields(problems));
  return { fields, send_amount };
}

/** Converts currency codes to upper case, if the profile accepts any case. */
function normaliseCurrencies(fields: Fields, { currencyCase }: Profile): Fields {
  if (currencyCase === 'strict') return fields;
  const { from_currency, to_currency } = fields;
  return { ...fields, from_currency: toUpper(from_currency), to_currency: toUpper(to_currency) };
}

function toUpper(code: unknown): unknown {
  return typeof code === 'string' ? code.toUpperCase() : code;
}

function checkPair(fields: Fields, problems: Problems, { sameCurrency }: Profile): void {
  if (sameCurrency === 'allow' || fields.from_currency !== fields.to_currency) return;
  if (!problems.has('to_currency')) problems.set('to_currency', 'must differ from from_currency');
}

function checkNames(fields: Fields, rules: Rules, problems: Problems): void {
  for (const field of Object.keys(fields))
    if (!rules.some(([known]) => known === field)) problems.set(field, 'is not known');
}

function requireObject(value: unknown): Fields {
  if (isRecord(value)) return value;
  throw new HttpError({ type: 'validation_error', message: 'The request body must be a JSON object.' });
}

function findProblems(rules: Rules, fields: Fields): Problems {
  const problems: Problems = new Map();
  for (const [field, { requirement, accepts: holds, isOptional = false }] of rules) {
    const value = fields[field];
    if (holds(value) || (isOptional && (value === undefined || value === null))) continue;
    problems.set(field, Object.hasOwn(fields, field) ? requirement : 'is required');
  }
  return problems;
}

interface AmountCheck {
  readonly fields: Fields;
  readonly profile: Profile;
  readonly problems: Problems;
}

/** Reads the amount from its source text, because a double loses digits (docs/contract.md#money). */
function readAmount(text: string | undefined, { fields, profile, problems }: AmountCheck): Minor {
  const { from_currency: from } = fields;
  const hasStep = typeof from === 'string' && !problems.has('from_currency');
  const step = hasStep ? smallestStep(from, profile.minorUnits) : 1n;
  const units = text === undefined ? undefined : parseUnits(text, step, profile);
  const isInRange = units !== undefined && units >= MIN_AMOUNT && units <= MAX_AMOUNT;
  if (isInRange && units % step === 0n) return units;
  const requirement = isInRange ? `must be a whole number in ${String(from)}` : amountRule.requirement;
  if (!problems.has('amount')) problems.set('amount', requirement);
  return 0n;
}

/** Maximum number of decimals of an amount that is rounded or truncated. */
const FINEST_SCALE = 100;

/** Parses an amount in minor units. The profile rejects, rounds or truncates excess decimals. */
function parseUnits(text: string, step: Minor, { excessPrecision, rounding }: Profile): Minor | undefined {
  if (excessPrecision === 'reject') return parseDecimal(text, AMOUNT_SCALE);
  const exact = parseDecimal(text, FINEST_SCALE);
  if (exact === undefined || exact < 0n) return undefined;
  const divisor = 10n ** BigInt(FINEST_SCALE - AMOUNT_SCALE) * step;
  const nearest = rounding === 'half_even' ? 'half_even' : 'half_up';
  return divide(exact, divisor, excessPrecision === 'round' ? nearest : 'down') * step;
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
