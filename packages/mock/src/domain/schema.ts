import { type Duration, findNearest, isRecord, redactKeys, toMilliseconds } from '@service/internal';

export type { Duration };

// Schemas with a vocabulary for messages and documents. The text of each schema completes "must be".

/** The schema of a value. */
export interface Schema<T = unknown> {
  /** The text that completes "must be". */
  readonly expected: string;
  /** The JSON schema, in which a schema can be in place of its JSON schema. */
  readonly json: JsonSchema;
  /** The schema of the values of an optional field. */
  readonly inner?: Schema;
  /** Returns the parsed value, or adds its problems. */
  readonly parse: (given: unknown, place: Place) => T | undefined;
}

/** The schemas of the fields of an object. */
export type Fields = Readonly<Record<string, Schema>>;

/** The parsed values of fields. */
export type Output<All extends Fields> = {
  readonly [Name in keyof All]: All[Name] extends Schema<infer T> ? T : never;
};

/** The schema of an object with the given fields. */
export interface ObjectSchema<All extends Fields = Fields> extends Schema<Output<All>> {
  readonly fields: All;
}

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A problem of a value. */
export interface Problem {
  /** The names and indexes that lead to the value. */
  readonly path: readonly (string | number)[];
  /** The text after the path, such as "must be text". */
  readonly clause: string;
  /** Whether the value has the right type, and breaks a rule. */
  readonly isRule: boolean;
}

/** The path of a value, and the problems that were found. */
interface Place {
  readonly path: Problem['path'];
  readonly problems: Problem[];
}

/** Adds the problem of a value that does not match. */
function fail({ path, problems }: Place, expected: string, given: unknown, reason?: string): undefined {
  const shown = SECRET.test(String(path.at(-1))) ? '' : formatGiven(given);
  const clause = `must be ${expected}${shown}${reason === undefined ? '' : `: ${reason}`}`;
  const missing = `is missing: it must be ${expected}`;
  problems.push({ path, clause: given === undefined ? missing : clause, isRule: false });
}

/** Adds the problem of a value that breaks a rule. */
function refuse({ path, problems }: Place, clause: string): void {
  problems.push({ path, clause, isRule: true });
}

/** Adds the problem of an object with unknown names. */
function refuseUnknown(place: Place, unknown: readonly string[], known: readonly string[]): void {
  if (unknown.length === 0) return;
  const shown = unknown
    .slice(0, MAX_SHOWN_NAMES)
    .map((name) => JSON.stringify(redactKeys(name).slice(0, 64)));
  const more = unknown.length > shown.length ? ` and ${unknown.length - shown.length} more` : '';
  const nearest = unknown.length > 1 ? undefined : findNearest(unknown[0] ?? '', known);
  const hint = nearest === undefined ? '' : `; the nearest is "${nearest}"`;
  const names = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}${hint}`;
  refuse(place, `has no field ${shown.join(', ')}${more}; ${names}`);
}

/** Returns the place of a part of a value. */
function inside({ path, problems }: Place, name: string | number): Place {
  return { path: [...path, name], problems };
}

/** Parses a value. Returns its problems if it does not match. */
export function check<T>(
  schema: Schema<T>,
  value: unknown,
): { readonly parsed: T; readonly problems: readonly [] } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const parsed = schema.parse(value, { path: [], problems });
  return problems.length > 0 ? { problems } : { parsed: parsed as T, problems: [] };
}

/** Returns the parsed value, or undefined if it does not match. */
export function parseAs<T>(schema: Schema<T>, value: unknown): T | undefined {
  const result = check(schema, value);
  return 'parsed' in result ? result.parsed : undefined;
}

/** Adds an example or another keyword to the JSON schema of a schema. */
/* @__NO_SIDE_EFFECTS__ */
export function annotate<T>(schema: Schema<T>, json: JsonSchema): Schema<T> {
  return { ...schema, json: { ...schema.json, ...json } };
}

/** Makes a field optional. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  const parse: Schema<T>['parse'] = (given, place) =>
    given === undefined ? undefined : schema.parse(given, place);
  return { ...schema, inner: schema, parse };
}

/** A value that `parse` converts; undefined does not match. `explain` returns the reason. */
/* @__NO_SIDE_EFFECTS__ */
export function convert<T>(
  expected: string,
  parse: (given: unknown) => T | undefined,
  json: JsonSchema = {},
  explain?: (given: string) => string | undefined,
): Schema<T> {
  return {
    expected,
    json,
    parse(given, place) {
      const parsed = parse(given);
      if (parsed !== undefined) return parsed;
      return fail(place, expected, given, typeof given === 'string' ? explain?.(given) : undefined);
    },
  };
}

/** A value that passes a check. */
/* @__NO_SIDE_EFFECTS__ */
export function accept<T>(
  expected: string,
  isMatch: (given: unknown) => boolean,
  json: JsonSchema = {},
): Schema<T> {
  return convert(expected, (given) => (isMatch(given) ? (given as T) : undefined), json);
}

/** The keywords of a JSON schema that `matching` checks. `not` takes the place of a lookahead, which many regular expressions lack. */
type Keywords = JsonSchema & {
  type?: 'string' | 'number' | 'integer' | 'boolean';
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  pattern?: string;
  not?: { pattern: string };
};

/** Text, a number or a boolean that matches a JSON schema. `expected` completes "must be". */
/* @__NO_SIDE_EFFECTS__ */
function matching<T>(expected: string, json: Keywords): Schema<T> {
  const { type, enum: values, minimum = -Infinity, maximum = Number.MAX_VALUE, minLength = 0 } = json;
  const { pattern = '', not } = json;
  const [form, excluded] = [new RegExp(pattern), not && new RegExp(not.pattern)];
  const isMatch = (value: unknown): boolean => {
    if (values !== undefined) return values.includes(value);
    if (typeof value === 'string')
      return type === 'string' && value.length >= minLength && form.test(value) && !excluded?.test(value);
    if (typeof value !== 'number') return typeof value === type;
    const isNumber = type === 'number' || (type === 'integer' && Number.isSafeInteger(value));
    return isNumber && value >= minimum && value <= maximum;
  };
  return accept(expected, isMatch, json);
}

/** Text. `expected` completes "must be". */
/* @__NO_SIDE_EFFECTS__ */
export function text(expected = 'text', json: Keywords = {}): Schema<string> {
  return matching(expected, { type: 'string', ...json });
}

/** A number of 0 or more, or from `minimum` to `maximum`. */
/* @__NO_SIDE_EFFECTS__ */
export function number(expected: string, limits: Keywords): Schema<number> {
  return matching(expected, { type: 'number', minimum: 0, ...limits });
}

/** A whole number from `minimum` to `maximum`. */
/* @__NO_SIDE_EFFECTS__ */
export function whole(minimum = 0, maximum?: number, json: JsonSchema = {}): Schema<number> {
  const expected = `a whole number from ${minimum}${maximum === undefined ? '' : ` to ${maximum}`}`;
  return matching(expected, { type: 'integer', minimum, ...(maximum !== undefined && { maximum }), ...json });
}

/** One of the given values. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const T extends string | number>(values: readonly T[]): Schema<T> {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : value));
  const expected = values.length > 3 ? `one of ${quoted.join(', ')}` : quoted.join(' or ');
  const [type, ...others] = new Set(values.map((value) => typeof value as 'string' | 'number'));
  return matching(expected, { ...(type && others.length === 0 && { type }), enum: values });
}

export const boolean: Schema<boolean> = matching('true or false', { type: 'boolean' });

/** Any JSON value. */
export const anything: Schema = accept('a JSON value', (value) => value !== undefined);

/** A value of any of the given schemas. `expected` completes "must be". */
/* @__NO_SIDE_EFFECTS__ */
export function anyOf<const All extends readonly Schema[]>(
  schemas: All,
  expected: string = schemas.map((schema) => schema.expected).join(' or '),
): Schema<All[number] extends Schema<infer T> ? T : never> {
  return {
    expected,
    json: { anyOf: schemas },
    parse(given, place) {
      const results = schemas.map((schema) => check(schema, given));
      const found = results.find((result) => 'parsed' in result);
      if (found !== undefined) return found.parsed as never;
      // The problems inside of a value belong to the only schema that goes into it.
      const inner = schemas.find((_, index) =>
        results[index]?.problems.some(({ path, isRule }) => isRule || path.length > 0),
      );
      return inner === undefined ? fail(place, expected, given) : (inner.parse(given, place) as never);
    },
  };
}

/** One of some names, or another value that is not text. */
/* @__NO_SIDE_EFFECTS__ */
export function nameOr<const Name extends string, T>(
  names: readonly Name[],
  own: Schema<T>,
  expected: string = own.expected,
): Schema<Name | T> {
  const named = oneOf(names);
  return anyOf([named, own], `${named.expected} or ${expected}`);
}

/** A value with further rules. `findBroken` returns clauses about broken rules, such as "must have rows". */
/* @__NO_SIDE_EFFECTS__ */
export function refine<T>(schema: Schema<T>, findBroken: (given: T) => readonly string[]): Schema<T> {
  return {
    ...schema,
    parse(given, place) {
      const count = place.problems.length;
      const parsed = schema.parse(given, place);
      if (place.problems.length > count) return undefined;
      for (const clause of findBroken(parsed as T)) refuse(place, clause);
      return parsed;
    },
  };
}

/** A list. */
/* @__NO_SIDE_EFFECTS__ */
export function listOf<T>(item: Schema<T>, expected = 'a list', minItems = 0): Schema<readonly T[]> {
  return {
    expected,
    json: { type: 'array', ...(minItems > 0 && { minItems }), items: item },
    parse: (given, place) =>
      Array.isArray(given) && given.length >= minItems
        ? given.map((each: unknown, index) => item.parse(each, inside(place, index)) as T)
        : fail(place, expected, given),
  };
}

interface StrictOptions extends JsonSchema {
  readonly expected?: string;
}

/** An object of the given fields and no others. `title` names its schema in documents. */
/* @__NO_SIDE_EFFECTS__ */
export function strict<const All extends Fields>(
  fields: All,
  { expected = 'an object', ...json }: StrictOptions = {},
): ObjectSchema<All> {
  const required = Object.keys(fields).filter((name) => fields[name]?.inner === undefined);
  return {
    expected,
    fields,
    json: {
      type: 'object',
      properties: fields,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...json,
    },
    parse(given, place) {
      if (!isRecord(given)) return fail(place, expected, given);
      const entries = Object.entries<Schema>(fields).flatMap(([name, schema]) => {
        const parsed = schema.parse(given[name], inside(place, name));
        return name in given ? [[name, parsed]] : [];
      });
      const unknown = Object.keys(given).filter((name) => !Object.hasOwn(fields, name));
      refuseUnknown(place, unknown, Object.keys(fields));
      return Object.fromEntries(entries) as Output<All>;
    },
  };
}

/** An object of some of the given fields, all of the required fields and no others. */
/* @__NO_SIDE_EFFECTS__ */
export function choiceOf<T extends object>(
  fields: Fields,
  required: Fields = {},
  options: StrictOptions = {},
): Schema<T> {
  const choices = Object.entries(fields).map(([name, field]) => [name, optional(field)]);
  const all = { ...required, ...(Object.fromEntries(choices) as Fields) };
  return strict(all, options) as object as Schema<T>;
}

/** A value that is kept as it is given. */
/* @__NO_SIDE_EFFECTS__ */
export function keep<T>(schema: Schema): Schema<T> {
  return {
    ...schema,
    parse(given, place) {
      schema.parse(given, place);
      return given as T;
    },
  };
}

interface RecordOptions {
  /** The names that it can have, or their form. */
  readonly names: readonly string[] | RegExp;
  /** The form of the names in words, which completes "have the form". */
  readonly form?: string;
  readonly expected?: string;
  readonly json?: JsonSchema;
}

/** An object of values of one kind. Keeps the value unchanged, also a field `__proto__`. */
/* @__NO_SIDE_EFFECTS__ */
export function recordOf<T>(
  item: Schema<T>,
  { names, form, expected = 'an object', json = {} }: RecordOptions,
): Schema<Readonly<Record<string, T>>> {
  const isForm = names instanceof RegExp;
  const propertyNames = isForm ? { pattern: names.source } : { enum: names };
  return {
    expected,
    json: { type: 'object', propertyNames, ...json, additionalProperties: item },
    parse(given, place) {
      if (!isRecord(given)) return fail(place, expected, given);
      const unknown: string[] = [];
      for (const [name, value] of Object.entries(given)) {
        const shown = JSON.stringify(name.slice(0, 40));
        if (isForm ? names.test(name) : names.includes(name)) item.parse(value, inside(place, name));
        else if (isForm) refuse(place, `has the name ${shown}, but names have the form ${form}`);
        else unknown.push(name);
      }
      if (!isForm) refuseUnknown(place, unknown, names);
      return given as Readonly<Record<string, T>>;
    },
  };
}

const durationText = { type: 'string', pattern: '^\\d+(?:\\.\\d+)?(?:ms|s|m|h|d)$' };

const ANY_DURATION = "milliseconds as a number, or text such as '500ms', '3s', '5m', '2h' or '1d'";

/** A duration within limits, in milliseconds. */
/* @__NO_SIDE_EFFECTS__ */
export function durationWithin(
  minimum: number,
  maximum: number,
  expected: string = ANY_DURATION,
): Schema<number> {
  const parse = (value: unknown): number | undefined => {
    const isDuration = typeof value === 'string' || typeof value === 'number';
    const length = isDuration ? toMilliseconds(value as Duration) : -1;
    return length >= minimum && length <= maximum && length < Infinity ? length : undefined;
  };
  const limits = { minimum, ...(maximum < Infinity && { maximum }) };
  return convert(expected, parse, {
    anyOf: [{ type: 'number', ...limits }, durationText],
    examples: ['3s'],
  });
}

/** Formats a path, such as `accounts[0].name`. */
export function formatPath(path: Problem['path']): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
}

const MAX_SHOWN_NAMES = 3;
const MAX_SHOWN_CHARACTERS = 40;
/** The names of fields whose values are never shown: keys, secrets, and URLs that can contain a password. */
const SECRET = /key$|^(?:secret|token|baseUrl)$/i;

/** Formats a problem as a clause with the name of the field. */
export function formatProblem({ path, clause }: Problem): string {
  return `${formatPath(path)} ${clause}`.trimStart();
}

function formatGiven(value: unknown): string {
  if (typeof value === 'string')
    return `, not ${JSON.stringify(redactKeys(value).slice(0, MAX_SHOWN_CHARACTERS))}`;
  const isShown =
    value === null || value instanceof Date || ['number', 'boolean', 'bigint'].includes(typeof value);
  return isShown ? `, not ${String(value)}` : '';
}
