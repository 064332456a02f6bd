import {
  type Duration,
  MAX_RESPONSE_BYTES,
  responseNames,
  type Template,
  toMilliseconds,
} from '@service/internal';
import {
  AMOUNT_SCALE,
  type Budget,
  checkSize,
  Decimal,
  type Fact,
  type FactLists,
  type Facts,
  type FilledFields,
  fillFieldsOf,
  fillTemplate,
  fillText,
  type Json,
  MARK,
  ResponseSizeError,
  ResponseText,
  type Scope,
  SEPARATOR,
  SUBSTITUTE,
  toJson,
  toText,
  toTimestamp,
} from './json.ts';
import type { Profile } from './profile.ts';
import { writeRandomPart } from './ids.ts';

/** The values that several templates of a response share. */
export interface FillOptions {
  readonly profile: Pick<Profile, 'timestamps'>;
  readonly lists?: FactLists;
  /** The form of decimals. @default 'number' */
  readonly numbers?: Profile['numbers'];
  /** @default that of a whole response */
  readonly budget?: Budget;
}

/**
 * Fills a template. Values take the forms of the profile unless the template selects others. The result is JSON text,
 * except that of a template that is a text or another scalar value.
 */
export function fill(template: Template, facts: Facts, options: FillOptions): Json {
  return fillTemplate(template, createScope(facts, options));
}

function createScope(facts: Facts, options: FillOptions): Scope {
  const { profile, lists = noLists, numbers = 'number' } = options;
  const budget = options.budget ?? createBudget();
  const format: Scope['format'] = (fact, words) => formatFact(fact, words, profile);
  return { facts, lists, format, timestamps: profile.timestamps, numbers, budget };
}

const noLists: FactLists = {};

/** Creates the budget of a response. */
export function createBudget(): Budget {
  return { left: MAX_RESPONSE_BYTES };
}

/** Fills the fields of an object template, which become part of another object. */
export function fillFields(template: Template, facts: Facts, options: FillOptions): FilledFields {
  return fillFieldsOf(template, createScope(facts, options));
}

/** Fills the template of a header. Returns null if one of its values is null. */
export function fillHeader(
  template: string,
  facts: Facts,
  profile: Pick<Profile, 'timestamps'>,
): string | null {
  const text = fillText(template, createScope(facts, { profile }), toHeaderPart);
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
  return word === 'fixed' ? toFixed(value) : value;
}

/** Returns the digits after the decimal point as a whole number of `digits` digits, with the sign of the number. */
function toFraction({ units, scale }: Decimal, digits: number): Decimal {
  const rest = (units % 10n ** BigInt(scale)) * 10n ** BigInt(digits);
  return new Decimal(rest / 10n ** BigInt(scale), 0, 'number');
}

/** Writes all digits of a number, also zeros at the end. */
function toFixed({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return units < 0n ? `-${text}` : text;
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

/** The words that replace a text by random characters, which depend only on the text. */
const RANDOM_PART = /^(?:uuid|ulid|(?:base62|lower|upper|hex|digits)=\d{1,2})$/;

function readRandomPart(word: string): [name: string, length: number] {
  const [name = '', length = 0] = word.split('=');
  return [name, Number(length)];
}
