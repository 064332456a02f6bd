import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Holds a key ready for signing; it shows nothing of itself when inspected. */
export type HmacKey = KeyObject;

/** Creates a key from its bytes. */
export function createKey(bytes: Uint8Array): HmacKey {
  return createSecretKey(bytes);
}

/** Computes the HMAC-SHA256 of a body (of a text's UTF-8) as lowercase hexadecimal. */
export function digest(key: HmacKey, body: string | Uint8Array): string {
  return createHmac('sha256', key)
    .update(body as Uint8Array)
    .digest('hex');
}

/** Compares two signatures in constant time; both are 64 ASCII characters. */
export type Compare = (expected: string, signature: string) => boolean;

/** Creates a comparison with room of its own, since making two buffers for each call costs as much as a fifth of the hash. */
export function createCompare(): Compare {
  const [one, two] = [Buffer.alloc(64), Buffer.alloc(64)];
  return (expected, signature) => {
    // Both are ASCII, of which this encoding is the quickest to write.
    one.write(expected, 'latin1');
    two.write(signature, 'latin1');
    return timingSafeEqual(one, two);
  };
}

/** Computes the SHA-256 of a body as hexadecimal. */
export function hash(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}
