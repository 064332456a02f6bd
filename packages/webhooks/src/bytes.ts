import { WebhookError } from './errors.ts';

/** A request body as it was received. Text is encoded as UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer | DataView;

const encoder = new TextEncoder();

/** Encodes text as UTF-8. Lone surrogates become U+FFFD. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
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

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Checks whether a value is a Uint8Array or a Buffer, of any realm. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && hasTag(value, 'Uint8Array');
}

// `instanceof` fails for values of another realm (test runners, vm contexts).
function hasTag(value: unknown, tag: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${tag}]`;
}
