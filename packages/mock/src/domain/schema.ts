import { type Duration, isRecord, type JsonObject, parseDurationText, redactKeys } from '@service/internal';
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
  const { innerType } = schema.def as { readonly innerType?: Schema };
  return innerType ?? schema;
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
    const [sentences, [reason]] = [reasons.filter(isSentence), reasons.filter((each) => !isSentence(each))];
    const messages = sentences.length > 0 ? sentences : [expected];
    for (const message of messages)
      context.issues.push({ code: 'custom', message, input: given, params: { reason } });
    return z.NEVER;
  });
  return describe(z.pipe(z.unknown(), transform), json);
}

function isSentence(message: string): boolean {
  return message.includes(PLACE);
}

/** A value of a zod schema that passes a further check. */
/* @__NO_SIDE_EFFECTS__ */
function restrict<T>(
  schema: Schema<T>,
  expected: string,
  isValid: (value: T) => boolean,
  json: JsonSchema,
): Schema<T> {
  return describe(schema.check(z.refine(isValid, { error: expected, abort: true })), json);
}

interface TextSchema extends JsonSchema {
  readonly minLength?: number;
  readonly pattern?: string;
  /** In place of a lookahead, which many regular expressions lack. */
  readonly not?: { readonly pattern: string };
}

/** Text. `expected` completes "must be". */
/* @__NO_SIDE_EFFECTS__ */
export function text(expected = 'text', json: TextSchema = {}): Schema<string> {
  const { minLength = 0, pattern = '', not } = json;
  const [expression, excluded] = [new RegExp(pattern), not && new RegExp(not.pattern)];
  const isMatch = (value: string): boolean =>
    value.length >= minLength && expression.test(value) && !excluded?.test(value);
  return restrict(z.string(expected), expected, isMatch, json);
}

interface NumberLimits extends JsonSchema {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A number from `minimum` to `maximum`. */
/* @__NO_SIDE_EFFECTS__ */
export function number(expected: string, limits: NumberLimits = {}): Schema<number> {
  const { minimum = 0, maximum = Infinity } = limits;
  const isMatch = (value: number): boolean => value >= minimum && value <= maximum;
  return restrict(z.number(expected), expected, isMatch, { minimum, ...limits });
}

/** A whole number from `minimum` to `maximum`. */
/* @__NO_SIDE_EFFECTS__ */
export function whole(
  minimum = 0,
  maximum: number = Number.MAX_SAFE_INTEGER,
  json: JsonSchema = {},
): Schema<number> {
  const isOpen = maximum === Number.MAX_SAFE_INTEGER;
  const expected = `a whole number from ${minimum}${isOpen ? '' : ` to ${maximum}`}`;
  const isMatch = (value: number): boolean => Number.isInteger(value) && value >= minimum && value <= maximum;
  const limits = { type: 'integer', minimum, ...(!isOpen && { maximum }) };
  return restrict(z.number(expected), expected, isMatch, { ...limits, ...json });
}

/** One of the given values. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const T extends string | number>(values: readonly T[]): Schema<T> {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : value));
  return z.literal(values, values.length > 3 ? `one of ${quoted.join(', ')}` : quoted.join(' or '));
}

export const boolean: Schema<boolean> = z.boolean('true or false');

/** Any JSON value. */
export const anything: Schema = z.unknown();

/** A value of any of the given schemas. */
/* @__NO_SIDE_EFFECTS__ */
export function anyOf<const All extends readonly Schema[]>(...schemas: All): Schema<z.output<All[number]>> {
  return z.union(schemas, schemas.map(expectedOf).join(' or '));
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
  return z.union([named, own], `${expectedOf(named)} or ${expected}`);
}

/** A value with a further rule. `findBroken` returns a sentence with `PLACE` if the rule is broken. */
/* @__NO_SIDE_EFFECTS__ */
export function refine<T>(schema: Schema<T>, findBroken: (given: T) => string | undefined): Schema<T> {
  const rule = z.check<T>((payload) => {
    const message = findBroken(payload.value);
    if (message !== undefined) payload.issues.push({ code: 'custom', message, input: payload.value });
  });
  return describe(schema.check(rule as never), z.globalRegistry.get(schema) ?? {});
}

/** A list. */
/* @__NO_SIDE_EFFECTS__ */
export function listOf<T>(item: Schema<T>, expected = 'a list', minItems = 0): Schema<readonly T[]> {
  const list = z.array(item, expected);
  return minItems === 0 ? list : restrict(list, expected, ({ length }) => length >= minItems, { minItems });
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

interface RecordOptions {
  /** The names that it can have. Default: any. */
  readonly names?: readonly string[];
  /** Returns a sentence with `PLACE` about a wrong name. */
  readonly findWrong?: (name: string) => string | undefined;
  readonly expected?: string;
  readonly json?: JsonSchema;
}

/** Adds the problems of a value that is part of another one. */
function addProblems(
  context: z.core.ParsePayload,
  schema: Schema,
  value: unknown,
  path: readonly PropertyKey[] = [],
): void {
  for (const issue of z.safeParse(schema, value, { reportInput: true }).error?.issues ?? [])
    context.issues.push({ ...issue, input: issue.input, path: [...path, ...issue.path] } as never);
}

/** A value that is kept as it is given. It is checked after `prepare`. */
/* @__NO_SIDE_EFFECTS__ */
export function keep<T>(schema: Schema, prepare: (value: unknown) => unknown = (value) => value): Schema<T> {
  const transform = z.transform((given: unknown, context): T => {
    addProblems(context, schema, prepare(given));
    return given as T;
  });
  return describe(z.pipe(z.unknown(), transform), { KEPT: schema });
}

/** An object of values of one kind. It keeps the value as it is, with each own name: zod leaves out `__proto__`. */
/* @__NO_SIDE_EFFECTS__ */
export function recordOf<T>(
  item: Schema<T>,
  { names, findWrong = () => undefined, expected = 'an object', json = {} }: RecordOptions = {},
): Schema<Readonly<Record<string, T>>> {
  const entries = z.transform((given: unknown, context) => {
    const add = (message: string, issue: object = { code: 'custom' }): void =>
      void context.issues.push({ input: given, message, ...issue } as never);
    if (!isRecord(given)) {
      add(expected);
      return z.NEVER;
    }
    const unknown = Object.keys(given).filter((name) => !(names?.includes(name) ?? true));
    for (const [name, value] of Object.entries(given)) {
      const message = findWrong(name);
      if (message !== undefined) add(message);
      else if (!unknown.includes(name)) addProblems(context, item, value, [name]);
    }
    if (unknown.length > 0) add((names ?? []).join(', '), { code: 'unrecognized_keys', keys: unknown });
    return given as Readonly<Record<string, T>>;
  });
  const limits = names === undefined ? {} : { propertyNames: { enum: names } };
  return describe(z.pipe(z.unknown(), entries), { type: 'object', ITEM: item, ...limits, ...json });
}

/** An object whose names have a form. `form` completes "have the form". */
/* @__NO_SIDE_EFFECTS__ */
export function keyedBy<T>(
  item: Schema<T>,
  names: RegExp,
  { form, pattern = names.source, ...options }: { form: string; pattern?: string; expected?: string },
): Schema<Readonly<Record<string, T>>> {
  const findWrong = (name: string): string | undefined =>
    names.test(name)
      ? undefined
      : `${PLACE} has the name ${JSON.stringify(name.slice(0, 40))}, but names have the form ${form}`;
  return recordOf(item, { ...options, findWrong, json: { propertyNames: { pattern } } });
}

const durationText = { type: 'string', pattern: '^\\d+(?:\\.\\d+)?(?:ms|s|m|h|d)$' };

/** Returns the milliseconds of a duration, or undefined for any other value. */
export function toMilliseconds(value: unknown): number | undefined {
  const milliseconds = typeof value === 'string' ? parseDurationText(value) : value;
  const isDuration = typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds < Infinity;
  return isDuration ? milliseconds : undefined;
}

const ANY_DURATION = "milliseconds as a number, or text such as '500ms', '3s', '5m', '2h' or '1d'";

/** A duration within limits, in milliseconds. */
/* @__NO_SIDE_EFFECTS__ */
export function durationWithin(
  minimum: number,
  maximum: number,
  expected: string = ANY_DURATION,
): Schema<number> {
  const parse = (value: unknown): number | undefined => {
    const length = toMilliseconds(value) ?? -1;
    return length >= minimum && length <= maximum ? length : undefined;
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
  return success ? { parsed: data, problems: [] } : { problems: toProblems(error.issues, []) };
}

/** Returns the parsed value, or undefined if it does not match. */
export function parseAs<T>(schema: Schema<T>, value: unknown): T | undefined {
  return z.safeParse(schema, value).data;
}

function toProblems(issues: readonly z.core.$ZodIssue[], prefix: Problem['path']): Problem[] {
  return issues.flatMap((issue): Problem[] => {
    const path = [...prefix, ...issue.path] as Problem['path'];
    const { message, input: given } = issue;
    if (issue.code === 'unrecognized_keys')
      return [{ path, kind: 'unknown', text: message, given: issue.keys }];
    if (issue.code === 'invalid_union') {
      // The problems inside of a value belong to the only schema that goes into it.
      const inner = issue.errors.find((each) =>
        each.some(
          (one) => one.path.length > 0 || one.code === 'unrecognized_keys' || isSentence(one.message),
        ),
      );
      if (inner !== undefined) return toProblems(inner, path);
    }
    if (isSentence(message)) return [{ path, kind: 'rule', text: message, given }];
    const reason = issue.code === 'custom' ? (issue.params?.['reason'] as string | undefined) : undefined;
    return [{ path, kind: given === undefined ? 'missing' : 'mismatch', text: message, reason, given }];
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

/** Copies the own fields of an object, so that a polluted prototype adds none. Returns any other value as it is. */
export function copyFields(value: unknown): unknown {
  return isRecord(value) ? Object.assign(Object.create(null) as JsonObject, value) : value;
}
