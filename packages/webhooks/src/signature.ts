import { isPromise, isRecord, type JsonObject } from '@service/internal';
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

const encoder = new TextEncoder();

/** Encodes text as UTF-8. Lone surrogates become U+FFFD. */
function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/**
 * Converts a raw body to bytes. Bytes are not copied.
 *
 * @throws {WebhookError} `body_not_raw`
 */
export function toBytes(rawBody: RawBody): Uint8Array {
  if (typeof rawBody === 'string') return encodeText(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
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
  const isText = typeof secret === 'string';
  if (isText || hasTag(secret, 'Uint8Array')) {
    const bytes = isText ? encodeText(secret) : new Uint8Array(secret as Uint8Array);
    const isPlaceholder = isText && /^\s*(undefined|null)?\s*$/.test(secret);
    // HMAC pads a key with zero bytes, so a zeroed buffer equals the empty key.
    if (!isPlaceholder && bytes.some((byte) => byte > 0)) return bytes;
  }
  if (!isPromise(secret)) throw new WebhookError('unusable_secret');
  // Its rejection must not end the process.
  secret.then(undefined, () => {});
  throw new WebhookError('unusable_secret', { message: PROMISE });
}

const PROMISE =
  'A secret is a promise. Await it, or pass an async function as `secrets` to createReceiver or a verifier of @service/webhooks/edge.';

/** Checks for exactly 64 lowercase hexadecimal characters. */
export function isSignature(value: unknown): value is string {
  // The length is checked first: a header of a megabyte costs as little as a short one.
  return typeof value === 'string' && value.length === 64 && !/[^0-9a-f]/.test(value);
}

/**
 * Reads the signature.
 *
 * @throws {WebhookError} `missing_signature`, `ambiguous_signature`, `malformed_signature`
 */
export function readSignature(source: SignatureSource): string {
  const value = isRecord(source) ? readHeader(source, SIGNATURE_HEADER) : unwrapSingle(source);
  if (isSignature(value)) return value;
  if (value === undefined || value === null) throw new WebhookError('missing_signature');
  // HTTP joins several values with commas. Reads at most the length of one signature.
  const isSeveral = Array.isArray(value) || (typeof value === 'string' && /^[^,]{0,64},/.test(value));
  throw new WebhookError(isSeveral ? 'ambiguous_signature' : 'malformed_signature');
}

/** Reads a header by its lower-case name. Returns one value, a list of several, or undefined. */
function readHeader(source: JsonObject, header: string): unknown {
  if (typeof source.get === 'function') return unwrapSingle(source.get(header));
  const isNamed = (name: string): boolean => name.length === header.length && name.toLowerCase() === header;
  return unwrapSingle(
    Object.keys(source)
      .filter(isNamed)
      .flatMap((name) => source[name] ?? []),
  );
}

function unwrapSingle(value: unknown): unknown {
  return Array.isArray(value) && value.length < 2 ? value[0] : value;
}

/** Returns the `Content-Encoding` of a request, or undefined without one. */
export function readContentEncoding(source: SignatureSource): string | undefined {
  const encoding = isRecord(source) && readHeader(source, 'content-encoding');
  // Not any text: the header of a forger must not write lines into a log.
  const isNamed = typeof encoding === 'string' && /^(?!identity$)[\w.+, -]{1,40}$/i.test(encoding);
  return isNamed ? encoding : undefined;
}
