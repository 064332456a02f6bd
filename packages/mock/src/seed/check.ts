import { describeUnknown, isRecord } from '@service/internal';
import type { JsonSchema, Value, ValueFields } from '../domain/value.ts';

/** The names and indexes that lead to a value of a seed. */
export type SeedPath = readonly (string | number)[];

/** A problem of a seed. */
export interface SeedProblem {
  readonly path: SeedPath;
  readonly message: string;
  /** Whether the problem is the name at the end of the path, and not its value. */
  readonly isName?: true;
}

type AnyValue = Value<unknown, never>;

/** A value of a seed. Reports all of its problems, with their paths. */
export interface SeedValue extends Value {
  readonly check: (value: unknown, path: SeedPath) => readonly SeedProblem[];
}

/** Returns all problems of a value. */
function checkValue(schema: AnyValue, value: unknown, path: SeedPath): readonly SeedProblem[] {
  if ('check' in schema) return (schema as SeedValue).check(value, path);
  const json = schema.toJson === undefined ? value : schema.toJson(value as never);
  if (schema.parse(json) !== undefined) return [];
  const reason = schema.explain?.(json) ?? schema.findProblems?.(json, String(path.at(-1)))[0];
  return [{ path, message: `must be ${schema.expected}${reason === undefined ? '' : `: ${reason}`}.` }];
}

function createValue(expected: string, json: JsonSchema, findProblems: SeedValue['check']): SeedValue {
  return {
    expected,
    json,
    check: findProblems,
    parse: (value) => (findProblems(value, []).length === 0 ? value : undefined),
    findProblems: (value, name) =>
      findProblems(value, [name]).map((problem) => formatProblem(problem).replace(/\.$/, '')),
  };
}

/** An object with known fields. `title` names its schema in documents. */
export function record(fields: ValueFields, title?: string): SeedValue {
  const names = Object.keys(fields);
  const required = names.filter((name) => !fields[name]?.isOptional);
  const properties = Object.fromEntries(names.map((name) => [name, fields[name]?.json]));
  const json = {
    ...(title !== undefined && { title }),
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return createValue('an object with named fields', json, (value, path) => {
    if (!isRecord(value)) return [{ path, message: 'must be an object with named fields.' }];
    const given = Object.keys(value).filter((name) => value[name] !== undefined);
    return [
      ...required
        .filter((name) => value[name] === undefined)
        .map((name) => ({ path, message: `${name} is missing: it must be ${fields[name]?.expected}.` })),
      ...given.flatMap((name) =>
        checkNamed(Object.hasOwn(fields, name) ? fields[name] : names, value[name], [...path, name]),
      ),
    ];
  });
}

/** An object of values of one kind, with known names. */
export function map(item: AnyValue, names: readonly string[], title: string): SeedValue {
  const json = { title, type: 'object', additionalProperties: item.json, propertyNames: { enum: names } };
  return createValue('an object', json, (value, path) => {
    if (!isRecord(value)) return [{ path, message: 'must be an object.' }];
    return Object.entries(value).flatMap(([name, each]) =>
      checkNamed(names.includes(name) ? item : names, each, [...path, name]),
    );
  });
}

/** Checks a named value, or reports its name as unknown. */
function checkNamed(
  schema: AnyValue | readonly string[] | undefined,
  value: unknown,
  path: SeedPath,
): readonly SeedProblem[] {
  if (schema !== undefined && 'parse' in schema) return checkValue(schema, value, path);
  return [{ path, isName: true, message: describeUnknown(String(path.at(-1)), schema ?? []) }];
}

/** A list. */
export function list(item: AnyValue, json: JsonSchema = {}): SeedValue {
  const { minItems = 0 } = json as { readonly minItems?: number };
  return createValue('a list', { type: 'array', items: item.json, ...json }, (value, path) => {
    if (!Array.isArray(value) || value.length < minItems)
      return [{ path, message: minItems > 0 ? 'must be a list with at least one item.' : 'must be a list.' }];
    return value.flatMap((each, index) => checkValue(item, each, [...path, index]));
  });
}

/** Formats a problem with its path, such as `accounts[0].name must be text`. */
export function formatProblem({ path, message, isName }: SeedProblem): string {
  const place = (isName ? path.slice(0, -1) : path)
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
  return place === ''
    ? message
    : `${place}${isName || !/^(?:must|cannot) /.test(message) ? ':' : ''} ${message}`;
}
