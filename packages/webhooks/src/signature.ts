import { isRecord, type JsonObject } from '@service/internal';
import { WebhookError } from './errors.ts';

/** A request body as it was received. Text is encoded as UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer | DataView;

/** A signing secret: text, whose UTF-8 encoding is the key, or the bytes of the key. */
export type Secret = string | Uint8Array;

/** The name of the signature header, in lower case. */
export const SIGNATURE_HEADER = 'x-service-signature';

/**
 * A source of the signature: the header value, a `Headers`, or an object of headers with names in any case. Only a
 * single string can be valid.
 */
export type SignatureSource =
  | string
  | readonly string[]
  | null
  | undefined
  | {
      /** Returns the value of a header, by its name in any case. */
      get(name: string): string | null | undefined;
    }
  | Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** Encodes text as UTF-8. Lone surrogates become U+FFFD. */
const encoder = new TextEncoder();

/**
 * Converts a raw body to bytes. Bytes are not copied.
 *
 * @throws {WebhookError} `body_not_raw`
 */
export function toBytes(rawBody: RawBody): Uint8Array {
  if (typeof rawBody === 'string') return encoder.encode(rawBody);
  if (ArrayBuffer.isView(rawBody))
    return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  if (hasTag(rawBody, 'ArrayBuffer')) return new Uint8Array(rawBody);
  throw new WebhookError('body_not_raw');
}

// `instanceof` fails for values of another realm (test runners, vm contexts).
function hasTag(value: unknown, tag: string): boolean {
  return (
    (value as { readonly [Symbol.toStringTag]?: unknown } | null | undefined)?.[Symbol.toStringTag] === tag
  );
}

/**
 * Returns a copy of the key bytes of a secret.
 *
 * @throws {WebhookError} `unusable_secret`
 */
export function toKeyBytes(secret: unknown): Uint8Array<ArrayBuffer> {
  if (typeof secret === 'string' || hasTag(secret, 'Uint8Array')) {
    const bytes = new Uint8Array(toBytes(secret as Secret));
    const isPlaceholder = /^\s*(undefined|null)?\s*$/.test(String(secret));
    // HMAC pads a key with zero bytes, so a zeroed buffer equals the empty key.
    if (!isPlaceholder && bytes.some((byte) => byte > 0)) return bytes;
  }
  throw new WebhookError('unusable_secret');
}

/** Checks for exactly 64 lowercase hexadecimal characters. */
export function isSignature(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/**
 * Reads the signature.
 *
 * @throws {WebhookError} `missing_signature`, `ambiguous_signature`, `malformed_signature`
 */
export function readSignature(source: SignatureSource): string {
  const value = isRecord(source) ? readHeader(source) : unwrapSingle(source);
  if (isSignature(value)) return value;
  if (value === undefined || value === null) throw new WebhookError('missing_signature');
  // HTTP joins several values with commas. Reads at most the length of one signature.
  const isSeveral = Array.isArray(value) || (typeof value === 'string' && /^[^,]{0,64},/.test(value));
  throw new WebhookError(isSeveral ? 'ambiguous_signature' : 'malformed_signature');
}

/** Reads the header of the signature. Returns one value, a list of several, or undefined. */
function readHeader(source: JsonObject): unknown {
  if (typeof source.get === 'function') return unwrapSingle(source.get(SIGNATURE_HEADER));
  const names = Object.keys(source).filter((name) => name.toLowerCase() === SIGNATURE_HEADER);
  return unwrapSingle(names.flatMap((name) => source[name] ?? []));
}

function unwrapSingle(value: unknown): unknown {
  return Array.isArray(value) && value.length < 2 ? value[0] : value;
}
