import { isRecord, redactKeys } from '@service/internal';
import type { Exchange, ExchangeMessage, ExchangeResponse } from '../exchange.ts';
import { createWordMask, isMaskable, listWords, type MaskWords, toLower } from './words.ts';

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

/** The words of documented paths and of usual routes for webhooks. */
const pathWords = /^(?:|api|v\d+|balance|quotes|payments|transactions|webhooks?|hooks)$/i;

/** Fields whose values select a behavior, so that they stay even if they equal a private value. */
const structural =
  /^(?:id|type|status|state|code|mode|event|success|kind|currency)$|_(?:id|type|status|at|currency)$/;

/** The longest text that is not JSON and that is kept, in characters. */
const MAX_TEXT = 4_000;

type HeaderValues = ExchangeMessage['headers'];

/**
 * Creates a function that masks API keys, secrets, names, accounts and purposes: in the fields that have them, and wherever
 * their values return. A masked value keeps its form, and equal values stay equal.
 */
export function createMask({ secret, keepsNames }: MaskOptions): MaskExchange {
  const maskWords = createWordMask(secret);
  const maskKeys = createKeyMask();
  const known = createKnownValues();
  /** The ids in bodies, which stay there. */
  const ids = new Set<string>();
  const kindOf = (name: string): 'private' | 'structural' | 'other' => {
    const field = toFieldName(name);
    if (others.test(field) || secrets.test(field)) return 'private';
    if (names.test(field)) return keepsNames ? 'other' : 'private';
    return structural.test(field) ? 'structural' : 'other';
  };
  /** Masks the value of a field, or in another field the private values that are known. */
  const maskText = (name: string, text: string): string => {
    const kind = kindOf(name);
    const masked = maskKeys(text);
    if (kind === 'structural' && ids.size < MAX_KNOWN && /(?:^id|_id|Id)$/.test(name)) ids.add(masked);
    if (kind === 'structural') return masked;
    if (kind === 'other') return known.replace(masked, maskWords);
    known.add(masked);
    return maskWords(masked);
  };
  /** `name` is that of the field, or of the private one around it; `isByName`: whether names show private values. */
  const maskJson = (json: unknown, name: string, isByName: boolean): unknown => {
    if (Array.isArray(json)) return json.map((item) => maskJson(item, name, isByName));
    const kind = kindOf(name);
    if (isRecord(json)) {
      const isInherited = (key: string): boolean => kind === 'private' && kindOf(key) === 'other';
      const fields = Object.entries(json).map(([key, inner]) => [
        maskKeys(key),
        maskJson(inner, isInherited(key) ? name : key, isByName),
      ]);
      return Object.fromEntries(fields);
    }
    if (typeof json === 'string') return maskText(isByName || kind === 'structural' ? name : '', json);
    if (typeof json !== 'number' || kind !== 'private' || !isByName) return json;
    return Number(String(json).replaceAll(/\d+/g, (digits) => maskText(name, digits)));
  };
  const maskBody = ({ body, text }: ExchangeMessage, isByName: boolean): Partial<ExchangeMessage> => ({
    ...(body !== undefined && { body: maskJson(body, '', isByName) }),
    ...(text !== undefined && { text: maskText(isByName ? 'purpose' : '', text.slice(0, MAX_TEXT)) }),
  });
  /** Masks headers: those with secrets, or all whose values do not belong to HTTP. */
  const maskHeaders = (headers: HeaderValues, isStrict: boolean): HeaderValues => {
    const masked = Object.entries(headers).map(([name, value]) => {
      const isSecret = isStrict || secrets.test(toFieldName(name));
      return [name, plainHeaders.test(name) ? maskKeys(value) : maskText(isSecret ? 'secret' : '', value)];
    });
    return Object.fromEntries(masked) as HeaderValues;
  };
  const maskResponse = (response: ExchangeResponse): ExchangeResponse => {
    // The texts of a refusal are about fields, so that the name of a field does not show a private value.
    const isByName = response.body !== undefined && response.status < 400;
    return { ...response, ...maskBody(response, isByName), headers: maskHeaders(response.headers, false) };
  };
  return ({ request, response, error, ...facts }) => {
    const isApi = facts.kind === 'api';
    // First, so that the values of the request are known in its path and in the response.
    const requestBody = maskBody(request, true);
    // A segment or a parameter without a value has no name, and can be any private value.
    const path = maskPath(request.path, (name, text) =>
      maskText(name !== '' || pathWords.test(text) || ids.has(text) ? name : 'purpose', text),
    );
    return {
      ...facts,
      request: { ...request, path, headers: maskHeaders(request.headers, isApi), ...requestBody },
      // The body of a response to a webhook belongs to the application.
      ...(response && {
        response: isApi ? maskResponse(response) : { status: response.status, headers: {} },
      }),
      ...(error !== undefined && { error: maskText('', error) }),
    };
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

/** Maximum number of private values that are found in other fields. */
const MAX_KNOWN = 20_000;

/** Creates the store of the private values seen so far, by their first words. */
function createKnownValues() {
  const whole = new Set<string>();
  const byWord = new Map<string, Set<string>>();
  return {
    add: (value: string): void => {
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
    replace: (text: string, mask: MaskWords): string => {
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

/** Masks the segments of a path, the values of its query and the parameters without a value. */
function maskPath(path: string, mask: (name: string, text: string) => string): string {
  const [, place = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(path) ?? [];
  const segments = place.split('/').map((segment) => replaceDecoded(segment, (text) => mask('', text)));
  const parameters = query?.split('&').map((parameter) => {
    const [name = '', ...value] = parameter.split('=');
    const masked = replaceDecoded(value.join('='), (text) => mask(decode(name), text));
    return value.length === 0 ? replaceDecoded(name, (text) => mask('', text)) : `${name}=${masked}`;
  });
  return segments.join('/') + (parameters === undefined ? '' : `?${parameters.join('&')}`);
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
