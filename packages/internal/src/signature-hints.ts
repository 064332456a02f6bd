import { toHex } from './bytes.ts';
import { parseJson } from './json.ts';

const messages = {
  re_serialised_body:
    'The signature matches the body after its JSON is serialized again. Pass the raw body, not parsed and serialized JSON.',
  byte_order_mark:
    'The signature matches after adding or removing a byte order mark. Find the code that adds or removes U+FEFF.',
  line_break_in_body:
    'The signature matches after changing the line break at the end. Find the code that adds or trims it.',
  wrong_charset: 'The signature matches the text in latin1. Read the body as bytes or as UTF-8.',
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
  empty_body: 'The body is empty. Check whether other code read it before.',
  refused_event: 'The signature is valid, but the event was rejected.',
  unknown_cause:
    'The body was changed after it was signed, or another secret signed it. Compare the secret with that of the endpoint, and the bytes of the body with those that the service sent.',
};

type HintCode = keyof typeof messages;

/** A probable cause of a rejected webhook, and its remedy. */
export interface SignatureHint {
  readonly code: HintCode;
  readonly message: string;
}

/** A webhook that a verifier rejected. */
export interface RejectedWebhook {
  /** The error of the verifier. */
  readonly error: { readonly code: string; readonly message: string };
  readonly body: string | Uint8Array;
  /** The value of the signature header, if there is one. */
  readonly signature: string | undefined;
  readonly secret: string;
}

/**
 * Finds probable causes of a rejected webhook by testing common mistakes, most likely first. Empty if the code
 * explains itself. Its results would help a forger, so do not call it in production.
 */
export async function findSignatureHints(webhook: RejectedWebhook): Promise<SignatureHint[]> {
  const { code, message } = webhook.error;
  if (!code.includes('signature'))
    return [{ code: 'refused_event', message: `${messages.refused_event} ${message}` }];
  if (webhook.signature === undefined || code === 'ambiguous_signature') return [];
  const found = await findCodes(webhook, webhook.signature);
  return [...new Set(found)].map((each) => ({ code: each, message: messages[each] }));
}

type Bytes = Uint8Array<ArrayBuffer>;

async function findCodes({ body, secret }: RejectedWebhook, header: string): Promise<readonly HintCode[]> {
  const bytes = typeof body === 'string' ? encode(body) : new Uint8Array(body);
  const key = encode(secret);
  const { signature, codes } = parseLeniently(header);
  if (/^[0-9a-f]{64}$/.test(decoder.decode(bytes))) codes.push('swapped_arguments');
  if (signature === undefined) return codes;
  const matches = async (one: Bytes, other: Bytes): Promise<boolean> =>
    one.byteLength > 0 && (await sign(one, other)) === signature;
  // The signature is correct, and only its format is wrong.
  if (await matches(key, bytes)) return codes;
  codes.push(
    ...(await findFirst(bodyVariants(bytes), (each) => matches(key, each))),
    ...(await findFirst(keyVariants(key), (each) => matches(each, bytes))),
  );
  if (await matches(bytes, key)) codes.push('swapped_arguments');
  if (bytes.byteLength === 0) codes.push('empty_body');
  return codes.length === 0 ? ['unknown_cause'] : codes;
}

async function sign(key: Bytes, body: Bytes): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', imported, body)));
}

/** Finds a signature in a header value, with codes of prefixes, spaces and other deviations. */
function parseLeniently(value: string): { signature: string | undefined; codes: HintCode[] } {
  const short = value.slice(0, 1024);
  const [inner = ''] = /[0-9a-f]{40,}/i.exec(short) ?? [];
  const deviations: readonly (readonly [code: HintCode, isPresent: boolean])[] = [
    ['space_around_signature', /^\s|\s$/.test(value)],
    ['prefixed_signature', /^\s*(?:sha256=|v\d[=,]|0x)/i.test(short)],
    ['upper_case_signature', inner !== inner.toLowerCase()],
    ['base64_signature', /^\s*[A-Za-z0-9+/]{43}=\s*$/.test(short)],
    ['other_hash', [40, 96, 128].includes(inner.length)],
  ];
  const codes = deviations.flatMap(([code, isPresent]) => (isPresent ? [code] : []));
  return { signature: inner.length === 64 ? inner.toLowerCase() : undefined, codes };
}

/** A value that the sender may have used, and the cause that it would prove. */
type Variant = readonly [code: HintCode, bytes: Bytes];

/** Returns only the first match: serializing JSON again also removes a byte order mark. */
async function findFirst(
  variants: readonly Variant[],
  matches: (bytes: Bytes) => Promise<boolean>,
): Promise<readonly HintCode[]> {
  for (const [code, bytes] of variants) if (await matches(bytes)) return [code];
  return [];
}

const BOM = '\ufeff';
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function encode(text: string): Bytes {
  return encoder.encode(text);
}

function toVariants(code: HintCode, texts: readonly string[]): readonly Variant[] {
  return texts.map((text) => [code, encode(text)]);
}

/** Returns bodies that the sender may have signed. */
function bodyVariants(body: Bytes): readonly Variant[] {
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
function keyVariants(secret: Bytes): readonly Variant[] {
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

function toLatin1(text: string): Bytes {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function decodeHex(text: string): readonly Bytes[] {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return [];
  return [Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))];
}

function decodeBase64(text: string): readonly Bytes[] {
  try {
    return [toLatin1(atob(text.replace(/^whsec_/, '')))];
  } catch {
    return [];
  }
}
