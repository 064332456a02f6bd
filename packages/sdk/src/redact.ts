import { findSystemError, isRecord, parseJson } from '@service/internal';

const REDACTED = '[redacted key]';
const OMITTED = '[omitted]';

/** Replaces API keys in a text, with all visible characters that follow: a key can contain any of them. */
export function redactText(text: string): string {
  return text.replaceAll(/service_(test|live)_[\x21-\x7e]+/g, REDACTED);
}

/** Returns a copy of parsed JSON without API keys. Omits values that are nested deeper than 32 levels. */
export function redactJson(value: unknown, depth = 0): unknown {
  const redactInner = (item: unknown): unknown => redactJson(item, depth + 1);
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 32) return OMITTED;
  if (Array.isArray(value)) return value.map(redactInner);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redactText(name), redactInner(item)]),
  );
}

/**
 * Returns a cause without API keys. An error that contains none is returned itself. Otherwise the copy has
 * the same prototype, message, stack, inner causes and other texts and numbers. Omits objects that are not
 * errors, because they may contain the request.
 */
export function redactCause(cause: unknown, depth = 0): unknown {
  if (typeof cause === 'string') return redactText(cause);
  const isOpaque = cause !== null && /^(object|function|symbol)$/.test(typeof cause);
  const getKind = (): string => Object.prototype.toString.call(cause);
  // Under Jest, the errors of `fetch` are of another realm.
  if (!(cause instanceof Error || /^\[object (Error|DOMException)\]$/.test(getKind())))
    return isOpaque ? OMITTED : cause;
  if (depth > 8) return undefined;
  try {
    return copyError(cause as Error, (value) => redactCause(value, depth + 1));
  } catch {
    // A getter or proxy of the error can throw.
    return OMITTED;
  }
}

// A DOMException has its texts in getters of its prototype.
const inheritedNames = ['name', 'message', 'stack', 'code'];

/** Returns a redacted copy of an error, or the error itself if redacting changes nothing. */
function copyError(error: Error, redact: (value: unknown) => unknown): Error {
  const copy = Object.create(Object.getPrototypeOf(error) as object) as Error;
  let isClean = true;
  for (const name of new Set([...inheritedNames, ...Reflect.ownKeys(error)])) {
    const original: unknown = Reflect.get(error, name);
    const items = Array.isArray(original) ? original : [original];
    const redacted = items.map(redact);
    const value = items === original ? redacted : redacted[0];
    isClean &&= redact(name) === name && redacted.every((item, at) => item === items[at]);
    if (original === undefined || value === OMITTED || typeof name === 'symbol') continue;
    Object.defineProperty(copy, String(redact(name)), { value, configurable: true, writable: true });
  }
  return isClean ? error : copy;
}

// Control characters, lone surrogates, and characters that change the direction of a line.
const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu;
const lineBreaks = /[\t-\r\u0085\u2028\u2029]+/g;

/** Converts a text to one line without control characters: a terminal that shows a log would execute them. */
export function cleanText(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return short
    .replaceAll(lineBreaks, ' ')
    .replaceAll(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Describes the system error behind a failure of a store, such as a full disk, on one line. */
export function describeStoreFailure(error: unknown): string {
  return cleanText(redactText(findSystemError(error)), 300).replace(/\.$/, '');
}

/** Creates a function that masks the beneficiary's name and account of a request in a text of the service. */
export function createMask(json: string | undefined): (text: string) => string {
  const body = json === undefined ? undefined : parseJson(json);
  if (!isRecord(body)) return (text) => text;
  const patterns = [body.beneficiary_account, body.beneficiary_name].flatMap(toPatterns);
  return (text) => patterns.reduce((masked, pattern) => masked.replaceAll(pattern, '[masked]'), text);
}

/** Creates a pattern that also matches the value with other spaces and hyphens, as in account numbers. */
function toPatterns(value: unknown): RegExp[] {
  const characters = typeof value === 'string' ? Array.from(value.replaceAll(/[\s-]/g, '')) : [];
  if (characters.length === 0) return [];
  const text = characters
    .map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`))
    .join(String.raw`[\s-]*`);
  // A short name can be part of any word.
  const isShort = characters.length < 4;
  const pattern = isShort ? String.raw`(?<![\p{L}\p{N}])${text}(?![\p{L}\p{N}])` : text;
  return [new RegExp(pattern, 'giu')];
}
