import { isSupported, smallestStep } from '../domain/currency.ts';
import { AMOUNT_SCALE, divide, type Minor, parseDecimal } from '../domain/money.ts';
import type { Order } from '../domain/payment.ts';
import type { Exchange } from '../domain/quote.ts';
import type { Profile } from '../domain/profile.ts';
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
export function validateQuote(body: Body, profile: Profile): Exchange {
  const { request, send_amount } = readRequest(
    { schema: schemas.QuoteRequest, fields: quoteFields },
    body,
    profile,
  );
  return { from_currency: request.from_currency, to_currency: request.to_currency, send_amount };
}

/** Validates the body of a payment (spec §4); throws `Refused` naming every bad field. */
export function validatePayment(body: Body, profile: Profile): Order {
  const kind = { schema: schemas.PaymentRequest, fields: Object.keys(requirements) };
  const { request, send_amount } = readRequest(kind, body, profile);
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

interface Kind<Shape> {
  readonly schema: Schema<Shape>;
  readonly fields: readonly string[];
}

const quoteFields = ['from_currency', 'to_currency', 'amount'];

/** Reads a request: its shape by the schema, then what no schema can say: currencies and the exact amount. */
function readRequest<Shape>(
  { schema, fields: known }: Kind<Shape>,
  body: Body,
  profile: Profile,
): { request: Shape; send_amount: Minor } {
  const fields = normaliseCurrencies(requireObject(body.value), profile);
  const parsed = schema.safeParse(leaveAmount(fields, profile));
  const problems = findShapeProblems(parsed, fields);
  checkCurrencies(fields, problems, profile);
  if (profile.unknownFields === 'reject') checkNames(fields, known, problems);
  const send_amount = readAmount(body.numberText.get('amount'), { fields, profile, problems });
  if (!parsed.success || problems.size > 0) throw new Refused(refuseFields(problems));
  return { request: parsed.data, send_amount };
}

/** Puts currency codes into upper case, where the profile takes them in any. */
function normaliseCurrencies(fields: Fields, { currencyCase }: Profile): Fields {
  if (currencyCase === 'strict') return fields;
  const { from_currency, to_currency } = fields;
  return { ...fields, from_currency: toUpper(from_currency), to_currency: toUpper(to_currency) };
}

/** Keeps the bounds of an amount that is rounded first from the schema, which knows the number as it was sent. */
function leaveAmount(fields: Fields, { excessPrecision }: Profile): Fields {
  const isRounded = excessPrecision !== 'reject' && typeof fields.amount === 'number';
  return isRounded ? { ...fields, amount: 1 } : fields;
}

function toUpper(code: unknown): unknown {
  return typeof code === 'string' ? code.toUpperCase() : code;
}

function checkNames(fields: Fields, known: readonly string[], problems: Problems): void {
  for (const field of Object.keys(fields)) if (!known.includes(field)) problems.set(field, 'is not known');
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

function checkCurrencies(fields: Fields, problems: Problems, { sameCurrency }: Profile): void {
  for (const field of ['from_currency', 'to_currency'] as const) {
    const code = fields[field];
    if (!problems.has(field) && !(typeof code === 'string' && isSupported(code)))
      problems.set(field, CURRENCY);
  }
  const isSame = fields.from_currency === fields.to_currency;
  if (sameCurrency === 'reject' && isSame && !problems.has('to_currency'))
    problems.set('to_currency', 'must differ from from_currency');
}

interface AmountCheck {
  readonly fields: Fields;
  readonly profile: Profile;
  readonly problems: Problems;
}

/** Reads the amount from its source text, so that no digit is lost to a double (contract.md 9). */
function readAmount(text: string | undefined, { fields, profile, problems }: AmountCheck): Minor {
  const { from_currency: from } = fields;
  const hasStep = typeof from === 'string' && !problems.has('from_currency');
  const step = hasStep ? smallestStep(from, profile.minorUnits) : 1n;
  const units = text === undefined ? undefined : parseUnits(text, step, profile);
  const isInRange = units !== undefined && units >= MIN_AMOUNT && units <= MAX_AMOUNT;
  if (isInRange && units % step === 0n) return units;
  const requirement = isInRange ? `must be a whole number in ${String(from)}` : AMOUNT;
  if (!problems.has('amount')) problems.set('amount', requirement);
  return 0n;
}

/** As many decimals as an amount can have that is rounded rather than refused. */
const FINEST_SCALE = 100;

/** Parses an amount into minor units; what is finer than a step is refused, rounded or cut off, as the profile has it. */
function parseUnits(text: string, step: Minor, { excessPrecision }: Profile): Minor | undefined {
  if (excessPrecision === 'reject') return parseDecimal(text, AMOUNT_SCALE);
  const exact = parseDecimal(text, FINEST_SCALE);
  if (exact === undefined || exact < 0n) return undefined;
  const divisor = 10n ** BigInt(FINEST_SCALE - AMOUNT_SCALE) * step;
  return divide(exact, divisor, excessPrecision === 'round' ? 'half_up' : 'down') * step;
}
