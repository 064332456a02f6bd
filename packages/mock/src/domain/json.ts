import {
  type Duration,
  MAX_RESPONSE_BYTES,
  memoize,
  type ObjectTemplate,
  type Placeholder,
  readCases,
  readEach,
  responseNames,
  splitHeader,
  splitText,
  type Template,
  type TimestampForm,
  toMilliseconds,
} from '@service/internal';
import { writeRandomPart } from './ids.ts';
import type { Profile } from './profile.ts';

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

  /** Formats the number without an exponent, by default in its shortest form without trailing zeros. */
  toString(keepsZeros = false): string {
    const isNegative = this.units < 0n;
    const digits = (isNegative ? -this.units : this.units).toString().padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    let end = digits.length;
    if (!keepsZeros) while (end > point && digits[end - 1] === '0') end -= 1;
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
class JsonText {
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
  | JsonText
  | readonly Json[]
  | { readonly [field: string]: Json };

/**
 * Serializes a value as compact JSON. Decimals take the form that the profile selects; undefined fields are
 * omitted.
 *
 * @throws {ResponseSizeError} before the text is larger than a response may be
 */
export function toJson(value: Json, numbers?: Profile['numbers']): string {
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

/** Serializes a value, which `checkSize` must check unless it is part of a larger one. */
function writeValue(value: Json, numbers: Profile['numbers'] = 'number'): string {
  if (typeof value !== 'object' || value === null) return toScalar(value);
  if (value instanceof JsonText) return value.text;
  if (value instanceof Decimal) return writeDecimal(value.toString(), value.form ?? numbers);
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

/** @throws {ResponseSizeError} for a text that is larger than a response may be */
function append(text: string, part: string): string {
  if (text.length + part.length > MAX_RESPONSE_BYTES) throw new ResponseSizeError();
  return text + part;
}

const PLAIN = /^[ !#-[\]-~]*$/;

function toScalar(value: string | number | boolean | null | undefined): string {
  const hasNothingToEscape = typeof value === 'string' && PLAIN.test(value);
  return hasNothingToEscape ? `"${value}"` : JSON.stringify(value ?? null);
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

/** The values of an object by name. */
type FilledFields = Readonly<Record<string, Json>>;

/**
 * Returns the function that formats instants: by default whole seconds with an offset (docs/contract.md#transport). It keeps
 * the text of the last second.
 */
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

/** The values that several templates of a response share. */
export interface FillOptions {
  readonly profile: Pick<Profile, 'timestamps'>;
  /** The values of the request. */
  readonly requestFacts?: Facts | undefined;
  readonly lists?: FactLists | undefined;
  /** The form of decimals. @default 'number' */
  readonly numbers?: Profile['numbers'] | undefined;
  /** @default that of a whole response */
  readonly budget?: Budget | undefined;
}

/** The values of a template, and those that its parts share. */
interface Scope extends FillOptions {
  readonly facts: Facts;
  readonly lists: FactLists;
  readonly budget: Budget;
}

const noLists: FactLists = {};

function createScope(facts: Facts, options: FillOptions): Scope {
  const { profile, requestFacts, lists = noLists, numbers, budget = createBudget() } = options;
  return { facts, profile, requestFacts, lists, numbers, budget };
}

/** Creates the budget of a response. */
export function createBudget(): Budget {
  return { left: MAX_RESPONSE_BYTES };
}

/**
 * Fills a template. Values take the forms of the profile unless the template selects others. The result is JSON text,
 * except that of a template that is a text or another scalar value.
 */
export function fill(template: Template, facts: Facts, options: FillOptions): Json {
  return compile(template)(createScope(facts, options));
}

/** Fills the fields of an object template, which become part of another object. */
export function fillFields(template: Template, facts: Facts, options: FillOptions): FilledFields {
  const scope = createScope(facts, options);
  const chosen = chooseCase(template, scope);
  return isObject(chosen) ? compileFields(chosen)(scope) : {};
}

/** A template in the form in which it is filled. */
type Compiled<Value = Json> = (scope: Scope) => Value;

/** Returns the function that fills a template. The values of objects and lists are JSON text. */
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
  const text = typeof value === 'object' ? 'null' : String(value ?? '') || 'null';
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
  const names = Object.keys(template);
  // An assignment would set the prototype instead of a field with this name.
  if (names.some((name) => readEach(name) !== undefined || name === '__proto__')) {
    const fillAll = compileFields(template);
    return (scope) => new JsonText(writeValue(fillAll(scope), scope.numbers));
  }
  const fields = Object.entries(template).map(([name, value]) => {
    const start = `${toJson(name)}:`;
    return { first: `{${start}`, next: `,${start}`, fillField: compile(value) };
  });
  const size = OBJECT_SIZE + VALUE_SIZE * fields.length;
  return (scope) => {
    spend(scope, size);
    let text = '';
    for (const { first, next, fillField } of fields) {
      const value = fillField(scope);
      if (value !== undefined)
        text = append(text, (text === '' ? first : next) + writeValue(value, scope.numbers));
    }
    return new JsonText(text === '' ? '{}' : `${text}}`);
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
  return (scope) => {
    spend(scope, OBJECT_SIZE);
    const scopes = each === undefined ? [{ scope }] : scopesOf(scope, each);
    const values = scopes.flatMap((item) => items.map((fillItem) => fillItem(item.scope)));
    const present = values.filter((value) => value !== undefined);
    return new JsonText(writeValue(present, scope.numbers));
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

/** Returns the function that fills a text. `convert` changes the values of its placeholders. */
function compileText(text: string, convert?: (value: Json) => Json): Compiled {
  if (!text.includes('{')) return () => text;
  const compilePart = (part: string | Placeholder): Compiled => {
    if (typeof part === 'string') return () => part;
    const read = compilePlaceholder(part);
    return convert === undefined ? read : (scope) => convert(read(scope));
  };
  const parts = splitText(text).map(compilePart);
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return (scope) => {
    const values = parts.map((read) => read(scope));
    return values.some((value) => value === null || value === undefined) ? null : values.map(String).join('');
  };
}

/** Compiles a placeholder. A fact that is null or empty has a substitute. */
function compilePlaceholder({ name, words }: Placeholder): Compiled {
  const isOfRequest = responseNames.includes(name);
  const other = words.find((word) => word.startsWith(SUBSTITUTE))?.slice(SUBSTITUTE.length);
  return (scope) => {
    const { facts } = scope;
    const fact = isOfRequest && !Object.hasOwn(facts, name) ? scope.requestFacts?.[name] : facts[name];
    const isReplaced = other !== undefined && (fact ?? '') === '';
    const value = formatFact(isReplaced ? facts[other] : fact, words, scope.profile);
    if (typeof value === 'string') spend(scope, value.length);
    return value;
  };
}

/** The values of headers by name. */
type HeaderFields = Readonly<Record<string, string>>;

/** Fills the templates of headers. A part without a value is left out; `mergeHeaders` removes a header with an empty text. */
export function writeHeaders(
  template: Readonly<Record<string, string | null>> | undefined,
  facts: Facts,
  options: FillOptions,
): HeaderFields {
  if (template === undefined) return noHeaders;
  const scope = createScope(facts, options);
  const written = Object.entries(template).map(([name, text]) => {
    const parts = text === null ? [] : splitHeader(name, text);
    const filled = parts.map((part) => compileText(part, toHeaderValue)(scope) as string | null | undefined);
    return [name, filled.filter((part) => part !== null && part !== undefined).join(', ')];
  });
  return Object.fromEntries(written) as HeaderFields;
}

export const noHeaders: HeaderFields = Object.freeze({});

/** Writes a value in a header. Percent-encodes one that a header cannot hold (RFC 9110, section 5.5). */
function toHeaderValue(value: Json): Json {
  if (value === null || value === undefined) return value;
  const text = typeof value === 'string' || value instanceof Decimal ? value.toString() : toJson(value);
  if (/^[ -~]*$/.test(text)) return text;
  return text.replaceAll(/[^ -$&-~]/gu, (character) =>
    encodeURIComponent(character.replace(/\p{Cs}/u, '\uFFFD')),
  );
}

function formatFact(fact: Fact, words: readonly string[], { timestamps }: Pick<Profile, 'timestamps'>): Json {
  if (fact instanceof Date) return formatTime(fact, words, timestamps);
  let value = fact;
  for (const word of words)
    value = value instanceof Decimal ? formatDecimal(value, word) : formatPlain(value, word);
  return value;
}

function formatTime(time: Date, given: readonly string[], timestamps: Profile['timestamps']): Json {
  if (given.length === 0) return timestampOf(timestamps)(time.getTime());
  const later = given.find((word) => word.startsWith(LATER))?.slice(LATER.length);
  const at = later === undefined ? time : new Date(time.getTime() + toMilliseconds(later as Duration));
  const words = given.filter((word) => !word.startsWith(LATER));
  if (words.includes('unix')) return Math.floor(at.getTime() / 1000);
  if (words.includes('unix_ms')) return at.getTime();
  if (words.includes('http')) return at.toUTCString();
  if (words.includes('day')) return timestampOf(timestamps)(at.getTime()).slice(0, 10);
  const form = Object.fromEntries(words.map((word) => word.split('=', 2))) as Record<string, string>;
  // Other words, such as `omit`, are not about the form.
  if (!form.digits && !form.zone) return timestampOf(timestamps)(at.getTime());
  return timestampOf({ digits: Number(form.digits ?? 0), zone: form.zone ?? '+00:00' })(at.getTime());
}

const LATER = 'plus=';

function formatDecimal(value: Decimal, word: string): Json {
  const { units, scale } = value;
  if (word === 'abs') return new Decimal(units < 0n ? -units : units, scale);
  if (word === 'negative') return new Decimal(units > 0n ? -units : units, scale);
  if (word === 'whole') return new Decimal(units / 10n ** BigInt(scale), 0, 'number');
  if (word.startsWith('fraction=')) return toFraction(value, Number(word.slice(9)));
  if (word === 'cents') return new Decimal(units, scale - AMOUNT_SCALE, 'number');
  if (word === 'number') return new Decimal(units, scale, 'number');
  if (word === 'text') return value.toString();
  if (word.startsWith('digits=')) return value.toString().padStart(Number(word.slice(7)), '0');
  return word === 'fixed' ? value.toString(true) : value;
}

/** Returns the digits after the decimal point as a whole number of `digits` digits, with the sign of the number. */
function toFraction({ units, scale }: Decimal, digits: number): Decimal {
  const rest = (units % 10n ** BigInt(scale)) * 10n ** BigInt(digits);
  return new Decimal(rest / 10n ** BigInt(scale), 0, 'number');
}

function formatPlain(value: Json, word: string): Json {
  if (word === 'omit') return value ?? undefined;
  if (word === 'empty') return value ?? '';
  if (word.startsWith('else='))
    return value === null || value === undefined || value === '' ? word.slice(5) : value;
  if (word.startsWith(SUBSTITUTE)) return value;
  const at = RANDOM_PART.test(word) ? -1 : word.indexOf('=');
  const text = typeof value === 'string' ? value : toJson(value);
  if (at > 0) return text === word.slice(0, at) ? word.slice(at + 1) : value;
  if (typeof value === 'number' && word === 'text') return String(value);
  if (typeof value !== 'string') return value;
  if (word === 'upper') return value.toUpperCase();
  if (word === 'lower') return value.toLowerCase();
  if (word === 'spaced') return value.replaceAll('_', ' ');
  if (word === 'camel') return value.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  if (word === 'capital') return value.replace(/^\w/, (letter) => letter.toUpperCase());
  if (word === 'compact') return value.replaceAll(/[\s-]/g, '');
  if (RANDOM_PART.test(word)) return writeRandomPart(value, ...readRandomPart(word));
  if (word === 'html') return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return value;
}

/** The word of a placeholder that names the substitute of a null or empty value. */
const SUBSTITUTE = 'or=';

/** The words that replace a text by random characters, which depend only on the text. */
const RANDOM_PART = /^(?:uuid|ulid|(?:base62|lower|upper|hex|digits)=\d{1,2})$/;

function readRandomPart(word: string): [name: string, length: number] {
  const [name = '', length = 0] = word.split('=');
  return [name, Number(length)];
}
