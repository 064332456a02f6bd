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

/** Writes compact JSON; a decimal becomes a number with all its digits, an undefined field is left out. */
export function toJson(value: Json, numbers: Profile['numbers'] = 'number'): string {
  if (value instanceof Decimal) return writeDecimal(value.toString(), numbers);
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => toJson(item, numbers)).join(',')}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${toJson(field, numbers)}`).join(',')}}`;
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
  const text = new Date(instant).toISOString();
  return `${text.slice(0, form === 'fraction' ? 23 : 19)}${OFFSETS[form]}`;
}

const OFFSETS = { offset: '+00:00', zulu: 'Z', compactOffset: '+0000', fraction: '+00:00' } as const;
