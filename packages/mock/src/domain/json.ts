import type { Mode } from '@service/contract';
import { memoize, type TimestampForm } from '@service/internal';

/** Maximum size of a response of the service, in bytes. */
const MAX_RESPONSE_BYTES = 5_000_000;

/** A response is larger than it may be. */
export class ResponseSizeError extends Error {
  constructor() {
    super('The sandbox sends no response of more than 5 MB. Shorten the examples of the profile.');
  }
}

export const AMOUNT_SCALE = 2;

const RATE_SCALE = 6;

/** The form of amounts and rates in JSON. */
export type NumberForm = 'number' | 'string' | 'floatTail' | 'stringRate' | 'numberRate';

/** An exact decimal number: `units` / 10^`scale`. */
export class Decimal {
  readonly units: bigint;
  readonly scale: number;
  /** The form in JSON. Default: that of the profile. */
  readonly form: NumberForm | undefined;

  constructor(units: bigint, scale: number, form?: NumberForm) {
    this.units = units;
    this.scale = scale;
    this.form = form;
  }

  /** Returns the double with the same shortest decimals, for `JSON.stringify`. */
  toJSON(): number {
    const isExact = this.units < MAX_EXACT && this.units > -MAX_EXACT;
    if (!isExact || this.form === 'string' || this.form === 'floatTail') throw notNative;
    return Number(this.units) / 10 ** this.scale;
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

/** Converts an amount in hundredths to a decimal. */
export function toAmount(units: bigint): Decimal {
  return new Decimal(units, AMOUNT_SCALE);
}

/** Converts a rate in millionths to a decimal. */
export function toRate(units: bigint): Decimal {
  return new Decimal(units, RATE_SCALE);
}

/** A value that was written as JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): never {
    throw notNative;
  }
}

/** A value that `JSON.stringify` cannot write exactly. */
const notNative = new RangeError('not a double');

/** The digits of each number of at most 15 digits are those of its double. */
const MAX_EXACT = 10n ** 15n;

/** A value that `toJson` can serialize. Amounts are exact decimals. */
export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | Decimal
  | JsonText
  | readonly Json[]
  | { readonly [field: string]: Json };

/**
 * Serializes a value as compact JSON. Decimals take the form that the profile selects; undefined fields are
 * omitted.
 *
 * @throws {ResponseSizeError} for a text that is larger than a response may be
 */
export function toJson(value: Json, numbers: NumberForm = 'number'): string {
  try {
    // The runtime is faster, and writes most amounts as their shortest decimals too.
    if (numbers === 'number') return checkSize(JSON.stringify(value));
  } catch (error) {
    if (error !== notNative) throw error;
  }
  return checkSize(writeValue(value, numbers));
}

/** Writes the body of a response with the success envelope. */
export function writeSuccess(mode: Mode | undefined, data: Json, numbers: NumberForm): string {
  return toJson({ success: true, mode, data }, numbers);
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

function writeValue(value: Json, numbers: NumberForm): string {
  if (typeof value !== 'object' || value === null) return writeScalar(value);
  if (value instanceof JsonText) return value.text;
  if (value instanceof Decimal) return writeDecimal(value, value.form ?? numbers);
  if (isList(value)) return `[${value.map((item) => writeValue(item, numbers)).join(',')}]`;
  let fields = '';
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    fields += `${fields && ','}${writeScalar(name)}:${writeValue(field, numbers)}`;
  }
  return `{${fields}}`;
}

const PLAIN = /^[ !#-[\]-~]*$/;

function writeScalar(value: string | number | boolean | null | undefined): string {
  const hasNothingToEscape = typeof value === 'string' && PLAIN.test(value);
  return hasNothingToEscape ? `"${value}"` : JSON.stringify(value ?? null);
}

const TAIL_DIGIT = 16;

/** Writes a decimal. `floatTail` appends a 1 as the 16th digit, the error that a sum of doubles shows. */
function writeDecimal(decimal: Decimal, numbers: NumberForm): string {
  const text = decimal.toString();
  const isText =
    numbers === 'string' || numbers === (decimal.scale === RATE_SCALE ? 'stringRate' : 'numberRate');
  if (numbers !== 'floatTail') return isText ? `"${text}"` : text;
  const pointed = text.includes('.') ? text : `${text}.`;
  const digits = pointed.replaceAll(/\D/g, '').replace(/^0+/, '').length;
  return `${pointed}${'0'.repeat(Math.max(0, TAIL_DIGIT - 1 - digits))}1`;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/** Maximum nesting of JSON that is received. */
export const MAX_DEPTH = 32;

/** Returns whether a JSON value is nested deeper than a number of levels. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const name in value)
    if (isDeeperThan((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return true;
  return false;
}

/** Milliseconds since 1970-01-01 UTC. */
export type Instant = number;

/**
 * Returns the function that formats instants: by default whole seconds with an offset (docs/contract.md#transport). It keeps
 * the text of the last second.
 */
export const timestampOf: (form: TimestampForm) => (instant: Instant) => string = memoize(
  ({ digits, zone }) => {
    const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
    const shift = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
    let [second, text] = [Number.NaN, ''];
    return (instant) => {
      const given = Math.floor(instant / 1000);
      if (given !== second) [second, text] = [given, new Date(instant + shift).toISOString().slice(0, 19)];
      const milliseconds = String(instant - given * 1000).padStart(3, '0');
      const fraction = digits === 0 ? '' : `.${milliseconds.padEnd(digits, '0').slice(0, digits)}`;
      return text + fraction + zone;
    };
  },
);
