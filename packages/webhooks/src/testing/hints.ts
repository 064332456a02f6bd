import { parseJson, toHex } from '@service/internal';
import { encodeText } from '../signature.ts';

/** The message of each hint. */
export const hintMessages: Readonly<Record<HintCode, string>> = {
  parsed_body: 'A parsed value was passed. Pass the raw body, and run the verifier before any JSON parser.',
  re_serialised_body:
    'The signature matches the body after its JSON is serialized again. Pass the raw body, not parsed and serialized JSON.',
  byte_order_mark:
    'The signature matches after adding or removing a byte order mark. Find the code that adds or removes U+FEFF.',
  line_break_in_body:
    'The signature matches after changing the line break at the end. Find the code that adds or trims it.',
  wrong_charset: 'The signature matches the text in latin1. Read the body as bytes or as UTF-8.',
  content_encoding:
    'The request has a Content-Encoding, but the service signs and sends plain JSON. Find the program that compresses or decompresses the body.',
  upper_case_signature:
    'The signature is in upper case, but the service sends lower case. Pass it unchanged.',
  prefixed_signature:
    'The signature has a prefix, but the service sends hexadecimal only. Check the name of the header.',
  space_around_signature: 'The signature has spaces around it. Pass the value unchanged.',
  base64_signature:
    'The signature looks like base64, but the service sends hexadecimal. Check the name of the header.',
  other_hash: 'The signature has the length of another hash. The service signs with HMAC-SHA256.',
  line_break_in_secret:
    'The signature matches after trimming the secret or adding a line break. Check how the secret was read from its file.',
  encoded_secret:
    'The signature matches the decoded or encoded secret. Pass the secret as text: its UTF-8 encoding is the key.',
  swapped_arguments:
    'Two arguments are swapped: body and signature of this call, or body and secret of the sender.',
  other_secret: 'The signature matches one of otherSecrets. Use the secret of this endpoint and mode.',
  empty_body: 'The body is empty. Check whether other code read it before.',
  refused_event: 'The signature is valid, but the event was rejected.',
  unknown_cause:
    'No common cause was found. Compare the secret with that of the endpoint, and the length of the body at sender and receiver. In code, otherSecrets checks the secrets of other endpoints and modes.',
};

/** The code of a {@link Hint}. */
export type HintCode =
  | 'parsed_body'
  | 're_serialised_body'
  | 'byte_order_mark'
  | 'line_break_in_body'
  | 'wrong_charset'
  | 'content_encoding'
  | 'upper_case_signature'
  | 'prefixed_signature'
  | 'space_around_signature'
  | 'base64_signature'
  | 'other_hash'
  | 'line_break_in_secret'
  | 'encoded_secret'
  | 'swapped_arguments'
  | 'other_secret'
  | 'empty_body'
  | 'refused_event'
  | 'unknown_cause';

/** A probable cause and its remedy. */
export interface Hint {
  /** The probable cause. */
  readonly code: HintCode;
  /** The probable cause and its remedy, in words. */
  readonly message: string;
}

/** A value that the sender may have used, and the cause that it would prove. */
export type Variant = readonly [code: HintCode, bytes: Uint8Array<ArrayBuffer>];

const BOM = '\ufeff';
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function toVariants(code: HintCode, texts: readonly string[]): readonly Variant[] {
  return texts.map((text) => [code, encodeText(text)]);
}

/** Returns bodies that the sender may have signed. */
export function bodyVariants(body: Uint8Array<ArrayBuffer>): readonly Variant[] {
  const text = decoder.decode(body);
  const trimmed = text.replace(/[\r\n]+$/, '');
  return [
    ...toVariants('byte_order_mark', [text.startsWith(BOM) ? text.slice(1) : BOM + text]),
    ...toVariants('line_break_in_body', [trimmed, `${trimmed}\n`, `${trimmed}\r\n`]),
    ...toVariants('re_serialised_body', reserialize(text)),
    ['wrong_charset', toLatin1(text)],
    ...toVariants('wrong_charset', [String.fromCharCode(...body.subarray(0, 65_536))]),
  ];
}

/** Returns keys that the sender may have used. */
export function keyVariants(secret: Uint8Array<ArrayBuffer>): readonly Variant[] {
  const text = decoder.decode(secret);
  const decoded = [...decodeHex(text), ...decodeBase64(text)];
  return [
    ...toVariants('line_break_in_secret', [text.trim(), `${text}\n`]),
    ...decoded.map((bytes): Variant => ['encoded_secret', bytes]),
    ...toVariants('encoded_secret', [toHex(secret)]),
  ];
}

function reserialize(text: string): readonly string[] {
  const value = parseJson(text.replace(BOM, ''));
  if (value === undefined) return [];
  const compact = JSON.stringify(value);
  const spaced = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
  const indented = [2, 4].map((width) => JSON.stringify(value, null, width));
  return [compact, ...indented, spaced, escapeUnicode(compact)];
}

/** Escapes non-ASCII characters, as JSON serializers of some languages do. */
function escapeUnicode(json: string): string {
  return json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function toLatin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function decodeHex(text: string): readonly Uint8Array<ArrayBuffer>[] {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return [];
  return [Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))];
}

function decodeBase64(text: string): readonly Uint8Array<ArrayBuffer>[] {
  try {
    return [toLatin1(atob(text.replace(/^whsec_/, '')))];
  } catch {
    return [];
  }
}
