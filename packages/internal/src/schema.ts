import { isRecord, type JsonObject, readOwn } from './json.ts';

/** Creates the error of a value that does not match a schema. */
export type CreateError = (message: string) => Error;

/**
 * One field: its description in an error message, and a parser that returns undefined for a value that does
 * not match.
 */
export interface Field<T = unknown> {
  readonly expected: string;
  readonly parse: (value: unknown) => T | undefined;
  readonly isRequired?: boolean;
}

/** A field that must be present. */
export interface RequiredField<T = unknown> extends Field<T> {
  readonly isRequired: true;
}

/** The fields of an object, by name. */
export type Fields = Readonly<Record<string, Field>>;

/** One field for each property of an options type. */
export type FieldsOf<Options> = { readonly [Name in keyof Options]-?: Field<NonNullable<Options[Name]>> };

/** The fields of an object, its name in error messages, and the error of a mismatch. */
export interface Schema<All extends Fields = Fields> {
  readonly name: string;
  readonly fields: All;
  readonly createError: CreateError;
}

/** The parsed object: a value, or undefined for an optional field that is absent. */
export type Parsed<All extends Fields> = {
  readonly [Name in keyof All]: All[Name] extends RequiredField<infer T>
    ? T
    : All[Name] extends Field<infer T>
      ? T | undefined
      : never;
};

/**
 * Parses an object. Reads each value once, and ignores a polluted prototype.
 *
 * @throws {Error} the result of `createError` when a field is unknown or a value does not match, also the
 * missing value of a required field.
 */
export function parseObject<All extends Fields>(value: unknown, schema: Schema<All>): Parsed<All> {
  return parseFields(pickKnown(value, schema), schema);
}

/**
 * Parses the known fields of an object and ignores others.
 *
 * @throws {Error} the result of `createError` when a value does not match, also the missing value of a
 * required field.
 */
export function parseFields<All extends Fields>(
  given: JsonObject,
  schema: Omit<Schema<All>, 'name'>,
): Parsed<All> {
  const parsed: Record<string, unknown> = {};
  for (const [name, { isRequired }] of Object.entries(schema.fields)) {
    const value = readOwn(given, name);
    // An own undefined hides a polluted prototype.
    parsed[name] = isRequired || value !== undefined ? parseField(name, value, schema) : value;
  }
  return parsed as Parsed<All>;
}

/**
 * Returns an object whose fields are all known.
 *
 * @throws {Error} the result of `createError` when a field is unknown.
 */
export function pickKnown(value: unknown, { name, fields, createError }: Schema): JsonObject {
  if (!isRecord(value)) throw createError(`${name} must be an object.`);
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(fields, key)) continue;
    throw createError(
      `${JSON.stringify(key.slice(0, 40))} is unknown. Use one of: ${Object.keys(fields).join(', ')}.`,
    );
  }
  return value;
}

/**
 * Parses one value.
 *
 * @throws {Error} the result of `createError` when the value does not match.
 */
export function parseField(
  name: string,
  value: unknown,
  { fields, createError }: Omit<Schema, 'name'>,
): unknown {
  const field = fields[name] as Field;
  const result = field.parse(value);
  if (result === undefined) throw createError(`${name} must be ${field.expected}.`);
  return result;
}

/** A field of the values that a check accepts. */
/* @__NO_SIDE_EFFECTS__ */
export function matching<T>(expected: string, isValid: (value: unknown) => boolean): Field<T> {
  return { expected, parse: (value) => (isValid(value) ? (value as T) : undefined) };
}

/** A whole number within limits. */
/* @__NO_SIDE_EFFECTS__ */
export function wholeNumber(max: number, min = 0): Field<number> {
  const isWithin = (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
  return matching(`a whole number from ${min}${max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ''}`, isWithin);
}

/** Text with a character other than white space. */
export const nonEmptyText: Field<string> = matching(
  'a string that is not empty',
  (value) => typeof value === 'string' && value.trim() !== '',
);

/** One of some words or numbers. */
export function oneOf<const T extends string | number>(...values: readonly T[]): Field<T> {
  return {
    expected: values.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(' or '),
    parse: (value) => values.find((one) => one === value),
  };
}

export const boolean: Field<boolean> = matching('true or false', (value) => typeof value === 'boolean');

/** A function. Its parameters are not checked. */
/* @__NO_SIDE_EFFECTS__ */
export function callable<T>(): Field<T> {
  return matching('a function', (value) => typeof value === 'function');
}

/** A function that is called with a URL and options, like `fetch`. One that ignores the options is refused. */
export function fetchFunction<T>(): Field<T> {
  return matching(
    'a function of a URL and options, not of a Request: pass (url, init) => fetch(url, init)',
    (value) => typeof value === 'function' && !ignoresOptions(value),
  );
}

function ignoresOptions(fetch: { readonly length: number }): boolean {
  const source = Function.prototype.toString.call(fetch);
  // Without patterns and comments, up to the end of the parameters.
  const [head = ''] = source.replaceAll(/\{.*?\}|\/\*.*?\*\//gs, '').split(/\)|=>/, 1);
  // The `fetch` of Node and undici also has one parameter without a default, so its length is 1.
  return fetch.length === 1 && !/,\s*\S|[=.]/.test(head) && !/\barguments\b|\[native code]/.test(source);
}

/** A time in milliseconds that is kept, such as a maximum age. */
export const milliseconds: Field<number> = matching(
  'a positive whole number of milliseconds',
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
);

/** A time in milliseconds that a timer measures. A timer of more than 2^31 - 1 ms would fire immediately. */
export const duration: Field<number> = matching(
  'a positive number of milliseconds, at most 2147483647',
  (value) => typeof value === 'number' && value > 0 && value <= 2_147_483_647,
);

/** An abort signal of any realm. */
export const abortSignal: Field<AbortSignal> = matching('an AbortSignal; pass `controller.signal`', isSignal);

function isSignal(value: unknown): value is AbortSignal {
  return (
    isRecord(value) && typeof value.aborted === 'boolean' && typeof value.removeEventListener === 'function'
  );
}
