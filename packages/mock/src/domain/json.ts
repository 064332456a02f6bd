import type { Profile } from './profile.ts';

/** An exact decimal number: `units` / 10^`scale`. */
export class Decimal {
  readonly units: bigint;
  readonly scale: number;

  constructor(units: bigint, scale: number) {
    this.units = units;
    this.scale = scale;
  }

  /** Formats the number in its shortest decimal form, without an exponent or trailing zeros. */
  toString(): string {
    const isNegative = this.units < 0n;
    const digits = (isNegative ? -this.units : this.units).toString().padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    let end = digits.length;
    while (end > point && digits[end - 1] === '0') end -= 1;
    const fraction = end === point ? '' : `.${digits.slice(point, end)}`;
    return `${isNegative ? '-' : ''}${digits.slice(0, point)}${fraction}`;
  }
}

/** The shape of a JSON value before serialization: amounts are still exact decimals. */
export type WithDecimals<Shape> = Shape extends number
  ? number | Decimal
  : Shape extends string | boolean | null | undefined
    ? Shape
    : Shape extends readonly (infer Item)[]
      ? readonly WithDecimals<Item>[]
      : { readonly [Field in keyof Shape]: WithDecimals<Shape[Field]> };

/** A value that `toJson` can serialize. Amounts are exact decimals. */
export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | Decimal
  | readonly Json[]
  | { readonly [field: string]: Json };

/**
 * Serializes a value as compact JSON. Decimals take the form that the profile selects; undefined fields are
 * omitted.
 */
export function toJson(value: Json, numbers: Profile['numbers'] = 'number'): string {
  const parts: string[] = [];
  writeValue({ parts, numbers }, value);
  // Joined once: V8 keeps a concatenated string as a tree of its parts, which takes ten times the memory.
  return parts.join('');
}

/** The parts of the text so far, and the form of decimals. */
interface Writer {
  readonly parts: string[];
  readonly numbers: Profile['numbers'];
}

function writeValue(writer: Writer, value: Json): void {
  if (typeof value !== 'object' || value === null) writer.parts.push(toScalar(value));
  else if (value instanceof Decimal) writer.parts.push(writeDecimal(value.toString(), writer.numbers));
  else if (isList(value)) writeList(writer, value);
  else writeFields(writer, value);
}

const PLAIN = /^[ !#-[\]-~]*$/;

function toScalar(value: string | number | boolean | null | undefined): string {
  const hasNothingToEscape = typeof value === 'string' && PLAIN.test(value);
  return hasNothingToEscape ? `"${value}"` : JSON.stringify(value ?? null);
}

function writeList(writer: Writer, list: readonly Json[]): void {
  let separator = '[';
  for (const item of list) {
    writer.parts.push(separator);
    writeValue(writer, item);
    separator = ',';
  }
  writer.parts.push(separator === '[' ? '[]' : ']');
}

function writeFields(writer: Writer, fields: { readonly [field: string]: Json }): void {
  let separator = '{';
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (field === undefined) continue;
    writer.parts.push(`${separator}${toScalar(name)}:`);
    writeValue(writer, field);
    separator = ',';
  }
  writer.parts.push(separator === '{' ? '{}' : '}');
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

const utcOffsets = { offset: '+00:00', zulu: 'Z', compactOffset: '+0000', fraction: '+00:00' } as const;

/** Formats an instant. By default whole seconds with an offset (docs/contract.md#transport). */
export function toTimestamp(instant: Instant, form: Profile['timestamps'] = 'offset'): string {
  const text = new Date(instant).toISOString();
  return `${text.slice(0, form === 'fraction' ? 23 : 19)}${utcOffsets[form]}`;
}

/** Formats an optional text field in the form that the profile selects for absent fields. */
export function formatOptional(text: string | null, absent: Profile['absent']): string | null {
  if (text !== null || absent === 'null') return text;
  // Undefined omits the field; the contract types do not include it.
  return absent === 'empty' ? '' : (undefined as never);
}
