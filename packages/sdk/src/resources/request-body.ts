import type { PaymentRequest, QuoteRequest } from '@service/contract';
import type { SentFields } from '../values/models.ts';
import { parseAmount } from '../values/money.ts';
import { type Field, type Fields, parseField, pickKnown } from '@service/internal';
import { createValidationError } from '../errors/error-classes.ts';

/** The schema of a currency code. Codes are sent in upper case. */
export const currencyField: Field<string> = {
  expected: "a 3-letter ISO 4217 code such as 'USD'",
  parse: (value) =>
    typeof value === 'string' && /^[a-z]{3}$/i.test(value) ? value.toUpperCase() : undefined,
};
const text: Field<string> = {
  expected: 'a string that is not empty; omit an optional field without a value',
  parse: (value) => (typeof value === 'string' && value.trim() !== '' ? value : undefined),
};
/** A placeholder: `parseAmount` needs the number of decimals that the client allows. */
const amount: Field = { expected: '', parse: (value) => value };

/** The schema of a quote request. */
export const quoteFields: Readonly<Record<keyof QuoteRequest, Field>> = {
  from_currency: currencyField,
  to_currency: currencyField,
  amount: amount,
};

/** The schema of a payment request. */
export const paymentFields: Readonly<Record<keyof PaymentRequest, Field>> = {
  ...quoteFields,
  beneficiary_name: text,
  beneficiary_bank: text,
  beneficiary_account: text,
  beneficiary_country: text,
  purpose: text,
};

const required: ReadonlySet<string> = new Set([
  'from_currency',
  'to_currency',
  'amount',
  'beneficiary_name',
] satisfies (keyof PaymentRequest)[]);

/** A valid request body: the text of each field, and the JSON to send. */
export interface RequestBody {
  readonly fields: SentFields;
  readonly json: string;
}

/**
 * Checks a request body field by field and serializes it. The amount is written as its decimal text and never
 * becomes a float: `'100.00'` is sent as `100.00`.
 *
 * @throws {ValidationError} (`not_sent`) with the name of the first invalid field.
 */
export function prepareBody(input: unknown, schemaFields: Fields, maxDecimals: number): RequestBody {
  const schema = { name: 'The body', fields: schemaFields, createError: createValidationError };
  const given = pickKnown(input, schema);
  const fields: Record<string, string> = {};
  let members = '';
  for (const name of Object.keys(schemaFields)) {
    const value = given[name] ?? undefined;
    if (value === undefined && !required.has(name)) continue;
    if (value === undefined) throw createValidationError(`${name} is required.`);
    const isAmount = name === 'amount';
    const field = (fields[name] = isAmount
      ? parseAmount(value, maxDecimals)
      : String(parseField(name, value, schema)));
    members += `${members && ','}"${name}":${isAmount ? field : JSON.stringify(field)}`;
  }
  return { fields, json: `{${members}}` };
}
