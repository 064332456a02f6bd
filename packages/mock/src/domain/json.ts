import {
  MAX_RESPONSE_BYTES,
  memoize,
  type ObjectTemplate,
  type Placeholder,
  readCases,
  readEach,
  responseNames,
  splitText,
  type Template,
  type TimestampForm,
} from '@service/internal';
import type { Profile } from './profile.ts';

/** The text of a template with values that it gets when its response is sent. */
export class ResponseText {
  readonly parts: readonly (string | Placeholder)[];

  constructor(parts: readonly (string | Placeholder)[]) {
    this.parts = parts;
  }
}

// Private characters. `toText` and `toJson` escape those of other texts, so that no request can contain a mark.
export const MARK = '\uE000';
export const SEPARATOR = '\uE001';

/** Returns a text with marks in place of the values of its response. */
export function toText(value: string | ResponseText, write: (part: string) => string = replaceMarks): string {
  if (typeof value === 'string') return write(value);
  const parts = value.parts.map((part) =>
    typeof part === 'string' ? write(part) : MARK + [part.name, ...part.words].join(SEPARATOR) + MARK,
  );
  return parts.join('');
}

function replaceMarks(text: string): string {
  return text.replaceAll(MARK, '\uFFFD');
}

/** A response is larger than it may be. */
export class ResponseSizeError extends Error {
  override readonly name = 'ResponseSizeError' as const;

  constructor() {
    super('The sandbox sends no response of more than 5 MB. Shorten the templates of the profile.');
  }
}

export const AMOUNT_SCALE = 2;

const RATE_SCALE = 6;

/** An exact decimal number: `units` / 10^`scale`. */
export class Decimal {
  readonly units: bigint;
  readonly scale: number;
  /** The form in JSON. Default: that of the profile. */
  readonly form: Profile['numbers'] | undefined;

  constructor(units: bigint, scale: number, form?: Profile['numbers']) {
    this.units = units;
    this.scale = scale;
    this.form = form;
  }

  /** Formats the number in its shortest decimal form, without an exponent or trailing zeros. */
  toString(): string {
    const isNegative = this.units < 0n;
    const digits = (isNegative ? -this.units : this.units).toString().padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    let end = digits.length;
    while (end > point && digits[end - 1] === '0') end -= 1;
    const fraction = end === point ? '' : `.${digits.slice(point, end)}`;
    return `${isNegative ? '-' : ''}${digits.slice(0, point)}${fraction}`;
  }
}

/** Converts an amount in hundredths to a decimal. */
export function toAmount(units: bigint): Decimal {
  return new Decimal(units, AMOUNT_SCALE);
}

/** Converts a rate in millionths to a decimal. */
export function toRate(units: bigint): Decimal {
  return new Decimal(units, RATE_SCALE);
}

/** A value that was written as JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** A value that `toJson` can serialize. Amounts are exact decimals. */
export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | Decimal
  | ResponseText
  | JsonText
  | readonly Json[]
  | { readonly [field: string]: Json };

/**
 * Serializes a value as compact JSON. Decimals take the form that the profile selects; undefined fields are
 * omitted.
 *
 * @throws {ResponseSizeError} before the text is larger than a response may be
 */
export function toJson(value: Json, numbers: Profile['numbers'] = 'number'): string {
  return checkSize(writeValue(value, numbers));
}

/**
 * Returns the text of a response.
 *
 * @throws {ResponseSizeError} for a text that is larger than a response may be
 */
export function checkSize(text: string): string {
  // A character has at most 3 bytes for each of its code units.
  const isLarge = text.length * 3 > MAX_RESPONSE_BYTES;
  if (isLarge && new TextEncoder().encode(text).byteLength > MAX_RESPONSE_BYTES)
    throw new ResponseSizeError();
  return text;
}

function writeValue(value: Json, numbers: Profile['numbers']): string {
  if (typeof value !== 'object' || value === null) return toScalar(value);
  if (value instanceof JsonText) return value.text;
  if (value instanceof Decimal) return writeDecimal(value.toString(), value.form ?? numbers);
  if (value instanceof ResponseText) return `"${toText(value, (part) => toScalar(part).slice(1, -1))}"`;
  let text = '';
  if (isList(value)) {
    for (const item of value) text = append(text, (text === '' ? '[' : ',') + writeValue(item, numbers));
    return text === '' ? '[]' : `${text}]`;
  }
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    text = append(text, `${(text === '' ? '{' : ',') + toScalar(name)}:${writeValue(field, numbers)}`);
  }
  return text === '' ? '{}' : `${text}}`;
}

function append(text: string, part: string): string {
  if (text.length + part.length > MAX_RESPONSE_BYTES) throw new ResponseSizeError();
  return text + part;
}

const PLAIN = /^[ !#-[\]-~]*$/;

function toScalar(value: string | number | boolean | null | undefined): string {
  const hasNothingToEscape = typeof value === 'string' && PLAIN.test(value);
  return hasNothingToEscape ? `"${value}"` : JSON.stringify(value ?? null).replaceAll(MARK, '\\ue000');
}

function writeDecimal(text: string, numbers: Profile['numbers']): string {
  if (numbers === 'number') return text;
  return numbers === 'string' ? `"${text}"` : addTail(text);
}

const TAIL_DIGIT = 16;

/** Appends a 1 as the 16th digit, the error that a sum of doubles shows. */
function addTail(text: string): string {
  const pointed = text.includes('.') ? text : `${text}.`;
  const digits = pointed.replaceAll(/\D/g, '').replace(/^0+/, '').length;
  return `${pointed}${'0'.repeat(Math.max(0, TAIL_DIGIT - 1 - digits))}1`;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/** Milliseconds since 1970-01-01 UTC. */
export type Instant = number;

/** A value of a template. Undefined omits a field. */
export type Fact = Json | Date;

/** The values of a template by name. */
export type Facts = Readonly<Record<string, Fact>>;

/** The items of each list of a template. An item adds its values to those of the template. */
export type FactLists = Readonly<Record<string, readonly FactItem[]>>;

/** An item of a list, and its name in an object. */
export interface FactItem {
  readonly name: string;
  readonly facts: Facts;
}

/** The rest of the size of a response, in bytes. */
export interface Budget {
  left: number;
}

/** The values of a template, and those that its parts share. */
export interface Scope {
  readonly facts: Facts;
  readonly lists: FactLists;
  /** Returns a value in the form that the words of a placeholder select. */
  readonly format: (fact: Fact, words: readonly string[]) => Json;
  /** The form of times. */
  readonly timestamps: TimestampForm;
  /** The form of decimals. */
  readonly numbers: Profile['numbers'];
  readonly budget: Budget;
}

/** The values of an object by name. */
export type FilledFields = Readonly<Record<string, Json>>;

/** Fills a template. The values of objects and lists are JSON text. */
export function fillTemplate(template: Template, scope: Scope): Json {
  return compile(template)(scope);
}

/** Fills a text. `convert` changes the values of its placeholders. */
export function fillText(text: string, scope: Scope, convert: (value: Json) => Json): Json {
  return compileText(text, convert)(scope);
}

/** Fills the fields of an object template, which become part of another object. */
export function fillFieldsOf(template: Template, scope: Scope): FilledFields {
  const chosen = chooseCase(template, scope);
  return isObject(chosen) ? compileFields(chosen)(scope) : {};
}

/** A template in the form in which it is filled. */
type Compiled<Value = Json> = (scope: Scope) => Value;

function compile(template: Template): Compiled {
  if (typeof template === 'string') return compileText(template);
  if (typeof template !== 'object' || template === null) return () => template;
  return compileComposite(template);
}

/** The compiled form of an object or a list. */
const compileComposite = memoize((template: ObjectTemplate | readonly Template[]): Compiled => {
  if (!isObject(template)) return compileList(template);
  if (readCases(template) === undefined) return compileObject(template);
  return (scope) => {
    const chosen = chooseCase(template, scope);
    return chosen === undefined ? undefined : compile(chosen)(scope);
  };
});

function isObject(template: Template | undefined): template is ObjectTemplate {
  return typeof template === 'object' && template !== null && !Array.isArray(template);
}

/** Returns the template for the value on which a template depends, or undefined without one. */
function chooseCase(template: Template, scope: Scope): Template | undefined {
  const found = readCases(template);
  if (found === undefined) return template;
  spend(scope, OBJECT_SIZE);
  const { name, cases } = found;
  const value = compilePlaceholder({ name, words: [] })(scope);
  const text = typeof value === 'string' || typeof value === 'boolean' ? String(value) || 'null' : 'null';
  const own = Object.hasOwn(cases, text) ? cases[text] : cases.else;
  return own === undefined ? undefined : chooseCase(own, scope);
}

/** An object takes memory also without fields, and any other value at least two bytes. */
const OBJECT_SIZE = 8;
const VALUE_SIZE = 2;

function spend({ budget }: Scope, bytes: number): void {
  budget.left -= bytes;
  if (budget.left < 0) throw new ResponseSizeError();
}

function compileObject(template: ObjectTemplate): Compiled {
  const fields = Object.entries(template).map(([name, value], index) => ({
    name,
    start: `${index === 0 ? '' : ','}${toJson(name)}:`,
    fillField: compile(value),
  }));
  // An assignment would set the prototype instead of a field with this name.
  const isPlain = !fields.some(({ name }) => readEach(name) !== undefined || name === '__proto__');
  if (!isPlain) {
    const fillAll = compileFields(template);
    return (scope) => new JsonText(writeValue(fillAll(scope), scope.numbers));
  }
  const size = OBJECT_SIZE + VALUE_SIZE * fields.length;
  return (scope) => {
    spend(scope, size);
    let text = '{';
    for (const { start, fillField } of fields) {
      const value = fillField(scope);
      if (value === undefined) continue;
      const isFirst = text === '{' && start.startsWith(',');
      text = append(text, (isFirst ? start.slice(1) : start) + writeValue(value, scope.numbers));
    }
    return new JsonText(`${text}}`);
  };
}

/** Compiles the fields of an object, of which some are repeated. */
const compileFields = memoize((template: ObjectTemplate): Compiled<FilledFields> => {
  const fields = Object.entries(template).map(
    ([name, value]) => [name, readEach(name), compile(value)] as const,
  );
  return (scope) => {
    spend(scope, OBJECT_SIZE);
    const entries = fields.flatMap(([name, each, fillField]): [string, Json][] =>
      each === undefined
        ? [[name, fillField(scope)]]
        : scopesOf(scope, each).map((item) => [item.name, fillField(item.scope)]),
    );
    return Object.fromEntries(entries);
  };
});

function compileList(template: readonly Template[]): Compiled {
  const each = readEach(template[0]);
  const items = (each === undefined ? template : template.slice(1)).map(compile);
  const fillAll = (scope: Scope): Json[] => items.map((fillItem) => fillItem(scope));
  return (scope) => {
    spend(scope, OBJECT_SIZE);
    const filled =
      each === undefined ? fillAll(scope) : scopesOf(scope, each).flatMap((item) => fillAll(item.scope));
    return new JsonText(
      writeValue(
        filled.filter((item) => item !== undefined),
        scope.numbers,
      ),
    );
  };
}

/** Returns the names and values of the items of a list. */
function scopesOf(scope: Scope, list: string): { readonly name: string; readonly scope: Scope }[] {
  const items = Object.hasOwn(scope.lists, list) ? (scope.lists[list] ?? []) : [];
  return items.map(({ name, facts }) => {
    spend(scope, VALUE_SIZE);
    return { name, scope: { ...scope, facts: { ...scope.facts, ...facts } } };
  });
}

function compileText(text: string, convert?: (value: Json) => Json): Compiled {
  if (!text.includes('{')) return () => text;
  const parts = splitText(text);
  const [first, ...others] = parts.map((part): Compiled => {
    if (typeof part === 'string') return () => part;
    const read = compilePlaceholder(part);
    return convert === undefined ? read : (scope) => convert(read(scope));
  });
  if (first === undefined || (parts.length === 1 && typeof parts[0] === 'object'))
    return first ?? ((): string => '');
  const all = [first, ...others];
  return (scope) => {
    const values = all.map((read) => read(scope));
    return values.some((value) => value === null || value === undefined) ? null : joinParts(values);
  };
}

function joinParts(parts: readonly Json[]): string | ResponseText {
  if (!parts.some((part) => part instanceof ResponseText)) return parts.map(String).join('');
  return new ResponseText(
    parts.flatMap((part) => (part instanceof ResponseText ? part.parts : [String(part)])),
  );
}

/** The word of a placeholder that names the substitute of a null or empty value. */
export const SUBSTITUTE = 'or=';

/** Compiles a placeholder. A fact that is null or empty has a substitute. */
function compilePlaceholder(placeholder: Placeholder): Compiled {
  const { name, words } = placeholder;
  const isOfResponse = responseNames.includes(name);
  const other = words.find((word) => word.startsWith(SUBSTITUTE))?.slice(SUBSTITUTE.length);
  return (scope) => {
    const { facts } = scope;
    if (isOfResponse && !Object.hasOwn(facts, name)) return new ResponseText([placeholder]);
    const fact = facts[name];
    const isReplaced = other !== undefined && (fact ?? '') === '';
    const value = writeFact(isReplaced ? facts[other] : fact, words, scope);
    if (typeof value === 'string') spend(scope, value.length);
    return value;
  };
}

function writeFact(fact: Fact, words: readonly string[], scope: Scope): Json {
  if (words.length > 0) return scope.format(fact, words);
  return fact instanceof Date ? toTimestamp(fact.getTime(), scope.timestamps) : fact;
}

/** Formats an instant: by default whole seconds with an offset (docs/contract.md#transport). */
export function toTimestamp(instant: Instant, form: TimestampForm): string {
  return timestampOf(form)(instant);
}

/** Returns the function that formats instants in a form. It keeps the text of the last second. */
const timestampOf = memoize(({ digits, zone }: TimestampForm): ((instant: Instant) => string) => {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const shift = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  let [second, text] = [Number.NaN, ''];
  return (instant) => {
    const given = Math.floor(instant / 1000);
    if (given !== second) [second, text] = [given, new Date(instant + shift).toISOString().slice(0, 19)];
    const milliseconds = String(instant - given * 1000).padStart(3, '0');
    const fraction = digits === 0 ? '' : `.${milliseconds.padEnd(digits, '0').slice(0, digits)}`;
    return text + fraction + zone;
  };
});
