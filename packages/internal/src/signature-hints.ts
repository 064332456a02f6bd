import { toHex } from './bytes.ts';
import { parseJson } from './json.ts';

const messages = {
  re_serialised_body:
    'The signature matches the body after its JSON is serialized again. Pass the raw body, not parsed and serialized JSON.',
  line_break_in_body:
    'The signature matches after changing the line break at the end. Find the code that adds or trims it.',
  upper_case_signature:
    'The signature is in upper case, but the service sends lower case. Pass it unchanged.',
  prefixed_signature:
    'The signature has a prefix, but the service sends hexadecimal only. Check the name of the header.',
  line_break_in_secret:
    'The signature matches after trimming the secret or adding a line break. Check how the secret was read from its file.',
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

async function findCodes({ body, secret }: RejectedWebhook, header: string): Promise<readonly HintCode[]> {
  const short = header.slice(0, 1024);
  const [hex = ''] = /[0-9a-f]{64}/i.exec(short) ?? [];
  const codes: HintCode[] = [];
  if (/^\s*(?:sha256=|v\d[=,]|0x)/i.test(short)) codes.push('prefixed_signature');
  if (hex !== hex.toLowerCase()) codes.push('upper_case_signature');
  const text = typeof body === 'string' ? body : decoder.decode(body);
  if (text === '') return [...codes, 'empty_body'];
  const matches = async (key: string, content: string): Promise<boolean> =>
    (await sign(key, content)) === hex.toLowerCase();
  // The signature is correct, and only its format is wrong.
  if (hex === '' || (await matches(secret, text))) return codes;
  for (const [code, key, content] of listVariants(secret, text))
    if (await matches(key, content)) return [...codes, code];
  return codes.length === 0 ? ['unknown_cause'] : codes;
}

async function sign(key: string, body: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign']);
  return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', imported, encoder.encode(body))));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Lists the keys and bodies that the sender may have used, with the cause that they would prove. */
function listVariants(secret: string, body: string): readonly [code: HintCode, key: string, body: string][] {
  const trimmed = body.replace(/[\r\n]+$/, '');
  return [
    ...[trimmed, `${trimmed}\n`, `${trimmed}\r\n`].map((text) => variant('line_break_in_body', secret, text)),
    ...reserialize(body).map((text) => variant('re_serialised_body', secret, text)),
    ...[secret.trim(), `${secret}\n`]
      .filter((key) => key !== '')
      .map((key) => variant('line_break_in_secret', key, body)),
  ];
}

function variant(code: HintCode, key: string, body: string): [code: HintCode, key: string, body: string] {
  return [code, key, body];
}

function reserialize(text: string): readonly string[] {
  const value = parseJson(text);
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
