import type { VerificationCode } from '@service/webhooks/edge';
import file from '@service/webhooks/vectors.json' with { type: 'json' };
import { encode, fromBase64, fromHex, SECRET, signByOracle, writeEvent } from './samples.ts';

type Bytes = string | Uint8Array<ArrayBuffer>;

/** A request that must not be handled. */
export interface BadInput {
  readonly title: string;
  readonly body: Bytes;
  /** The value of the header, or a list of values. Of any type, as untyped callers may pass it. */
  readonly signature: unknown;
  readonly code: VerificationCode;
  /** The status of the response. */
  readonly status: 200 | 401 | 500;
}

const body = writeEvent();
const genuine = await signByOracle(body);
const BOM = '\ufeff';

const isList = (signature: unknown): signature is unknown[] => Array.isArray(signature);

/** Creates an input whose signature does not match its body. */
const forged = (title: string, sent: Bytes, signature: unknown): BadInput => {
  const text = typeof signature === 'string' ? signature : '';
  const isAmbiguous = isList(signature) ? signature.length > 1 : /^[^,]{0,64},/.test(text);
  const isWellFormed = /^[0-9a-f]{64}$/.test(text);
  const isMissing =
    signature === undefined || signature === null || (isList(signature) && signature.length === 0);
  const others = isAmbiguous ? 'ambiguous_signature' : 'malformed_signature';
  const code = isMissing ? 'missing_signature' : isWellFormed ? 'signature_mismatch' : others;
  return { title, body: sent, signature, code, status: 401 };
};

/** Creates an input with a valid signature and an invalid event. */
const signed = async (title: string, sent: Bytes, code: VerificationCode): Promise<BadInput> => ({
  title,
  body: sent,
  signature: await signByOracle(sent),
  code,
  status: code === 'mode_mismatch' ? 200 : 500,
});

async function compress(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const compressed = await compress(body);

/** Invalid inputs by kind. */
export const badInputs: Readonly<Record<string, readonly BadInput[]>> = {
  'a missing, malformed or other signature': file.vectors
    .filter(({ valid, secret }) => !valid && secret === btoa(SECRET))
    .map(({ title, body: sent, signatures }) =>
      forged(title, fromBase64(sent), signatures.length === 1 ? signatures[0] : signatures),
    ),
  'a mistyped signature': [
    undefined,
    null,
    42,
    Number.NaN,
    7n,
    true,
    Symbol('signature'),
    () => genuine,
    {},
    { toString: () => genuine, length: 64 },
    Object(genuine) as unknown,
    Array.from(genuine),
    encode(genuine),
    fromHex(genuine),
    '\ud800'.repeat(64),
    'a'.repeat(8_000),
    'a'.repeat(1 << 20),
  ].map((signature) => forged(String(signature).slice(0, 100), body, signature)),
  'a second byte order mark': [await signed('signed', `${BOM}${BOM}${body}`, 'invalid_json')],
  'invalid UTF-8': [await signed('signed', new Uint8Array([0xff]), 'invalid_utf8')],
  'an empty body': [await signed('signed', '', 'invalid_json')],
  'a compressed body': [
    forged('compressed after signing', compressed, genuine),
    await signed('signed', compressed, 'invalid_utf8'),
  ],
  'an inconsistent event': await Promise.all([
    signed('another status', writeEvent({ data: { status: 'failed' } }), 'unreadable_event'),
    signed('an id of the other mode', writeEvent({ data: { id: 'pay_live_1' } }), 'unreadable_event'),
    signed('a time without an offset', writeEvent({ created_at: '2026-01-31T12:00:00' }), 'unreadable_event'),
    signed('an infinite amount', body.replace('1000.5', '1e999'), 'unreadable_event'),
    signed('an amount in words', body.replace('1000.5', '"1,000.50"'), 'unreadable_event'),
    signed(
      'no data',
      '{"event":"payment.completed","created_at":"2026-01-31T12:00:00Z"}',
      'unreadable_event',
    ),
    signed('a list', '[]', 'invalid_event'),
  ]),
  'duplicate keys': [
    await signed(
      'whose last value is wrong',
      body.replace('"status":"completed"', '"status":"completed","status":"failed"'),
      'unreadable_event',
    ),
  ],
  'the other mode': [
    await signed(
      'of a known event',
      writeEvent({ data: { mode: 'live', id: 'pay_live_1' } }),
      'mode_mismatch',
    ),
    await signed('of an unknown event', '{"event":"x","data":{"mode":"live"}}', 'mode_mismatch'),
  ],
};

/** Returns the header values, or undefined if HTTP cannot carry them unchanged. */
export function toHeaderValues(signature: unknown): readonly string[] | undefined {
  if (signature === undefined || signature === null) return [];
  const values = (isList(signature) ? signature : [signature]) as readonly unknown[];
  const isSendable = values.every(
    (value) =>
      typeof value === 'string' &&
      // Visible ASCII and latin1. HTTP trims values, and servers reject headers of more than 16 kB.
      /^[\t\x20-\x7e\x80-\xff]*$/.test(value) &&
      value === value.replaceAll(/^[\t ]+|[\t ]+$/g, '') &&
      value.length < 16_000,
  );
  return isSendable && values.length < 64 ? (values as string[]) : undefined;
}
