import { toHex } from './bytes.ts';

const hmacAlgorithm = { name: 'HMAC', hash: 'SHA-256' };

/** A function that returns an HMAC key. A closure, so that inspection does not show the bytes. */
export type HmacKey = () => Promise<CryptoKey>;

/**
 * Creates a key that is imported at its first use: some edge platforms forbid asynchronous work while a
 * module loads.
 */
export function createKey(bytes: Uint8Array<ArrayBuffer>): HmacKey {
  let imported: Promise<CryptoKey> | undefined;
  return () => (imported ??= crypto.subtle.importKey('raw', bytes, hmacAlgorithm, false, ['sign']));
}

/** Computes the HMAC-SHA256 of a body, as lowercase hexadecimal. */
export async function digest(key: HmacKey, body: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.sign(hmacAlgorithm.name, await key(), body)));
}

/** Computes the SHA-256 of a body, as hexadecimal. */
export async function hash(body: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest(hmacAlgorithm.hash, body)));
}

/** Compares two signatures of 64 ASCII characters in constant time. */
export function isEqual(expected: string, signature: string): boolean {
  let difference = expected.length ^ signature.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ signature.charCodeAt(index);
  }
  return difference === 0;
}
