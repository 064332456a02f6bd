import { Decimal } from './money.ts';
import type { Profile } from './profile.ts';

/** Describes a wire shape before it is written: money still exact. */
export type Written<Shape> = Shape extends number
  ? number | Decimal
  : Shape extends string | boolean | null | undefined
    ? Shape
    : Shape extends readonly (infer Item)[]
      ? readonly Written<Item>[]
      : { readonly [Field in keyof Shape]: Written<Shape[Field]> };

/** Holds anything that can be written as JSON; money stands as exact decimals. */
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
 * Writes compact JSON; a decimal becomes a number with all its digits, or what a profile has in its place; an undefined
 * field is left out.
 */
export function toJson(value: Json, numbers: Profile['numbers'] = 'number'): string {
  const parts: string[] = [];
  write({ parts, numbers }, value);
  // Joined at once: a text that grows piece by piece stays a tree of its pieces, ten times as large, for as long as it lives.
  return parts.join('');
}

/** Collects the parts of a text, and says how its decimals are written. */
interface Draft {
  readonly parts: string[];
  readonly numbers: Profile['numbers'];
}

function write(draft: Draft, value: Json): void {
  if (typeof value !== 'object' || value === null) draft.parts.push(toScalar(value));
  else if (value instanceof Decimal) draft.parts.push(writeDecimal(value.toString(), draft.numbers));
  else if (isList(value)) writeList(draft, value);
  else writeFields(draft, value);
}

const PLAIN = /^[ !#-[\]-~]*$/;

function toScalar(value: string | number | boolean | null | undefined): string {
  const hasNothingToEscape = typeof value === 'string' && PLAIN.test(value);
  return hasNothingToEscape ? `"${value}"` : JSON.stringify(value ?? null);
}

function writeList(draft: Draft, list: readonly Json[]): void {
  let mark = '[';
  for (const item of list) {
    draft.parts.push(mark);
    write(draft, item);
    mark = ',';
  }
  draft.parts.push(mark === '[' ? '[]' : ']');
}

function writeFields(draft: Draft, fields: { readonly [field: string]: Json }): void {
  let mark = '{';
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (field === undefined) continue;
    draft.parts.push(`${mark}${toScalar(name)}:`);
    write(draft, field);
    mark = ',';
  }
  draft.parts.push(mark === '{' ? '{}' : '}');
}

function writeDecimal(text: string, numbers: Profile['numbers']): string {
  if (numbers === 'number') return text;
  return numbers === 'string' ? `"${text}"` : addTail(text);
}

const TAIL_DIGIT = 16;

/** Adds the tail that a sum of doubles has: a 1 as the 16th digit, far behind the last one that counts. */
function addTail(text: string): string {
  const pointed = text.includes('.') ? text : `${text}.`;
  const digits = pointed.replaceAll(/\D/g, '').replace(/^0+/, '').length;
  return `${pointed}${'0'.repeat(Math.max(0, TAIL_DIGIT - 1 - digits))}1`;
}

/** Shows an optional text that may be absent. */
export function showText(text: string | null, absent: Profile['absent']): string | null {
  if (text !== null || absent === 'null') return text;
  // A field that is left out is undefined here; no type of the contract knows it.
  return absent === 'empty' ? '' : (undefined as never);
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/** Counts milliseconds since 1970-01-01 UTC. */
export type Instant = number;

/** Writes an instant as the service does: whole seconds with offset (contract.md 1), or in another form of a profile. */
export function toTimestamp(instant: Instant, form: Profile['timestamps'] = 'offset'): string {
  const time = new Date(instant);
  const fraction = form === 'fraction' ? `.${String(time.getUTCMilliseconds()).padStart(3, '0')}` : '';
  const date = `${time.getUTCFullYear()}-${pad(time.getUTCMonth() + 1)}-${pad(time.getUTCDate())}`;
  return `${date}T${pad(time.getUTCHours())}:${pad(time.getUTCMinutes())}:${pad(time.getUTCSeconds())}${fraction}${OFFSETS[form]}`;
}

function pad(part: number): string {
  return part < 10 ? `0${part}` : `${part}`;
}

const OFFSETS = { offset: '+00:00', zulu: 'Z', compactOffset: '+0000', fraction: '+00:00' } as const;
