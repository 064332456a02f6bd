import { type Field, type JsonObject, redactKeys } from '@service/internal';

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

/** Returns a sentence for each field that is missing or does not match. */
export function findMismatches(given: JsonObject, fields: ValueFields, path: string): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.parse(given[name]) === undefined ? explainMismatch(path + name, given[name], field) : [],
  );
}

/** Explains why a value does not match its schema. */
export function explainMismatch(
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

/** Returns a sentence about the names that are not known. */
export function findUnknown(given: readonly string[], known: readonly string[]): string[] {
  const unknownNames = given.filter((name) => !known.includes(name));
  if (unknownNames.length === 0) return [];
  const shown = unknownNames
    .slice(0, MAX_SHOWN_NAMES)
    .map((name) => JSON.stringify(redactKeys(name).slice(0, 64)));
  const more = unknownNames.length > shown.length ? ` and ${unknownNames.length - shown.length} more` : '';
  const taken = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  return [`has no field ${shown.join(', ')}${more}; ${taken}`];
}
