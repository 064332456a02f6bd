import { Decimal } from './money.ts';

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
export function toJson(value: Json): string {
  if (value instanceof Decimal) return value.toString();
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(toJson).join(',')}]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`).join(',')}}`;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/** Counts milliseconds since 1970-01-01 UTC. */
export type Instant = number;

/** Writes an instant as the service does: whole seconds with offset (contract.md 1). */
export function toTimestamp(instant: Instant): string {
  return `${new Date(instant).toISOString().slice(0, 19)}+00:00`;
}
