import { type Duration, isRecord, redactKeys, toMilliseconds } from '@service/internal';
import * as z from 'zod/mini';

export type { Duration };

// Schemas of zod with a vocabulary for messages and documents. The error of each schema is the text that completes "must be", from
// which `formatProblem` writes sentences. The JSON schema of a check that zod does not know is registered for `npm run generate`.

/** A zod schema of a value. */
export type Schema<T = unknown> = z.ZodMiniType<T>;

/** The schemas of the fields of an object. */
export type Fields = Readonly<Record<string, Schema>>;

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The place of a value in a sentence about it, which `formatProblem` fills in. */
export const PLACE = '\uE010';

/** Registers the JSON schema of a check that zod does not know. */
/* @__NO_SIDE_EFFECTS__ */
function describe<S extends Schema>(schema: S, json: JsonSchema): S {
  z.globalRegistry.add(schema, json);
  return schema;
}

/** Adds an example or another keyword to the JSON schema of a schema. */
/* @__NO_SIDE_EFFECTS__ */
export function annotate<T>(schema: Schema<T>, json: JsonSchema): Schema<T> {
  return describe(schema.clone(), { ...z.globalRegistry.get(schema), ...json });
}

/** Returns the registered JSON schema of a schema, or of the one inside an optional schema. */
export function registeredJson(schema: Schema): JsonSchema {
  return z.globalRegistry.get(schema) ?? z.globalRegistry.get(unwrap(schema)) ?? {};
}

/** Makes a field optional. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  return z.optional(schema);
}

/** Returns the schema inside of an optional one. */
export function unwrap(schema: Schema): Schema {
  return (schema.def as { readonly innerType?: Schema }).innerType ?? schema;
}

/** Returns whether a field can be left out. */
export function isOptional(schema: Schema): boolean {
  return schema.def.type === 'optional';
}

/** A value that `parse` converts; undefined does not match. `explain` returns the reasons, as sentences with `PLACE` or not. */
/* @__NO_SIDE_EFFECTS__ */
export function convert<T>(
  expected: string,
  parse: (given: unknown) => T | undefined,
  json: JsonSchema = {},
  explain: (given: unknown) => readonly string[] = () => [],
): Schema<T> {
  const transform = z.transform((given: unknown, context): T => {
    const parsed = parse(given);
    if (parsed !== undefined) return parsed;
    const reasons = given === undefined ? [] : explain(given);
    const sentences = reasons.filter(isSentence);
    const params = { reason: reasons.find((each) => !isSentence(each)) };
    for (const message of sentences.length > 0 ? sentences : [expected])
      context.issues.push({ code: 'custom', message, input: given, params });
    return z.NEVER;
  });
  return describe(z.pipe(z.unknown(), transform), json);
}

function isSentence(message: string): boolean {
  return message.includes(PLACE);
}

/** A value that passes a check, in which `findProblems` finds none. */
/* @__NO_SIDE_EFFECTS__ */
export function accept<T>(
  expected: string,
  isMatch: (given: unknown) => boolean,
  json?: JsonSchema,
  findProblems: (given: T) => readonly string[] = () => [],
): Schema<T> {
  const explain = (given: unknown): readonly string[] => (isMatch(given) ? findProblems(given as T) : []);
  const parse = (given: unknown): T | undefined =>
    isMatch(given) && findProblems(given as T).length === 0 ? (given as T) : undefined;
  return convert(expected, parse, json, explain);
}

/** Text with a minimum length or a pattern. `not` takes the place of a lookahead, which many regular expressions lack. */
type TextSchema = JsonSchema & { minLength?: number; pattern?: string; not?: { pattern: string } };

/** Text. `expected` completes "must be". */
/* @__NO_SIDE_EFFECTS__ */
export function text(expected = 'text', json: TextSchema = {}): Schema<string> {
  const { minLength = 0, pattern = '', not } = json;
  const [expression, excluded] = [new RegExp(pattern), not && new RegExp(not.pattern)];
  const isMatch = (value: string): boolean =>
    value.length >= minLength && expression.test(value) && !excluded?.test(value);
  return accept(expected, (value) => typeof value === 'string' && isMatch(value), {
    type: 'string',
    ...json,
  });
}

/** A number from `minimum` to `maximum`. */
/* @__NO_SIDE_EFFECTS__ */
export function number(
  expected: string,
  limits: JsonSchema & { minimum?: number; maximum?: number } = {},
): Schema<number> {
  const { minimum = 0, maximum = Number.MAX_VALUE } = limits;
  const isMatch = (value: unknown): boolean =>
    typeof value === 'number' && value >= minimum && value <= maximum;
  return accept(expected, isMatch, { type: 'number', minimum, ...limits });
}

/** A whole number from `minimum` to `maximum`. */
/* @__NO_SIDE_EFFECTS__ */
export function whole(minimum = 0, maximum?: number, json: JsonSchema = {}): Schema<number> {
  const expected = `a whole number from ${minimum}${maximum === undefined ? '' : ` to ${maximum}`}`;
  const most = maximum ?? Number.MAX_SAFE_INTEGER;
  const isMatch = (value: unknown): boolean =>
    Number.isInteger(value) && Number(value) >= minimum && Number(value) <= most;
  const limits = { minimum, ...(maximum !== undefined && { maximum }) };
  return accept(expected, isMatch, { type: 'integer', ...limits, ...json });
}

/** One of the given values. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const T extends string | number>(values: readonly T[]): Schema<T> {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : value));
  const expected = values.length > 3 ? `one of ${quoted.join(', ')}` : quoted.join(' or ');
  const [type, ...others] = new Set(values.map((value) => typeof value));
  const json = { ...(others.length === 0 && { type }), enum: values };
  return accept(expected, (value) => values.includes(value as T), json);
}

export const boolean: Schema<boolean> = accept('true or false', (value) => typeof value === 'boolean', {
  type: 'boolean',
});

/** Any JSON value. */
export const anything: Schema = z.unknown();

/** A value of any of the given schemas. `expected` completes "must be". */
/* @__NO_SIDE_EFFECTS__ */
export function anyOf<const All extends readonly Schema[]>(
  schemas: All,
  expected: string = schemas.map(expectedOf).join(' or '),
): Schema<z.output<All[number]>> {
  const first = z.transform((given: unknown, context): z.output<All[number]> => {
    const results = schemas.map((schema) => z.safeParse(schema, given, { reportInput: true }));
    const found = results.find(({ success }) => success);
    if (found !== undefined) return found.data as z.output<All[number]>;
    // The problems inside of a value belong to the only schema that goes into it.
    const isInner = ({ path, code, message }: z.core.$ZodIssue): boolean =>
      path.length > 0 || code === 'unrecognized_keys' || isSentence(message);
    const inner = results.map(({ error }) => error?.issues ?? []).find((issues) => issues.some(isInner));
    addIssues(context, inner ?? [{ code: 'custom', message: expected, path: [], input: given }]);
    return z.NEVER;
  });
  return describe(z.pipe(z.unknown(), first), { ANY: schemas });
}

/** Returns the text that completes "must be" for a value that is left out. */
export function expectedOf(schema: Schema): string {
  return z.safeParse(schema, undefined).error?.issues[0]?.message ?? 'a JSON value';
}

/** One of some names, or another value that is not text. */
/* @__NO_SIDE_EFFECTS__ */
export function nameOr<const Name extends string, T>(
  names: readonly Name[],
  own: Schema<T>,
  expected: string = expectedOf(own),
): Schema<Name | T> {
  const named = oneOf(names);
  return anyOf([named, own], `${expectedOf(named)} or ${expected}`);
}

/** A value with a further rule. `findBroken` returns a sentence with `PLACE` if the rule is broken, or what it must be. */
/* @__NO_SIDE_EFFECTS__ */
export function refine<T>(schema: Schema<T>, findBroken: (given: T) => string | undefined): Schema<T> {
  const rule = z.transform((given: T, context) => {
    const message = findBroken(given);
    if (message !== undefined) context.issues.push({ code: 'custom', message, input: given });
    return given;
  });
  return describe(z.pipe(schema, rule as never), z.globalRegistry.get(schema) ?? {}) as object as Schema<T>;
}

/** A list. */
/* @__NO_SIDE_EFFECTS__ */
export function listOf<T>(item: Schema<T>, expected = 'a list', minItems = 0): Schema<readonly T[]> {
  const list = z.array(item, expected);
  if (minItems === 0) return list;
  return describe(
    refine<readonly T[]>(list, ({ length }) => (length < minItems ? expected : undefined)),
    { minItems },
  );
}

/** An object of the given fields. Other fields are left out. */
/* @__NO_SIDE_EFFECTS__ */
export function object<T extends object>(fields: Fields, expected = 'an object'): Schema<T> {
  return z.object(fields, expected) as object as Schema<T>;
}

/** An object of the given fields and no others. `title` names its schema in documents. */
/* @__NO_SIDE_EFFECTS__ */
export function strict<const All extends Fields>(
  fields: All,
  { expected = 'an object', ...json }: StrictOptions = {},
): z.ZodMiniObject<All> {
  const names = Object.keys(fields).join(', ');
  const error = ({ code }: z.core.$ZodRawIssue): string => (code === 'unrecognized_keys' ? names : expected);
  return describe(z.strictObject(fields, { error }), json);
}

interface StrictOptions extends JsonSchema {
  readonly expected?: string;
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

/** Adds the issues of a value, or of one that is part of it. */
function addIssues(
  context: z.core.ParsePayload,
  issues: readonly z.core.$ZodIssue[] = [],
  path: readonly PropertyKey[] = [],
): void {
  for (const issue of issues)
    context.issues.push({ ...issue, input: issue.input, path: [...path, ...issue.path] } as never);
}

function findIssues(schema: Schema, value: unknown): readonly z.core.$ZodIssue[] | undefined {
  return z.safeParse(schema, value, { reportInput: true }).error?.issues;
}

/** A value that is kept as it is given. It is checked after `prepare`. */
/* @__NO_SIDE_EFFECTS__ */
export function keep<T>(schema: Schema, prepare: (value: unknown) => unknown = (value) => value): Schema<T> {
  const transform = z.transform((given: unknown, context): T => {
    addIssues(context, findIssues(schema, prepare(given)));
    return given as T;
  });
  return describe(z.pipe(z.unknown(), transform), { KEPT: schema });
}

interface RecordOptions {
  /** The names that it can have, or their form. */
  readonly names: readonly string[] | RegExp;
  /** The form of the names in words, which completes "have the form". */
  readonly form?: string;
  readonly expected?: string;
  readonly json?: JsonSchema;
}

/** An object of values of one kind. It keeps the value as it is, with each own name: zod leaves out `__proto__`. */
/* @__NO_SIDE_EFFECTS__ */
export function recordOf<T>(
  item: Schema<T>,
  { names, form, expected = 'an object', json = {} }: RecordOptions,
): Schema<Readonly<Record<string, T>>> {
  const isForm = names instanceof RegExp;
  const entries = z.transform((given: unknown, context) => {
    const add = (message: string, issue: object = { code: 'custom' }): void =>
      void context.issues.push({ input: given, message, ...issue } as never);
    if (!isRecord(given)) {
      add(expected);
      return z.NEVER;
    }
    const unknown: string[] = [];
    for (const [name, value] of Object.entries(given)) {
      if (isForm ? names.test(name) : names.includes(name))
        addIssues(context, findIssues(item, value), [name]);
      else if (isForm)
        add(`${PLACE} has the name ${JSON.stringify(name.slice(0, 40))}, but names have the form ${form}`);
      else unknown.push(name);
    }
    if (unknown.length > 0)
      add(String(names).replaceAll(',', ', '), { code: 'unrecognized_keys', keys: unknown });
    return given as Readonly<Record<string, T>>;
  });
  const propertyNames = isForm ? { pattern: names.source } : { enum: names };
  return describe(z.pipe(z.unknown(), entries), { type: 'object', ITEM: item, propertyNames, ...json });
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

/** A problem of a value, with the names and indexes that lead to it. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly kind: 'missing' | 'mismatch' | 'unknown' | 'rule';
  /** The text that completes "must be", the names of an object with unknown ones, or the sentence of a rule. */
  readonly text: string;
  readonly reason?: string | undefined;
  /** The value that does not match, or the unknown names. */
  readonly given: unknown;
}

/** Parses a value. Returns its problems if it does not match. */
export function check<T>(
  schema: Schema<T>,
  value: unknown,
): { readonly parsed: T; readonly problems: readonly [] } | { readonly problems: readonly Problem[] } {
  const { success, data, error } = z.safeParse(schema, value, { reportInput: true });
  return success ? { parsed: data, problems: [] } : { problems: error.issues.map(toProblem) };
}

/** Returns the parsed value, or undefined if it does not match. */
export function parseAs<T>(schema: Schema<T>, value: unknown): T | undefined {
  return z.safeParse(schema, value).data;
}

function toProblem(issue: z.core.$ZodIssue): Problem {
  const { message: text, input: given } = issue;
  const path = issue.path as Problem['path'];
  if (issue.code === 'unrecognized_keys') return { path, kind: 'unknown', text, given: issue.keys };
  if (isSentence(text)) return { path, kind: 'rule', text, given };
  const reason = issue.code === 'custom' ? (issue.params?.['reason'] as string | undefined) : undefined;
  return { path, kind: given === undefined ? 'missing' : 'mismatch', text, reason, given };
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
const SECRET = /key$|^secret$|^baseUrl$/i;

/** Formats a problem as a clause: what is wrong, the name of the field, and the allowed values. */
export function formatProblem({ path, kind, text: allowed, reason, given }: Problem): string {
  const place = formatPath(path);
  if (kind === 'rule') return allowed.replaceAll(PLACE, place);
  if (kind === 'missing') return `${place} is missing: it must be ${allowed}`;
  if (kind === 'unknown') {
    const names = given as readonly string[];
    const shown = names
      .slice(0, MAX_SHOWN_NAMES)
      .map((name) => JSON.stringify(redactKeys(name).slice(0, 64)));
    const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
    const known = allowed === '' ? 'it takes none' : `it takes ${allowed}`;
    return `${place} has no field ${shown.join(', ')}${more}; ${known}`.trimStart();
  }
  const shown = SECRET.test(String(path.at(-1))) ? '' : formatGiven(given);
  return `${place} must be ${allowed}${shown}${reason === undefined ? '' : `: ${reason}`}`;
}

function formatGiven(value: unknown): string {
  if (typeof value === 'string')
    return `, not ${JSON.stringify(redactKeys(value).slice(0, MAX_SHOWN_CHARACTERS))}`;
  const isShown =
    value === null || value instanceof Date || ['number', 'boolean', 'bigint'].includes(typeof value);
  return isShown ? `, not ${String(value)}` : '';
}
