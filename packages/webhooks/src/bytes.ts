import { WebhookError } from './errors.ts';

/** Holds a request body as it came over the wire; a string stands for its UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer | DataView;

const encoder = new TextEncoder();

/** Converts text to its UTF-8; lone surrogates become U+FFFD, as everywhere on the platform. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Converts a raw body to its exact bytes, without a copy where it holds bytes already. Throws `body_not_raw`. */
export function toBytes(rawBody: RawBody): Uint8Array {
  if (typeof rawBody === 'string') return encodeText(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  if (ArrayBuffer.isView(rawBody))
    return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  if (hasTag(rawBody, 'ArrayBuffer')) return new Uint8Array(rawBody);
  throw new WebhookError('body_not_raw');
}

/** Converts bytes to lowercase hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Tells whether a value is a Uint8Array (a Buffer is one), of any realm. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && hasTag(value, 'Uint8Array');
}

/** Compares built-in tags, because `instanceof` fails for values of another realm (test runners, vm contexts). */
function hasTag(value: unknown, tag: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${tag}]`;
}
