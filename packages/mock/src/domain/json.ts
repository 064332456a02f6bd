import { MAX_RESPONSE_BYTES, namedTimestamps, type Placeholder, type TimestampForm } from '@service/internal';
import { Decimal } from './money.ts';
import type { Profile } from './profile.ts';

/** The text of a template with values that it gets when its response is sent. */
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
  const parts: string[] = [];
  writeValue({ parts, numbers, left: MAX_RESPONSE_BYTES }, value);
  // Joined once: V8 keeps a concatenated string as a tree of its parts, which takes ten times the memory.
  return checkSize(parts.join(''));
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

/** The parts of the text so far, the form of decimals, and the number of characters that can follow. */
interface Writer {
  readonly parts: string[];
  readonly numbers: Profile['numbers'];
  left: number;
}

function writePart(writer: Writer, part: string): void {
  writer.left -= part.length;
  if (writer.left < 0) throw new ResponseSizeError();
  writer.parts.push(part);
}

function writeValue(writer: Writer, value: Json): void {
  if (typeof value !== 'object' || value === null) writePart(writer, toScalar(value));
  else if (value instanceof Decimal)
    writePart(writer, writeDecimal(value.toString(), value.form ?? writer.numbers));
  else if (value instanceof ResponseText)
    writePart(writer, `"${toText(value, (part) => toScalar(part).slice(1, -1))}"`);
  else if (isList(value)) writeList(writer, value);
  else writeFields(writer, value);
}

const PLAIN = /^[ !#-[\]-~]*$/;

function toScalar(value: string | number | boolean | null | undefined): string {
  const hasNothingToEscape = typeof value === 'string' && PLAIN.test(value);
  return hasNothingToEscape ? `"${value}"` : JSON.stringify(value ?? null).replaceAll(MARK, '\\ue000');
}

function writeList(writer: Writer, list: readonly Json[]): void {
  let separator = '[';
  for (const item of list) {
    writePart(writer, separator);
    writeValue(writer, item);
    separator = ',';
  }
  writePart(writer, separator === '[' ? '[]' : ']');
}

function writeFields(writer: Writer, fields: { readonly [field: string]: Json }): void {
  let separator = '{';
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (field === undefined) continue;
    writePart(writer, `${separator}${toScalar(name)}:`);
    writeValue(writer, field);
    separator = ',';
  }
  writePart(writer, separator === '{' ? '{}' : '}');
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

/** Formats an instant. By default whole seconds with an offset (docs/contract.md#transport). */
export function toTimestamp(
  instant: Instant,
  { digits, zone }: TimestampForm = namedTimestamps.offset,
): string {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const shift = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  const text = new Date(instant + shift).toISOString();
  const fraction = digits === 0 ? '' : `.${text.slice(20, 23).padEnd(digits, '0').slice(0, digits)}`;
  return `${text.slice(0, 19)}${fraction}${zone}`;
}
