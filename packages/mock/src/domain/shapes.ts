import {
  type Duration,
  MAX_RESPONSE_BYTES,
  memoize,
  type ObjectTemplate,
  type Placeholder,
  readCases,
  readEach,
  responseNames,
  splitText,
  type Template,
  toMilliseconds,
} from '@service/internal';
import {
  AMOUNT_SCALE,
  append,
  type Budget,
  checkSize,
  Decimal,
  type Fact,
  type FactLists,
  type Facts,
  type FilledFields,
  type Json,
  JsonText,
  MARK,
  ResponseSizeError,
  ResponseText,
  SEPARATOR,
  toJson,
  toText,
  toTimestamp,
  writeValue,
} from './json.ts';
import type { Profile } from './profile.ts';
import { writeRandomPart } from './ids.ts';

/** The values that several templates of a response share. */
export interface FillOptions {
  readonly profile: Pick<Profile, 'timestamps'>;
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
  const { profile, lists = noLists, numbers, budget = createBudget() } = options;
  return { facts, profile, lists, numbers, budget };
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
    return values.some((value) => value === null || value === undefined) ? null : joinParts(values);
  };
}

function joinParts(parts: readonly Json[]): string | ResponseText {
  if (!parts.some((part) => part instanceof ResponseText)) return parts.map(String).join('');
  return new ResponseText(
    parts.flatMap((part) => (part instanceof ResponseText ? part.parts : [part].map(String))),
  );
}

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
    const value = formatFact(isReplaced ? facts[other] : fact, words, scope.profile);
    if (typeof value === 'string') spend(scope, value.length);
    return value;
  };
}

/** Fills the template of a header. Returns null if one of its values is null. */
export function fillHeader(
  template: string,
  facts: Facts,
  profile: Pick<Profile, 'timestamps'>,
): string | null {
  const text = compileText(template, toHeaderPart)(createScope(facts, { profile }));
  return text === null || text === undefined ? null : toText(text as string | ResponseText);
}

function toHeaderPart(value: Json): Json {
  return value === null || value === undefined || value instanceof ResponseText
    ? value
    : toHeaderValue(value);
}

/** Writes a value in a header. Percent-encodes one that a header cannot hold (RFC 9110, section 5.5). */
function toHeaderValue(value: Json): string {
  const text = typeof value === 'string' || value instanceof Decimal ? value.toString() : toJson(value);
  if (/^[ -~]*$/.test(text)) return text;
  return text.replaceAll(/[^ -$&-~]/gu, (character) =>
    encodeURIComponent(character.replace(/\p{Cs}/u, '\uFFFD')),
  );
}

const marked = new RegExp(`"?${MARK}(?:${responseNames.join('|')})[^${MARK}"]*${MARK}"?`, 'g');

/**
 * Replaces the marks of a response by its values.
 *
 * @throws {ResponseSizeError} before the text is larger than a response may be
 */
export function fillResponseValues(
  text: string,
  facts: Facts,
  profile: Pick<Profile, 'timestamps'>,
  isHeader = false,
): string {
  if (!text.includes(MARK)) return text;
  let size = text.length;
  const filled = text.replaceAll(marked, (match) => {
    const [before = '', part = '', after = ''] = match.split(MARK);
    const [name = '', ...words] = part.split(SEPARATOR);
    const value = formatFact(facts[name], words, profile);
    const isWhole = before !== '' && after !== '' && !isHeader;
    const inText = isHeader ? toHeaderValue(value) : toJson(value).replaceAll(/^"|"$/g, '');
    const written = isWhole ? toJson(value) : before + inText + after;
    size += written.length;
    if (size > MAX_RESPONSE_BYTES) throw new ResponseSizeError();
    return written;
  });
  return checkSize(filled);
}

function formatFact(fact: Fact, words: readonly string[], { timestamps }: Pick<Profile, 'timestamps'>): Json {
  if (fact instanceof Date) return formatTime(fact, words, timestamps);
  let value = fact;
  for (const word of words)
    value = value instanceof Decimal ? formatDecimal(value, word) : formatPlain(value, word);
  return value;
}

function formatTime(time: Date, given: readonly string[], timestamps: Profile['timestamps']): Json {
  if (given.length === 0) return toTimestamp(time.getTime(), timestamps);
  const later = given.find((word) => word.startsWith(LATER))?.slice(LATER.length);
  const at = later === undefined ? time : new Date(time.getTime() + toMilliseconds(later as Duration));
  const words = given.filter((word) => !word.startsWith(LATER));
  if (words.includes('unix')) return Math.floor(at.getTime() / 1000);
  if (words.includes('unix_ms')) return at.getTime();
  if (words.includes('http')) return at.toUTCString();
  const form = Object.fromEntries(words.map((word) => word.split('=', 2))) as Record<string, string>;
  // Other words, such as `omit`, are not about the form.
  if (!form.digits && !form.zone) return toTimestamp(at.getTime(), timestamps);
  return toTimestamp(at.getTime(), { digits: Number(form.digits ?? 0), zone: form.zone ?? '+00:00' });
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
