import {
  type Duration,
  type Field,
  isRecord,
  type JsonObject,
  parseDurationText,
  redactKeys,
  wholeNumber,
} from '@service/internal';

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The schema of a value of an operation: `parse` checks its JSON form, `toJson` converts its in-process form to that.
 */
export interface Value<T = unknown, Form = T> extends Field<T> {
  /** Undefined for a field that exists in process only. */
  readonly json?: JsonSchema;
  readonly toJson?: (given: Form) => unknown;
  /** Explains a mismatch inside of a value. */
  readonly findProblems?: (value: unknown, name: string) => readonly string[];
  /** Explains a value that does not match, after the sentence about it. */
  readonly explain?: (value: unknown) => string | undefined;
  /** Whether error messages must not contain the value. */
  readonly isSecret?: true;
  readonly isOptional?: true;
}

/** The fields of an operation or object, by name. */
export type ValueFields = Readonly<Record<string, Value<unknown, never>>>;

/** A field that can be left out. */
export type Optional<V> = V & { readonly isOptional: true };

/** The parsed fields. */
export type Checked<All extends ValueFields> = {
  readonly [Name in keyof All]: All[Name] extends Field<infer T>
    ? T | (All[Name] extends { readonly isOptional: true } ? undefined : never)
    : never;
};

/** The fields as callers in process pass them. */
export type Given<All extends ValueFields> = {
  readonly [Name in keyof All]?: InProcess<All[Name]> | undefined;
};

/** The in-process form of a value. */
export type InProcess<V> = V extends { readonly toJson?: (given: infer Form) => unknown }
  ? unknown extends Form
    ? V extends Field<infer T>
      ? T
      : never
    : Form
  : never;

const MAX_SHOWN_NAMES = 3;
const MAX_SHOWN_CHARACTERS = 40;

/** Parses the JSON form of fields. Returns a sentence for each field that is invalid or unknown. */
export function checkFields<All extends ValueFields>(
  given: JsonObject,
  fields: All,
): { readonly parsed: Checked<All>; readonly problems: readonly string[] } {
  const names = Object.keys(fields);
  const parsed = names.map((name) => [name, fields[name]?.parse(given[name])] as const);
  const problems = [...findMismatches(given, fields, ''), ...findUnknown(Object.keys(given), names)];
  const present = parsed.filter(([, result]) => result !== undefined);
  return { parsed: Object.fromEntries(present) as Checked<All>, problems };
}

function findMismatches(given: JsonObject, fields: ValueFields, path: string): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.parse(given[name]) === undefined ? explainMismatch(path + name, given[name], field) : [],
  );
}

/** Explains why a value does not match its schema. */
function explainMismatch(
  name: string,
  value: unknown,
  { expected, isOptional, isSecret, findProblems, explain }: Value<unknown, never>,
): readonly string[] {
  if (value === undefined) return isOptional ? [] : [`${name} is missing: it must be ${expected}`];
  const problems = findProblems?.(value, name) ?? [];
  if (problems.length > 0) return problems;
  const reason = explain?.(value);
  const given = isSecret ? '' : formatGiven(value);
  return [`${name} must be ${expected}${given}${reason === undefined ? '' : `: ${reason}`}`];
}

function formatGiven(value: unknown): string {
  if (typeof value === 'string')
    return `, not ${JSON.stringify(redactKeys(value).slice(0, MAX_SHOWN_CHARACTERS))}`;
  const isShown =
    value === null || value instanceof Date || ['number', 'boolean', 'bigint'].includes(typeof value);
  return isShown ? `, not ${String(value)}` : '';
}

function findUnknown(given: readonly string[], known: readonly string[]): string[] {
  const unknownNames = given.filter((name) => !known.includes(name));
  if (unknownNames.length === 0) return [];
  const shown = unknownNames
    .slice(0, MAX_SHOWN_NAMES)
    .map((name) => JSON.stringify(redactKeys(name).slice(0, 64)));
  const more = unknownNames.length > shown.length ? ` and ${unknownNames.length - shown.length} more` : '';
  const taken = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  return [`has no field ${shown.join(', ')}${more}; ${taken}`];
}

// The annotations let bundlers drop the schemas of HTTP bodies from pages that do not use the control API.

/** Makes a field optional. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<V extends Value<unknown, never>>(value: V): Optional<V> {
  return { ...value, isOptional: true };
}

/** Text. `expected` completes "must be". */
/* @__NO_SIDE_EFFECTS__ */
export function text(expected = 'text', json: JsonSchema = {}): Value<string> {
  const { minLength = 0, pattern = '' } = json as { readonly minLength?: number; readonly pattern?: string };
  const expression = new RegExp(pattern);
  const isMatch = (value: unknown): value is string =>
    typeof value === 'string' && value.length >= minLength && expression.test(value);
  return {
    expected,
    parse: (value) => (isMatch(value) ? value : undefined),
    json: { type: 'string', ...json },
  };
}

/** A number from `minimum` to `maximum`. */
/* @__NO_SIDE_EFFECTS__ */
export function number(
  expected: string,
  { minimum = 0, maximum = Infinity, ...json }: NumberLimits = {},
): Value<number> {
  const isMatch = (value: unknown): value is number =>
    typeof value === 'number' && value >= minimum && value <= maximum;
  return {
    expected,
    parse: (value) => (isMatch(value) ? value : undefined),
    json: { type: 'number', minimum, ...(maximum < Infinity && { maximum }), ...json },
  };
}

interface NumberLimits extends JsonSchema {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A whole number from `minimum` to `maximum`. */
/* @__NO_SIDE_EFFECTS__ */
export function whole(
  minimum = 0,
  maximum: number = Number.MAX_SAFE_INTEGER,
  json: JsonSchema = {},
): Value<number> {
  const limits = { minimum, ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }) };
  return { ...wholeNumber(maximum, minimum), json: { type: 'integer', ...limits, ...json } };
}

/** One of the given values. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const T extends string | number>(values: readonly T[]): Value<T> {
  const types = [...new Set(values.map((value) => typeof value))];
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : value));
  return {
    expected: values.length > 3 ? `one of ${quoted.join(', ')}` : quoted.join(' or '),
    parse: (value) => values.find((each) => each === value),
    json: { ...(types.length === 1 && { type: types[0] }), enum: values },
  };
}

export const boolean: Value<boolean> = {
  expected: 'true or false',
  parse: (value) => (typeof value === 'boolean' ? value : undefined),
  json: { type: 'boolean' },
};

/** Null, or another value. */
/* @__NO_SIDE_EFFECTS__ */
export function nullable<T>(value: Value<T>): Value<T | null> {
  return anyOf(value, {
    expected: 'null',
    parse: (each) => (each === null ? null : undefined),
    json: { type: 'null' },
  });
}

/** A value of any of the given schemas. */
/* @__NO_SIDE_EFFECTS__ */
export function anyOf<All extends readonly Value<unknown, never>[]>(
  ...values: All
): Value<All[number] extends Field<infer T> ? T : never> {
  return {
    expected: values.map(({ expected }) => expected).join(' or '),
    parse: (value) => values.map(({ parse }) => parse(value)).find((parsed) => parsed !== undefined) as never,
    json: { anyOf: values.map(({ json }) => json) },
  };
}

/** A list. */
/* @__NO_SIDE_EFFECTS__ */
export function listOf<T>(item: Value<T>): Value<readonly T[]> {
  const { findProblems } = item;
  const findItemProblems: Value['findProblems'] = (value, path) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => findProblems?.(each, `${path}[${index}]`) ?? [])
      : [];
  return {
    expected: 'a list',
    parse: (value) =>
      Array.isArray(value) && value.every((each) => item.parse(each) !== undefined) ? value : undefined,
    findProblems: findItemProblems,
    explain: (value) => findItemProblems(value, '')[0],
    json: { type: 'array', items: item.json },
  };
}

/** An object. `title` names its schema in the OpenAPI document. */
/* @__NO_SIDE_EFFECTS__ */
export function object<T extends object>(fields: ValueFields, title?: string): Value<T> {
  const required = Object.keys(fields).filter((name) => !fields[name]?.isOptional);
  return createObject((given, path) => findMismatches(given, fields, `${path}.`), {
    ...(title !== undefined && { title }),
    type: 'object',
    properties: toProperties(fields),
    ...(required.length > 0 && { required }),
  });
}

/** An object of some of the given fields and no others. */
/* @__NO_SIDE_EFFECTS__ */
export function choiceOf<T extends object>(fields: ValueFields): Value<T> {
  const choices = Object.entries(fields).map(([name, field]) => [name, optional(field)]);
  const optionalFields = Object.fromEntries(choices) as ValueFields;
  const findProblems: FindProblems = (given, path) => [
    ...findMismatches(given, optionalFields, `${path}.`),
    ...findUnknown(Object.keys(given), Object.keys(fields)).map((problem) => `${path} ${problem}`),
  ];
  return createObject(findProblems, {
    type: 'object',
    properties: toProperties(fields),
    additionalProperties: false,
  });
}

/** An object of values of one kind. `names` limits its properties. */
/* @__NO_SIDE_EFFECTS__ */
export function recordOf<T>(item: Value<T>, names?: readonly string[]): Value<Readonly<Record<string, T>>> {
  const findProblems: FindProblems = (given, path) => [
    ...findUnknown(Object.keys(given), names ?? Object.keys(given)).map((problem) => `${path} ${problem}`),
    ...Object.entries(given).flatMap(([name, value]) =>
      item.parse(value) === undefined ? explainMismatch(`${path}.${name}`, value, item) : [],
    ),
  ];
  return createObject(findProblems, {
    type: 'object',
    additionalProperties: item.json,
    ...(names !== undefined && { propertyNames: { enum: names } }),
  });
}

type FindProblems = (given: JsonObject, path: string) => readonly string[];

function createObject<T extends object>(findProblems: FindProblems, json: JsonSchema): Value<T> {
  return {
    expected: 'an object',
    parse: (value) => (isRecord(value) && findProblems(value, '').length === 0 ? (value as T) : undefined),
    findProblems: (value, path) => (isRecord(value) ? findProblems(value, path) : []),
    json,
  };
}

function toProperties(fields: ValueFields): JsonSchema {
  return Object.fromEntries(Object.entries(fields).map(([name, { json }]) => [name, json]));
}

/** Any JSON value. */
export const anything: Value = {
  expected: 'a JSON value',
  parse: (value) => value,
  json: {},
};

export type { Duration };

/** A duration in milliseconds. */
export const duration: Value<number, Duration> = {
  expected: "milliseconds as a number, or text such as '500ms', '3s', '5m', '2h' or '1d'",
  parse(value) {
    const milliseconds = typeof value === 'string' ? parseDurationText(value) : value;
    const isDuration = typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds < Infinity;
    return isDuration ? milliseconds : undefined;
  },
  json: {
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', pattern: '^\\d+(?:\\.\\d+)?(?:ms|s|m|h|d)$' },
    ],
    examples: ['3s'],
  },
};

/** A duration within limits, in milliseconds. */
/* @__NO_SIDE_EFFECTS__ */
export function durationWithin(minimum: number, maximum: number, expected: string): Value<number, Duration> {
  return {
    ...duration,
    expected,
    parse: (value) => {
      const length = duration.parse(value) ?? -1;
      return length >= minimum && length <= maximum ? length : undefined;
    },
  };
}
