import { isSupported, smallestStep } from '../domain/currency.ts';
import { AMOUNT_SCALE, type Minor, parseDecimal } from '../domain/money.ts';
import type { Order } from '../domain/payment.ts';
import type { Exchange } from '../domain/quote.ts';
import type { Terms } from '../domain/profile.ts';
import { refuseFields } from '../domain/refusal.ts';
import * as schemas from '@service/contract/schemas';
import type { Body } from './body.ts';
import { Refused } from './respond.ts';

const MIN_AMOUNT: Minor = 1n;
const MAX_AMOUNT: Minor = 99_999_999_999n;

const TEXT = 'must be text of 1 to 255 characters without control characters';
const CURRENCY = 'must be a supported ISO 4217 code of 3 upper-case letters';
const AMOUNT = 'must be a number from 0.01 to 999999999.99 with at most 2 decimals';

/** Says what each field must be; the sentence of a refusal is made of these. */
const requirements: Readonly<Record<string, string>> = {
  from_currency: CURRENCY,
  to_currency: CURRENCY,
  amount: AMOUNT,
  beneficiary_name: TEXT,
  beneficiary_bank: TEXT,
  beneficiary_account: TEXT,
  beneficiary_country: TEXT,
  purpose: TEXT,
};

type Fields = Readonly<Record<string, unknown>>;
type Problems = Map<string, string>;

type Parsed<Shape> =
  | { readonly success: true; readonly data: Shape }
  | {
      readonly success: false;
      readonly error: { readonly issues: readonly { readonly path: PropertyKey[] }[] };
    };
type Schema<Shape> = { safeParse(value: unknown): Parsed<Shape> };

/** Validates the body of a quote (spec §4); throws `Refused` naming every bad field. */
export function validateQuote(body: Body, terms: Terms): Exchange {
  const { request, send_amount } = readRequest(schemas.QuoteRequest, body, terms);
  return { from_currency: request.from_currency, to_currency: request.to_currency, send_amount };
}

/** Validates the body of a payment (spec §4); throws `Refused` naming every bad field. */
export function validatePayment(body: Body, terms: Terms): Order {
  const { request, send_amount } = readRequest(schemas.PaymentRequest, body, terms);
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

/** Reads a request: its shape by the schema, then what no schema can say: currencies and the exact amount. */
function readRequest<Shape>(
  schema: Schema<Shape>,
  body: Body,
  terms: Terms,
): { request: Shape; send_amount: Minor } {
  const fields = requireObject(body.value);
  const parsed = schema.safeParse(fields);
  const problems = findShapeProblems(parsed, fields);
  checkCurrencies(fields, problems);
  const send_amount = readAmount(body.numberText.get('amount'), problems);
  checkStep(send_amount, { fields, terms, problems });
  if (!parsed.success || problems.size > 0) throw new Refused(refuseFields(problems));
  return { request: parsed.data, send_amount };
}

function requireObject(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Refused({ type: 'validation_error', message: 'The request body must be a JSON object.' });
}

function findShapeProblems(parsed: Parsed<unknown>, fields: Fields): Problems {
  const bad = parsed.success ? [] : parsed.error.issues.map((issue) => String(issue.path[0]));
  return new Map(bad.map((field) => [field, describe(field, fields)]));
}

function describe(field: string, fields: Fields): string {
  return Object.hasOwn(fields, field) ? (requirements[field] ?? 'is invalid') : 'is required';
}

function checkCurrencies(fields: Fields, problems: Problems): void {
  for (const field of ['from_currency', 'to_currency'] as const) {
    const code = fields[field];
    if (!problems.has(field) && !(typeof code === 'string' && isSupported(code)))
      problems.set(field, CURRENCY);
  }
}

/** Reads the amount from its source text, so that no digit is lost to a double (contract.md 9). */
function readAmount(text: string | undefined, problems: Problems): Minor {
  const units = text === undefined ? undefined : parseDecimal(text, AMOUNT_SCALE);
  if (units !== undefined && units >= MIN_AMOUNT && units <= MAX_AMOUNT) return units;
  if (!problems.has('amount')) problems.set('amount', AMOUNT);
  return 0n;
}

interface StepCheck {
  readonly fields: Fields;
  readonly terms: Terms;
  readonly problems: Problems;
}

function checkStep(amount: Minor, { fields, terms, problems }: StepCheck): void {
  const { from_currency: from } = fields;
  if (problems.has('amount') || problems.has('from_currency') || typeof from !== 'string') return;
  if (amount % smallestStep(from, terms.minorUnits) !== 0n)
    problems.set('amount', `must be a whole number in ${from}`);
}
