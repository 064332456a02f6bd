import { Decimal } from './decimal.ts';

/** JSON value with the exact text of its numbers. */
export type JsonValue = string | boolean | null | Decimal | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}

type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** @throws {SyntaxError} when the text is not one JSON value */
export function decodeJson(text: string): JsonValue {
  const reviver: SourceReviver = (_key, value, { source }) =>
    typeof value === 'number' ? new Decimal(source ?? String(value)) : value;
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]) as JsonValue;
}

const escapes: Readonly<Record<string, string>> = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
  '\u2028': String.raw`\u2028`,
  '\u2029': String.raw`\u2029`,
};

function encodeString(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => escapes[character] ?? character,
  );
}

/** Writes a value as Go's `encoding/json` does, with escaped HTML characters. Skips undefined fields. */
export function encodeJson(value: unknown): string {
  if (value instanceof Decimal) return value.text;
  if (typeof value === 'string') return encodeString(value);
  if (Array.isArray(value)) return `[${value.map(encodeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${encodeString(name)}:${encodeJson(field)}`).join(',')}}`;
}

/** Type of a value in the messages of `json.UnmarshalTypeError`. */
export function jsonKind(value: JsonValue): string {
  if (value instanceof Decimal) return 'number';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value === null ? 'null' : typeof value;
}
