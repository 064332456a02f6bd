import { formatCents, parseDecimal, Decimal } from './decimal.ts';
import { decodeJson, type JsonObject, jsonKind, type JsonValue } from './json.ts';
import type { Beneficiary } from './payment.ts';
import { payoutCurrencies, sourceCurrencies } from './pricing.ts';
import { type FieldViolation, Problem, validationProblem } from './problem.ts';

/** Largest amount of a NUMERIC(14,2) column. */
const MAX_CENTS = 99_999_999_999_999n;

export interface Transfer {
  readonly from: string;
  readonly to: string;
  /** Amount to send, in hundredths. */
  readonly send: bigint;
}

export interface PaymentRequest extends Transfer {
  readonly beneficiary: Beneficiary;
  readonly purpose: string;
}

const transferFields = ['from_currency', 'to_currency', 'amount'];
const paymentFields = [
  ...transferFields,
  'beneficiary_name',
  'beneficiary_bank',
  'beneficiary_account',
  'beneficiary_country',
  'purpose',
];

export function readQuoteRequest(text: string): Transfer {
  const reader = new RequestReader('CreateQuoteRequest', text, transferFields);
  const transfer = reader.transfer(1n);
  reader.check();
  return transfer;
}

export function readPaymentRequest(text: string): PaymentRequest {
  const reader = new RequestReader('CreatePaymentRequest', text, paymentFields);
  const request = {
    ...reader.transfer(100n),
    beneficiary: {
      name: reader.text('beneficiary_name', { min: 2, max: 140 }),
      bank: reader.text('beneficiary_bank', { min: 0, max: 100 }),
      account: reader.account(),
      country: reader.country(),
    },
    purpose: reader.text('purpose', { min: 0, max: 140 }),
  };
  reader.check();
  return request;
}

/** Decodes a body as `encoding/json` does: names match in any case, null and absent fields have the zero value. */
class RequestReader {
  readonly #name: string;
  readonly #values = new Map<string, string>();
  readonly #violations: FieldViolation[] = [];

  constructor(name: string, text: string, fields: readonly string[]) {
    this.#name = name;
    const object = decodeObject(name, text);
    for (const [key, value] of Object.entries(object)) {
      const field = fields.find((candidate) => candidate === key.toLowerCase());
      if (field !== undefined && value !== null) this.#values.set(field, this.#decode(field, value));
    }
  }

  /** @throws {Problem} when a field is invalid */
  check(): void {
    if (this.#violations.length > 0) throw validationProblem(this.#name, this.#violations);
  }

  transfer(minimum: bigint): Transfer {
    const from = this.#currency('from_currency', sourceCurrencies);
    const to = this.#currency('to_currency', payoutCurrencies);
    const text = this.#values.get('amount') ?? '0';
    const send = parseDecimal(text, 2);
    if (send === undefined) this.#report('amount', 'value must have at most 2 decimal places');
    else if (send < minimum)
      this.#report('amount', `value must be greater than or equal to ${formatCents(minimum)}`);
    else if (send > MAX_CENTS)
      this.#report('amount', `value must be less than or equal to ${formatCents(MAX_CENTS)}`);
    return { from, to, send: send ?? 0n };
  }

  text(field: string, { min, max }: { readonly min: number; readonly max: number }): string {
    const text = (this.#values.get(field) ?? '').trim();
    const length = Array.from(text).length;
    if (length < min || length > max)
      this.#report(field, `value length must be between ${min} and ${max} runes, inclusive`);
    return text;
  }

  account(): string {
    const account = (this.#values.get('beneficiary_account') ?? '').replaceAll(/[\s-]/g, '').toUpperCase();
    return this.#match('beneficiary_account', account, /^[A-Z0-9]{4,34}$/);
  }

  country(): string {
    return this.#match('beneficiary_country', this.#values.get('beneficiary_country') ?? '', /^[A-Z]{2}$/);
  }

  #currency(field: string, list: readonly string[]): string {
    const code = this.#values.get(field) ?? '';
    if (!/^[A-Z]{3}$/.test(code)) this.#report(field, 'value does not match regex pattern "^[A-Z]{3}$"');
    else if (!list.includes(code)) this.#report(field, `value must be in list [${list.join(' ')}]`);
    return code;
  }

  /** Checks an optional value. The empty string counts as absent. */
  #match(field: string, value: string, pattern: RegExp): string {
    if (value !== '' && !pattern.test(value))
      this.#report(field, `value does not match regex pattern "${pattern.source}"`);
    return value;
  }

  #report(field: string, description: string): void {
    this.#violations.push({ field, description });
  }

  /** Accepts a quoted decimal, because `shopspring/decimal` does. A wrong type ends the decoding. */
  #decode(field: string, value: JsonValue): string {
    if (field !== 'amount') {
      if (typeof value === 'string') return value;
      const description = `cannot unmarshal ${jsonKind(value)} into a field of type string`;
      throw validationProblem(this.#name, [{ field, description }]);
    }
    const text = value instanceof Decimal ? value.text : value;
    if (typeof text === 'string' && /^[+-]?\d+(\.\d+)?([eE][+-]?\d{1,2})?$/.test(text))
      return text.replace('+', '');
    const description = `cannot convert ${jsonKind(value)} to decimal`;
    throw validationProblem(this.#name, [{ field, description }]);
  }
}

function decodeObject(name: string, text: string): JsonObject {
  let value: JsonValue;
  try {
    value = decodeJson(text);
  } catch {
    throw new Problem({
      httpStatus: 400,
      type: 'malformed_request',
      code: 'INVALID_ARGUMENT',
      message: text.trim() === '' ? 'request body: EOF' : 'request body: invalid JSON',
    });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal))
    return value as JsonObject;
  const description = `cannot unmarshal ${jsonKind(value)} into ${name}`;
  throw validationProblem(name, [{ field: 'body', description }]);
}
