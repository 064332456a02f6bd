import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** An HMAC key. `util.inspect` does not show its bytes. */
export type HmacKey = KeyObject;

export function createKey(bytes: Uint8Array): HmacKey {
  return createSecretKey(bytes);
}

/** Computes the HMAC-SHA256 of a body, as lowercase hexadecimal. */
export function digest(key: HmacKey, body: string | Uint8Array): string {
  return createHmac('sha256', key)
    .update(body as Uint8Array)
    .digest('hex');
}

/** Compares two signatures of 64 ASCII characters in constant time. */
export type Compare = (expected: string, signature: string) => boolean;

/**
 * Creates a comparison that reuses two buffers: allocating them per call takes a fifth of the time of the
 * hash.
 */
export function createCompare(): Compare {
  const [one, two] = [Buffer.alloc(64), Buffer.alloc(64)];
  return (expected, signature) => {
    // The fastest encoding for ASCII.
    one.write(expected, 'latin1');
    two.write(signature, 'latin1');
    return timingSafeEqual(one, two);
  };
}

/** Computes the SHA-256 of a body, as hexadecimal. */
export function hash(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}
