import type { PaymentRequest, QuoteRequest } from '@service/contract';
import { type Field, type Fields, parseField, pickKnown, readOwn } from '@service/internal';
import { createUsageError, createValidationError } from './errors.ts';
import type { Mode, SentField, SentFields } from './models.ts';
import { modeOfPaymentId } from './money.ts';

/** The schema of a currency code. Codes are sent in upper case. */
export const currencyField: Field<string> = {
  expected: "a 3-letter ISO 4217 code such as 'USD'",
  parse: (value) =>
    typeof value === 'string' && /^[a-z]{3}$/i.test(value) ? value.toUpperCase() : undefined,
};
const textField: Field<string> = {
  expected: 'a string that is not empty; omit a field without a value',
  parse: (value) => (typeof value === 'string' && value.trim() !== '' ? value : undefined),
};
/** The schema of an amount. */
export const amountField: Field<string> = { expected: '', parse: (value) => parseAmount(value) };

/** The schema of a quote request. */
export const quoteFields: Readonly<Record<keyof QuoteRequest, Field>> = {
  from_currency: currencyField,
  to_currency: currencyField,
  amount: amountField,
};

/** The schema of a payment request. */
export const paymentFields: Readonly<Record<keyof PaymentRequest, Field>> = {
  ...quoteFields,
  beneficiary_name: textField,
  beneficiary_bank: textField,
  beneficiary_account: textField,
  beneficiary_country: textField,
  purpose: textField,
};

/** The fields of a create. */
export const sentFields = Object.keys(paymentFields) as readonly SentField[];

const requiredName = /^(from_currency|to_currency|amount|beneficiary_name)$/;

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
export function prepareBody(input: unknown, schemaFields: Fields): RequestBody {
  const schema = { name: 'The body', fields: schemaFields, createError: createValidationError };
  const given = pickKnown(input, schema);
  const fields: Record<string, string> = {};
  let members = '';
  for (const name of Object.keys(schemaFields)) {
    const value = readOwn(given, name) ?? undefined;
    if (value === undefined && !requiredName.test(name)) continue;
    if (value === undefined) throw createValidationError(`${name} is required.`);
    const field = (fields[name] = String(parseField(name, value, schema)));
    members += `${members && ','}"${name}":${name === 'amount' ? field : JSON.stringify(field)}`;
  }
  return { fields, json: `{${members}}` };
}

/**
 * Returns an amount as decimal text, digit by digit as given.
 *
 * @throws {ValidationError} (`not_sent`) when the amount is not a plain decimal above 0 with at most
 * 2 decimals and 15 significant digits. A double is exact up to 15 digits.
 */
function parseAmount(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  const match = typeof text === 'string' ? /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text) : null;
  if (match === null) throw createValidationError(notPlainMessage);
  const [written, sign, whole = '', decimals = ''] = match;
  const digits = (whole + decimals).replace(/^0+/, '');
  if (sign || !digits) throw createValidationError('amount must be more than 0.');
  if (decimals.length > 2) {
    const hint = typeof value === 'number' ? roundingHint : '';
    throw createValidationError(`amount must have at most 2 decimals, not ${decimals.length}.${hint}`);
  }
  if (digits.length > 15) throw createValidationError('amount must have at most 15 significant digits.');
  return written;
}

const notPlainMessage =
  "amount must be a plain decimal such as '100.00', as a string or a finite number, without sign, exponent, spaces, separators or leading zeros.";
const roundingHint = ' Sums of numbers have rounding errors. Round them, or pass a string.';

/**
 * Checks the form of a payment id and, if given, its mode.
 *
 * @throws {ValidationError} when the form or the mode is wrong.
 */
export function checkId(id: unknown, mode?: Mode): string {
  const found = modeOfPaymentId(id);
  if (found === undefined)
    throw createValidationError("A payment id must have the form 'pay_test_…' or 'pay_live_…'.");
  if (mode !== undefined && found !== mode)
    throw createValidationError(`The payment is in ${found} mode, but the API key is in ${mode} mode.`);
  return String(id);
}

const NO_VALUE = 'is a word for no value. Leave the field out';

/** A form of a text after NFC or NFKC that is an error, its problem, and the fields in which it is one: all by default. */
type Rule = readonly [form: RegExp, problem: string, fields?: RegExp];

/** The forms of texts that a program damaged or decorated. */
const rules: readonly Rule[] = [
  [/[\p{Cc}\p{Zl}\p{Zp}]/u, 'contains a control character or a line break'],
  // The joiners U+200C and U+200D belong to the writing of Persian, Bengali and other languages, and to emoji.
  [/(?![\u200C\u200D])[\p{Cf}\u1160\u2800]/u, 'contains an invisible character. Type it again'],
  [/[\uFFFD\p{Cs}\p{NChar}]/u, 'contains a replacement character: letters are lost. Export it in UTF-8'],
  [/\[object ?\w+\]/, NO_VALUE],
  [
    // By blocks, because fullwidth, superscript and Roman letters are of the script Latin. Circled letters are symbols.
    /(?![\dA-Za-zÀ-ʯḀ-ỿ¦©®°])[\p{L}\p{N}\p{M}\p{So}₨]/u,
    'contains letters or digits that are not Latin. Type it again',
    /account/,
  ],
  [/^\W*(?:undefined|null|nan|none|nil|n\/?a)?\W*$/i, NO_VALUE, /account/],
  [/^[<([]?(?:undefined|null|NULL|NaN|None|nil|N\/A|n\/a)[>)\]]?$/, NO_VALUE, /reference|name/],
];

/**
 * Checks the texts of a payment, by field, for damage on their way.
 *
 * @throws {ConfigurationError} (`not_sent`) with the first damaged field in `fields`. Contains no value.
 */
export function checkTexts(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [field, text] of Object.entries(texts)) {
    // An amount is a plain decimal, and a currency has 3 letters.
    if (!text || field === 'amount' || field.endsWith('currency')) continue;
    const forms = [text.normalize(), text.normalize('NFKC').trim()];
    const isMatch = ([form, , fields]: Rule): boolean =>
      (fields?.test(field) ?? true) && forms.some((one) => form.test(one));
    const problem = rules.find(isMatch)?.[1];
    if (problem) throw createUsageError(`${field} ${problem}.`, [{ field, message: `${problem}.` }]);
  }
}
