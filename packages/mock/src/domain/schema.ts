import {
  type Duration,
  isRecord,
  type Field,
  type JsonObject,
  parseDurationText,
  wholeNumber,
} from '@service/internal';
import {
  explainMismatch,
  findMismatches,
  findUnknown,
  type JsonSchema,
  type Optional,
  type Value,
  type ValueFields,
} from './value.ts';

// The annotations let bundlers drop the schemas of HTTP bodies from pages that do not use the control API.

/** Makes a field optional. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<V extends Value<unknown, never>>(value: V): Optional<V> {
  return { ...value, isOptional: true };
}

/** Text. `expected` completes "must be". */
/* @__NO_SIDE_EFFECTS__ */
export function text(expected = 'text', json: TextSchema = {}): Value<string> {
  const { minLength = 0, pattern = '', not } = json;
  const [expression, excluded] = [new RegExp(pattern), not && new RegExp(not.pattern)];
  const isMatch = (value: unknown): value is string =>
    typeof value === 'string' &&
    value.length >= minLength &&
    expression.test(value) &&
    !excluded?.test(value);
  return {
    expected,
    parse: (value) => (isMatch(value) ? value : undefined),
    json: { type: 'string', ...json },
  };
}

interface TextSchema extends JsonSchema {
  readonly minLength?: number;
  readonly pattern?: string;
  /** In place of a lookahead, which many regular expressions lack. */
  readonly not?: { readonly pattern: string };
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

/** One of some names, or another value that is not text. */
/* @__NO_SIDE_EFFECTS__ */
export function nameOr<const Name extends string, T>(
  names: readonly Name[],
  own: Value<T>,
  expected: string = own.expected,
): Value<Name | T> {
  const named = oneOf(names);
  return {
    expected: `${named.expected} or ${expected}`,
    parse: (value) => (typeof value === 'string' ? named.parse(value) : own.parse(value)),
    findProblems: (value, path) => (typeof value === 'string' ? [] : (own.findProblems?.(value, path) ?? [])),
    json: { anyOf: [named.json, own.json] },
  };
}

/** A value with a further rule. `findBroken` returns a sentence if the rule is broken. */
/* @__NO_SIDE_EFFECTS__ */
export function refine<T>(
  value: Value<T>,
  findBroken: (given: unknown, path: string) => string | undefined,
): Value<T> {
  return {
    ...value,
    parse: (given) => (findBroken(given, '') === undefined ? value.parse(given) : undefined),
    findProblems: (given, path) => {
      const broken = findBroken(given, path);
      return [...(value.findProblems?.(given, path) ?? []), ...(broken === undefined ? [] : [broken])];
    },
  };
}

/** A list. */
/* @__NO_SIDE_EFFECTS__ */
export function listOf<T>(item: Value<T>): Value<readonly T[]> {
  return {
    expected: 'a list',
    parse: (value) =>
      Array.isArray(value) && value.every((each) => item.parse(each) !== undefined) ? value : undefined,
    findProblems: (value, path) =>
      Array.isArray(value)
        ? value.flatMap((each, index) =>
            item.parse(each) === undefined ? explainMismatch(`${path}[${index}]`, each, item) : [],
          )
        : [],
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

/** An object of some of the given fields, all of the required fields and no others. */
/* @__NO_SIDE_EFFECTS__ */
export function choiceOf<T extends object>(fields: ValueFields, required: ValueFields = {}): Value<T> {
  const choices = Object.entries(fields).map(([name, field]) => [name, optional(field)]);
  const all = { ...required, ...(Object.fromEntries(choices) as ValueFields) };
  const names = Object.keys(required);
  const findProblems: FindProblems = (given, path) => [
    ...findMismatches(given, all, `${path}.`),
    ...findUnknown(Object.keys(given), Object.keys(all)).map((problem) => `${path} ${problem}`),
  ];
  return createObject(findProblems, {
    type: 'object',
    properties: toProperties(all),
    ...(names.length > 0 && { required: names }),
    additionalProperties: false,
  });
}

/** An object of values of one kind. `names` limits its properties. */
/* @__NO_SIDE_EFFECTS__ */
export function recordOf<T>(
  item: Value<T, never>,
  names?: readonly string[],
): Value<Readonly<Record<string, T>>> {
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

/** An object whose names have a form. `form` completes "in the form". */
/* @__NO_SIDE_EFFECTS__ */
export function keyedBy<T>(
  item: Value<T, never>,
  names: RegExp,
  form: string,
  pattern: string = names.source,
): Value<Readonly<Record<string, T>>> {
  const values = recordOf(item);
  const named = refine(values, (value, path) => {
    const wrong = isRecord(value) ? Object.keys(value).find((name) => !names.test(name)) : undefined;
    return wrong === undefined
      ? undefined
      : `${path} has the name ${JSON.stringify(wrong.slice(0, 40))}, but names have the form ${form}`;
  });
  return { ...named, json: { ...values.json, propertyNames: { pattern } } };
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

const durationText = { type: 'string', pattern: '^\\d+(?:\\.\\d+)?(?:ms|s|m|h|d)$' };

/** A duration in milliseconds. */
export const duration: Value<number, Duration> = {
  expected: "milliseconds as a number, or text such as '500ms', '3s', '5m', '2h' or '1d'",
  parse(value) {
    const milliseconds = typeof value === 'string' ? parseDurationText(value) : value;
    const isDuration = typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds < Infinity;
    return isDuration ? milliseconds : undefined;
  },
  json: {
    anyOf: [{ type: 'number', minimum: 0 }, durationText],
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
    json: {
      anyOf: [{ type: 'number', minimum, maximum }, durationText],
      examples: ['3s'],
    },
  };
}
