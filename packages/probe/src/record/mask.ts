import { createHmac } from 'node:crypto';
import { defaultCurrencies, isRecord, redactKeys } from '@service/internal';
import type { Exchange, ExchangeMessage, ExchangeResponse } from '../exchange.ts';

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

const isPrivate = (name: string): boolean =>
  [names, others, secrets].some((each) => each.test(toFieldName(name)));

/** Fields whose values select a behavior, so that they stay even if they equal a private value. */
const structural =
  /^(?:id|type|status|state|code|mode|event|success|kind|currency)$|_(?:id|type|status|at|currency)$/;

const isStructural = (name: string): boolean => structural.test(toFieldName(name)) && !isPrivate(name);

/** Words that describe a movement of money, and no person. They stay, so that constant texts can be learned. */
const plainWords: ReadonlySet<string> = new Set([
  ...'a an and for from in of on the to with bearer basic test true false null'.split(' '),
  ...'payment payments payout transfer refund refunded reversal return returned fee fees charge'.split(' '),
  ...'deposit credit debit wallet balance adjustment pending processing completed failed'.split(' '),
  ...defaultCurrencies.map((code) => code.toLowerCase()),
]);

/** A redacted key, an id with its mode, such as `pay_test_…`, or a word. */
const WORD = /[a-z]+_(?:test|live)_(?:…|[A-Za-z0-9]+)|[\p{L}\p{N}\p{M}]+/gu;

/** The longest text that is not JSON and that is kept, in characters. */
const MAX_TEXT = 4_000;

type HeaderValues = ExchangeMessage['headers'];

/**
 * Creates a function that masks API keys, secrets, names, accounts and purposes: in the fields that have them, and wherever
 * their words return. Equal words have equal masks, in capitals and in small letters.
 */
export function createMask(secret: string): (exchange: Exchange) => Exchange {
  const privateWords = new Set<string>();
  /** The ids in bodies, which stay there. */
  const ids = new Set<string>();
  const maskWord = (word: string): string => {
    const digest = createHmac('sha256', secret).update(word.toLowerCase()).digest('hex');
    return `X${digest.slice(0, 8).toUpperCase()}`;
  };
  const maskText = (name: string, text: string): string => {
    const masked = maskKeys(text);
    if (isStructural(name)) {
      if (/(?:^id|_id|Id)$/.test(name)) ids.add(masked);
      return masked;
    }
    return masked.replaceAll(WORD, (word) => {
      const known = word.toLowerCase();
      if (word.includes('_') || plainWords.has(known)) return word;
      // A short number is a part of times and amounts too.
      if (isPrivate(name) && /\p{L}{3}|.{6}/u.test(word)) privateWords.add(known);
      return isPrivate(name) || privateWords.has(known) ? maskWord(word) : word;
    });
  };
  /** `name` is that of the field, or of the private one around it; `isByName`: whether names show private values. */
  const maskJson = (json: unknown, name: string, isByName: boolean): unknown => {
    if (Array.isArray(json)) return json.map((item) => maskJson(item, name, isByName));
    if (isRecord(json)) {
      const isInherited = (key: string): boolean => isPrivate(name) && !isPrivate(key) && !isStructural(key);
      const fields = Object.entries(json).map(([key, inner]) => [
        maskKeys(key),
        maskJson(inner, isInherited(key) ? name : key, isByName),
      ]);
      return Object.fromEntries(fields);
    }
    if (typeof json === 'string') return maskText(isByName || isStructural(name) ? name : '', json);
    return typeof json === 'number' && isPrivate(name) && isByName ? 0 : json;
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
const maskPath = (path: string, mask: (name: string, text: string) => string): string =>
  path.replaceAll(/([?&][^/?&=]+=)([^&]*)|[^/?&]+/g, (part, name: string | undefined, value: string) =>
    name === undefined
      ? replaceDecoded(part, (text) => mask('', text))
      : name + replaceDecoded(value, (text) => mask(decode(name.slice(1, -1)), text)),
  );

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
