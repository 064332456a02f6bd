import { isRecord, redactKeys } from '@service/internal';
import type { Exchange, ExchangeMessage, ExchangeResponse } from '../exchange.ts';
import { createWordMask, isMaskable, listWords, toLower } from './words.ts';

/** The settings of a masker. */
export interface MaskOptions {
  /** A random text. With the same one, equal values of two recordings stay equal. */
  readonly secret: string;
  /** Whether the names of beneficiaries and banks stay readable. */
  readonly keepsNames: boolean;
}

/** Masks the private values of exchanges. */
export type MaskExchange = (exchange: Exchange) => Exchange;

/** The fields, parameters and headers with private values. */
const names =
  /^(?!(?:event|currency|status|type|field|country)_).*(?:^|_)(?:name|holder|payee|recipient|counterparty|customer|owner|contact|bank)$/;
const others =
  /account|iban|(?:^|_)bic$|swift|routing|sort_code|card|e_?mail|phone|address|street|(?:^|_)city$|post_?code|(?:^|_)zip|birth|tax_?id|purpose|reference|description|memo|narrative|(?:^|_)notes?$|remittance|remark/;
const secrets =
  /signature|secret|(?<!page_|next_|cursor_|continuation_)token|password|credential|api_?key|authorization|cookie/;

/** Headers whose values stay. */
const plainHeaders = /^(?:accept|accept-encoding|content-type|content-length|content-encoding)$/;

/** Fields whose values select a behavior, so that they stay even if they equal a private value. */
const structural =
  /^(?:id|type|status|state|code|mode|event|success|kind|currency)$|_(?:id|type|status|at|currency)$/;

/** The longest text that is not JSON and that is kept, in characters. */
const MAX_TEXT = 4_000;

/**
 * Creates a function that masks API keys, secrets, names, accounts and purposes: in the fields that have them, and wherever
 * their values return. A masked value keeps its form, and equal values stay equal.
 */
export function createMask({ secret, keepsNames }: MaskOptions): MaskExchange {
  const values = createValueMask(secret, keepsNames);
  return ({ request, response, error, ...facts }) => {
    const isApi = facts.kind === 'api';
    // First, so that the values of the request are known in its path and in the response.
    const requestBody = maskBody(request, values, true);
    const path = maskPath(request.path, values.mask);
    return {
      ...facts,
      request: { ...request, path, headers: maskHeaders(request.headers, values, isApi), ...requestBody },
      ...(response && { response: isApi ? maskResponse(response, values) : toStatus(response) }),
      ...(error !== undefined && { error: values.mask('', error) }),
    };
  };
}

/** Returns the response of the application to a webhook without its body, which belongs to the application. */
function toStatus({ status }: ExchangeResponse): ExchangeResponse {
  return { status, headers: {} };
}

function maskResponse(response: ExchangeResponse, values: ValueMask): ExchangeResponse {
  // The texts of a refusal are about fields, so that the name of a field does not show a private value.
  const isByName = response.body !== undefined && response.status < 400;
  return {
    ...response,
    ...maskBody(response, values, isByName),
    headers: maskHeaders(response.headers, values, false),
  };
}

function maskBody(
  { body, text }: ExchangeMessage,
  values: ValueMask,
  isByName: boolean,
): Partial<ExchangeMessage> {
  const name = isByName ? 'purpose' : '';
  return {
    ...(body !== undefined && { body: maskJson(body, { name: '', isByName, values }) }),
    ...(text !== undefined && { text: values.mask(name, text.slice(0, MAX_TEXT)) }),
  };
}

type HeaderValues = ExchangeMessage['headers'];

/** Masks headers: those with secrets, or all whose values do not belong to HTTP. */
function maskHeaders(headers: HeaderValues, values: ValueMask, isStrict: boolean): HeaderValues {
  const masked = Object.entries(headers).map(([name, value]) => {
    const isSecret = isStrict || secrets.test(toFieldName(name));
    return [
      name,
      plainHeaders.test(name) ? values.maskKeys(value) : values.mask(isSecret ? 'secret' : '', value),
    ];
  });
  return Object.fromEntries(masked) as HeaderValues;
}

interface Place {
  /** The name of the field, or of the private one around it. */
  readonly name: string;
  /** Whether the names of fields show private values. */
  readonly isByName: boolean;
  readonly values: ValueMask;
}

function maskJson(json: unknown, place: Place): unknown {
  const { name, isByName, values } = place;
  if (Array.isArray(json)) return json.map((item) => maskJson(item, place));
  if (isRecord(json))
    return Object.fromEntries(
      Object.entries(json).map(([key, inner]) => {
        const isInherited = values.kindOf(name) === 'private' && values.kindOf(key) === 'other';
        return [values.maskKeys(key), maskJson(inner, { ...place, name: isInherited ? name : key })];
      }),
    );
  const kind = values.kindOf(name);
  const usedName = isByName || kind === 'structural' ? name : '';
  if (typeof json === 'string') return values.mask(usedName, json);
  if (typeof json !== 'number' || kind !== 'private' || !isByName) return json;
  return Number(String(json).replaceAll(/\d+/g, (digits) => values.mask(name, digits)));
}

/** Masks texts by the fields that have them. */
interface ValueMask {
  readonly kindOf: (name: string) => 'private' | 'structural' | 'other';
  /** Masks the value of a field, or in another field the private values that are known. */
  readonly mask: (name: string, text: string) => string;
  readonly maskKeys: (text: string) => string;
}

function createValueMask(secret: string, keepsNames: boolean): ValueMask {
  const maskWords = createWordMask(secret);
  const maskKeys = createKeyMask();
  const known = createKnownValues();
  const kindOf: ValueMask['kindOf'] = (name) => {
    const field = toFieldName(name);
    if (others.test(field) || secrets.test(field)) return 'private';
    if (names.test(field)) return keepsNames ? 'other' : 'private';
    return structural.test(field) ? 'structural' : 'other';
  };
  return {
    kindOf,
    maskKeys,
    mask: (name, text) => {
      const kind = kindOf(name);
      const masked = maskKeys(text);
      if (kind === 'structural') return masked;
      if (kind === 'other') return known.replace(masked, maskWords);
      known.add(masked);
      return maskWords(masked);
    },
  };
}

/** Returns the name of a field in the form `beneficiary_name`. */
function toFieldName(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_');
}

const KEY = /service_(test|live)_[^\s"'\\<>&?#/,;:()[\]{}|…]+/gi;

/** Creates a function that replaces each API key by its prefix and a number. */
function createKeyMask(): (text: string) => string {
  const numbers = new Map<string, number>();
  return (text) => {
    if (!/service_|%|\\u/i.test(text)) return text;
    const rest = text.replaceAll(KEY, '');
    // An escaped key has no number.
    if (redactKeys(rest) !== rest) return redactKeys(text);
    return text.replaceAll(KEY, (key, mode: string) => {
      if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
      return `service_${mode.toLowerCase()}_…${numbers.get(key)}`;
    });
  };
}

/** The private values seen so far, by their first words. */
interface KnownValues {
  readonly add: (value: string) => void;
  readonly replace: (text: string, mask: (text: string) => string) => string;
}

/** Maximum number of private values that are found in other fields. */
const MAX_KNOWN = 20_000;

function createKnownValues(): KnownValues {
  const whole = new Set<string>();
  const byWord = new Map<string, Set<string>>();
  return {
    add: (value) => {
      const text = toLower(value.trim());
      if (whole.size >= MAX_KNOWN || whole.has(text)) return;
      whole.add(text);
      const words = listWords(text);
      const [first] = words;
      // A short number is a part of times and amounts too.
      const isDistinct = words.some(({ word }) => isMaskable(word) && /\p{L}|\d{6}/u.test(word));
      if (first === undefined || !isDistinct) return;
      const last = words.at(-1) ?? first;
      const values = byWord.get(first.word) ?? new Set<string>();
      byWord.set(first.word, values.add(text.slice(first.index, last.index + last.word.length)));
    },
    replace: (text, mask) => {
      const lower = toLower(text);
      if (whole.has(lower.trim())) return mask(text);
      let [masked, end] = ['', 0];
      for (const { word, index } of listWords(lower)) {
        const found = index < end ? undefined : findLongest(byWord.get(word), lower, index);
        if (found === undefined) continue;
        masked += text.slice(end, index) + mask(text.slice(index, index + found.length));
        end = index + found.length;
      }
      return masked + text.slice(end);
    },
  };
}

/** Returns the longest value that a text has at an index, up to the end of a word. */
function findLongest(
  values: ReadonlySet<string> | undefined,
  text: string,
  index: number,
): string | undefined {
  return [...(values ?? [])]
    .filter(
      (value) => text.startsWith(value, index) && !/^[\p{L}\p{N}]/u.test(text.slice(index + value.length)),
    )
    .toSorted((a, b) => b.length - a.length)[0];
}

/** Masks the segments of a path and the values of its query. */
function maskPath(path: string, mask: (name: string, text: string) => string): string {
  const [place = '', ...query] = path.split('?');
  const segments = place.split('/').map((segment) => replaceDecoded(segment, (text) => mask('', text)));
  const parameters = query
    .join('?')
    .split('&')
    .map((parameter) => {
      const [name = '', ...value] = parameter.split('=');
      const masked = replaceDecoded(value.join('='), (text) => mask(decode(name), text));
      return value.length === 0 ? replaceDecoded(name, (text) => mask('', text)) : `${name}=${masked}`;
    });
  return segments.join('/') + (query.length === 0 ? '' : `?${parameters.join('&')}`);
}

/** Masks a percent-encoded text, which keeps its spelling if nothing is private. */
function replaceDecoded(text: string, mask: (text: string) => string): string {
  const decoded = decode(text);
  const masked = mask(decoded);
  return masked === decoded ? text : encodeURIComponent(masked);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
