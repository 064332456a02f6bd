import { MAX_RESPONSE_BYTES, type Placeholder } from '@service/internal';
import type { Profile } from './profile.ts';

/** The text of a template with values that are known when its response is sent. */
export class ResponseText {
  readonly parts: readonly (string | Placeholder)[];

  constructor(parts: readonly (string | Placeholder)[]) {
    this.parts = parts;
  }
}

// Private characters. `toText` and `toJson` escape those of other texts, so that no request can contain a mark.
export const MARK = '\uE000';
export const SEPARATOR = '\uE001';

/** Returns a text with marks in place of the values of its response. */
export function toText(value: string | ResponseText, write: (part: string) => string = replaceMarks): string {
  if (typeof value === 'string') return write(value);
  const parts = value.parts.map((part) =>
    typeof part === 'string' ? write(part) : MARK + [part.name, ...part.words].join(SEPARATOR) + MARK,
  );
  return parts.join('');
}

function replaceMarks(text: string): string {
  return text.replaceAll(MARK, '\uFFFD');
}

/** A response is larger than it may be. */
export class ResponseSizeError extends Error {
  override readonly name = 'ResponseSizeError' as const;

  constructor() {
    super('The sandbox sends no response of more than 5 MB. Shorten the templates of the profile.');
  }
}

/** An exact decimal number: `units` / 10^`scale`. */
export class Decimal {
  readonly units: bigint;
  readonly scale: number;
  /** The form in JSON. Default: that of the profile. */
  readonly form: Profile['numbers'] | undefined;

  constructor(units: bigint, scale: number, form?: Profile['numbers']) {
    this.units = units;
    this.scale = scale;
    this.form = form;
  }

  /** Formats the number without an exponent, by default in its shortest form without trailing zeros. */
  toString(keepsZeros = false): string {
    const isNegative = this.units < 0n;
    const digits = (isNegative ? -this.units : this.units).toString().padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    let end = digits.length;
    if (!keepsZeros) while (end > point && digits[end - 1] === '0') end -= 1;
    const fraction = end === point ? '' : `.${digits.slice(point, end)}`;
    return `${isNegative ? '-' : ''}${digits.slice(0, point)}${fraction}`;
  }
}

export const AMOUNT_SCALE = 2;

const RATE_SCALE = 6;

/** Converts an amount in hundredths to a decimal. */
export function toAmount(units: bigint): Decimal {
  return new Decimal(units, AMOUNT_SCALE);
}

/** Converts a rate in millionths to a decimal. */
export function toRate(units: bigint): Decimal {
  return new Decimal(units, RATE_SCALE);
}

/** A value that `toJson` can serialize. Amounts are exact decimals. */
export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | Decimal
  | ResponseText
  | readonly Json[]
  | { readonly [field: string]: Json };

/**
 * Serializes a value as compact JSON. Decimals take the form that the profile selects; undefined fields are
 * omitted.
 *
 * @throws {ResponseSizeError} before the text is larger than a response may be
 */
export function toJson(value: Json, numbers: Profile['numbers'] = 'number'): string {
  return checkSize(writeValue(value, numbers));
}

/**
 * Returns the text of a response.
 *
 * @throws {ResponseSizeError} for a text that is larger than a response may be
 */
export function checkSize(text: string): string {
  // A character has at most 3 bytes for each of its code units.
  const isLarge = text.length * 3 > MAX_RESPONSE_BYTES;
  if (isLarge && new TextEncoder().encode(text).byteLength > MAX_RESPONSE_BYTES)
    throw new ResponseSizeError();
  return text;
}

function writeValue(value: Json, numbers: Profile['numbers']): string {
  if (typeof value !== 'object' || value === null) return toScalar(value);
  if (value instanceof Decimal) return writeDecimal(value.toString(), value.form ?? numbers);
  if (value instanceof ResponseText) return `"${toText(value, (part) => toScalar(part).slice(1, -1))}"`;
  let text = '';
  if (isList(value)) {
    for (const item of value) text = append(text, (text === '' ? '[' : ',') + writeValue(item, numbers));
    return text === '' ? '[]' : `${text}]`;
  }
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    text = append(text, `${(text === '' ? '{' : ',') + toScalar(name)}:${writeValue(field, numbers)}`);
  }
  return text === '' ? '{}' : `${text}}`;
}

function append(text: string, part: string): string {
  if (text.length + part.length > MAX_RESPONSE_BYTES) throw new ResponseSizeError();
  return text + part;
}

const PLAIN = /^[ !#-[\]-~]*$/;

function toScalar(value: string | number | boolean | null | undefined): string {
  const hasNothingToEscape = typeof value === 'string' && PLAIN.test(value);
  return hasNothingToEscape ? `"${value}"` : JSON.stringify(value ?? null).replaceAll(MARK, '\\ue000');
}

function writeDecimal(text: string, numbers: Profile['numbers']): string {
  if (numbers === 'number') return text;
  return numbers === 'string' ? `"${text}"` : addTail(text);
}

const TAIL_DIGIT = 16;

/** Appends a 1 as the 16th digit, the error that a sum of doubles shows. */
function addTail(text: string): string {
  const pointed = text.includes('.') ? text : `${text}.`;
  const digits = pointed.replaceAll(/\D/g, '').replace(/^0+/, '').length;
  return `${pointed}${'0'.repeat(Math.max(0, TAIL_DIGIT - 1 - digits))}1`;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/** Milliseconds since 1970-01-01 UTC. */
export type Instant = number;
