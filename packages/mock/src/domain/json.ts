import type { TimestampForm } from '@service/internal';
import type { Profile } from './profile.ts';

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
  else if (value instanceof Decimal)
    writer.parts.push(writeDecimal(value.toString(), value.form ?? writer.numbers));
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

const timestampForms: Readonly<Record<string, TimestampForm>> = {
  offset: { digits: 0, zone: '+00:00' },
  zulu: { digits: 0, zone: 'Z' },
  compactOffset: { digits: 0, zone: '+0000' },
  fraction: { digits: 3, zone: '+00:00' },
} satisfies Record<Extract<Profile['timestamps'], string>, TimestampForm>;

/** Formats an instant. By default whole seconds with an offset (docs/contract.md#transport). */
export function toTimestamp(instant: Instant, form: Profile['timestamps'] = 'offset'): string {
  const { digits, zone } = typeof form === 'string' ? (timestampForms[form] as TimestampForm) : form;
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const shift = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  const text = new Date(instant + shift).toISOString();
  const fraction = digits === 0 ? '' : `.${text.slice(20, 23).padEnd(digits, '0').slice(0, digits)}`;
  return `${text.slice(0, 19)}${fraction}${zone}`;
}

/** Formats an optional text field in the form that the profile selects for absent fields. Undefined omits the field. */
export function formatOptional(text: string | null, absent: Profile['absent']): string | null | undefined {
  if (text !== null || absent === 'null') return text;
  return absent === 'empty' ? '' : undefined;
}
