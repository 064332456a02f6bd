import { createHmac } from 'node:crypto';
import { defaultCurrencies, isRecord, redactKeys } from '@service/internal';
import type { Exchange, ExchangeMessage, ExchangeResponse } from '../exchange.ts';

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

/** The words of documented paths. */
const pathWords = /^(?:|api|v\d+|balance|quotes|payments|transactions)$/i;

/** Fields whose values select a behavior, so that they stay even if they equal a private value. */
const structural =
  /^(?:id|type|status|state|code|mode|event|success|kind|currency)$|_(?:id|type|status|at|currency)$/;

/** Words that describe a movement of money, and no person. They stay, so that constant texts can be learned. */
const plainWords: ReadonlySet<string> = new Set([
  ...'a an and for from in of on the to with bearer basic test true false null'.split(' '),
  ...'payment payments payout transfer refund refunded reversal return returned fee fees charge'.split(' '),
  ...'deposit credit debit wallet balance adjustment pending processing completed failed'.split(' '),
  ...defaultCurrencies.map((code) => code.toLowerCase()),
]);

/** A redacted key, an id with its mode, such as `pay_test_…`, or a word. */
const WORD = /[a-z]+_(?:test|live)_(?:…|[A-Za-z0-9]+)|[\p{L}\p{N}\p{M}]+/gu;

/** Maximum number of private words that are found in other fields, and of ids that stay in paths. */
const MAX_KNOWN = 100_000;

/** The longest text that is not JSON and that is kept, in characters. */
const MAX_TEXT = 4_000;

type HeaderValues = ExchangeMessage['headers'];

/**
 * Creates a function that masks API keys, secrets, names, accounts and purposes: in the fields that have them, and wherever
 * their words return. Equal words have equal masks, in capitals and in small letters.
 */
export function createMask({ secret, keepsNames }: MaskOptions): MaskExchange {
  const privateWords = new Set<string>();
  /** The ids in bodies, which stay there. */
  const ids = new Set<string>();
  const maskWord = (word: string): string => {
    const digest = createHmac('sha256', secret).update(word.toLowerCase()).digest('hex');
    return `X${digest.slice(0, 8).toUpperCase()}`;
  };
  const maskPrivate = (text: string): string =>
    text.replaceAll(WORD, (word) => {
      if (word.includes('_') || plainWords.has(word.toLowerCase())) return word;
      // A short number is a part of times and amounts too.
      if (/\p{L}{3}|.{6}/u.test(word) && privateWords.size < MAX_KNOWN) privateWords.add(word.toLowerCase());
      return maskWord(word);
    });
  const maskKnown = (text: string): string =>
    text.replaceAll(WORD, (word) => (privateWords.has(word.toLowerCase()) ? maskWord(word) : word));
  const kindOf = (name: string): 'private' | 'structural' | 'other' => {
    const field = toFieldName(name);
    if (others.test(field) || secrets.test(field)) return 'private';
    if (names.test(field)) return keepsNames ? 'other' : 'private';
    return structural.test(field) ? 'structural' : 'other';
  };
  const maskText = (name: string, text: string): string => {
    const kind = kindOf(name);
    const masked = maskKeys(text);
    if (kind === 'private') return maskPrivate(masked);
    if (kind === 'other') return maskKnown(masked);
    if (ids.size < MAX_KNOWN && /(?:^id|_id|Id)$/.test(name)) ids.add(masked);
    return masked;
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
    return typeof json === 'number' && kind === 'private' && isByName ? 0 : json;
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
    // First, so that the values of the request are known in its path and in the response.
    const requestBody = maskBody(request, true);
    // A segment or a parameter without a value has no name, and can be any private value.
    const path = maskPath(request.path, (name, text) =>
      maskText(name !== '' || pathWords.test(text) || ids.has(text) ? name : 'purpose', text),
    );
    return {
      ...facts,
      request: { ...request, path, headers: maskHeaders(request.headers, true), ...requestBody },
      ...(response && { response: maskResponse(response) }),
      ...(error !== undefined && { error: maskText('', error) }),
    };
  };
}

/** Replaces API keys by their prefix. */
const maskKeys = (text: string): string => redactKeys(text).replaceAll('_[redacted]', '_…');

/** Returns the name of a field in the form `beneficiary_name`. */
function toFieldName(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_');
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
