import { toHex } from './bytes.ts';

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** Holds a key that is imported at its first use and kept; a closure, so that it shows nothing when inspected. */
export type HmacKey = () => Promise<CryptoKey>;

/** Creates a key from its bytes. Nothing runs yet: some edge platforms forbid work while a module loads. */
export function createKey(bytes: Uint8Array<ArrayBuffer>): HmacKey {
  let imported: Promise<CryptoKey> | undefined;
  return () => (imported ??= crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign']));
}

/** Computes the HMAC-SHA256 of a body as lowercase hexadecimal. */
export async function digest(key: HmacKey, body: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.sign(HMAC.name, await key(), body)));
}

/** Computes the SHA-256 of a body as hexadecimal. */
export async function hash(body: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest(HMAC.hash, body)));
}

/** Compares two signatures in constant time; both are 64 ASCII characters. */
export function isEqual(expected: string, signature: string): boolean {
  let difference = expected.length ^ signature.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ signature.charCodeAt(index);
  }
  return difference === 0;
}
