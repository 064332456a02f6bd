import { encodeText, toHex } from '../bytes.ts';

/** Names what is probably wrong. */
export type HintCode =
  | 'parsed_body'
  | 're_serialised_body'
  | 'byte_order_mark'
  | 'line_break_in_body'
  | 'wrong_charset'
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

/** Tells one probable cause and what to do about it. */
export interface Hint {
  readonly code: HintCode;
  readonly message: string;
}

/** Holds, for each code, what is wrong and what to do. */
export const ADVICE: Readonly<Record<HintCode, string>> = {
  parsed_body:
    'A parsed value was passed. Pass the raw body, and let no JSON parser run before the verifier: it loses the bytes.',
  re_serialised_body:
    'The signature fits the body when its JSON is written anew: it was parsed and re-serialised.',
  byte_order_mark: 'The signature fits with the byte order mark changed: something adds or strips U+FEFF.',
  line_break_in_body:
    'The signature fits with the line break at the end changed: something adds or trims it.',
  wrong_charset: 'The signature fits when the text is read as latin1: take the body as bytes, or as UTF-8.',
  upper_case_signature: 'The signature is in upper case; the service sends lower case. Pass it on unchanged.',
  prefixed_signature:
    'The signature has a prefix; the service sends bare hexadecimal. Is it the right header?',
  space_around_signature: 'There is space around the signature. Pass the value on unchanged.',
  base64_signature: 'The signature looks like base64; the service sends hexadecimal. Is it the right header?',
  other_hash: 'The signature has the length of another hash; the service signs with HMAC-SHA256.',
  line_break_in_secret:
    'The signature fits without the space at the ends of the secret. Was it read from a file?',
  encoded_secret:
    'The signature fits the decoded secret or its text: the key is the UTF-8 of the text as it is.',
  swapped_arguments:
    'Two things stand in the place of each other: body and signature as they were passed, or body and secret as it was signed.',
  other_secret:
    'The signature fits another of the secrets that were given to compare: that of the other endpoint or mode?',
  empty_body: 'The body is empty: something read it earlier.',
  refused_event: 'The signature is genuine, and the event is not one that may be handled.',
  unknown_cause:
    'No usual cause fits. Is it the secret of another endpoint or mode? Pass the others as otherSecrets. Else compare the length of the body at sender and receiver.',
};

type Attempt = readonly [code: HintCode, bodies: readonly Uint8Array<ArrayBuffer>[]];
type SecretAttempt = readonly [code: HintCode, keys: readonly Uint8Array<ArrayBuffer>[]];

const BOM = '\ufeff';
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Lists what the body may have been when it was signed. */
export function listBodies(body: Uint8Array<ArrayBuffer>): readonly Attempt[] {
  const text = decoder.decode(body);
  const trimmed = text.replace(/[\r\n]+$/, '');
  return [
    ['byte_order_mark', [encodeText(text.startsWith(BOM) ? text.slice(1) : BOM + text)]],
    ['line_break_in_body', [trimmed, `${trimmed}\n`, `${trimmed}\r\n`].map(encodeText)],
    ['re_serialised_body', reserialise(text).map(encodeText)],
    ['wrong_charset', [toLatin1(text), encodeText(String.fromCharCode(...body.subarray(0, 65_536)))]],
  ];
}

/** Lists what the key may have been when the body was signed. */
export function listKeys(secret: Uint8Array<ArrayBuffer>): readonly SecretAttempt[] {
  const text = decoder.decode(secret);
  return [
    ['line_break_in_secret', [text.trim(), `${text}\n`].map(encodeText)],
    ['encoded_secret', [...decodeHex(text), ...decodeBase64(text), encodeText(toHex(secret))]],
  ];
}

function reserialise(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text.replace(BOM, ''));
    const compact = JSON.stringify(value);
    const spaced = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
    return [
      compact,
      JSON.stringify(value, null, 2),
      JSON.stringify(value, null, 4),
      spaced,
      escapeUnicode(compact),
    ];
  } catch {
    return [];
  }
}

/** Writes as languages do whose JSON is ASCII and escapes slashes. */
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
