import { toHex } from '@service/internal';
import { toBytes, toKeyBytes } from './signature.ts';
import type { RawBody, Secret } from './signature.ts';
import type { Runtime } from './verifier.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Verification over WebCrypto. */
export const runtime: Runtime<Promise<boolean>> = {
  createMatcher: (bytes) => {
    const digest = createDigest(bytes);
    return async (body, signature) => isEqual(await digest(body), signature);
  },
  // Copies before the first await: the caller could change its buffer between verifying and parsing.
  toBody: (rawBody) => new Uint8Array(toBytes(rawBody)),
};

/**
 * Creates the function that computes the HMAC-SHA256 of a body in lowercase hexadecimal. It imports the key at
 * its first call: some edge platforms forbid asynchronous work while a module loads.
 */
function createDigest(bytes: Bytes): (body: Bytes) => Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let key: Promise<CryptoKey> | undefined;
  return async (body) => {
    key ??= crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
    return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', await key, body)));
  };
}

/** Compares two signatures of 64 ASCII characters in constant time. */
function isEqual(expected: string, signature: string): boolean {
  let difference = expected.length ^ signature.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ signature.charCodeAt(index);
  }
  return difference === 0;
}

/**
 * Computes the signature of a body: HMAC-SHA256 in lowercase hexadecimal.
 *
 * @throws {WebhookError} `body_not_raw`, `unusable_secret`
 */
export async function signAsync(rawBody: RawBody, secret: Secret): Promise<string> {
  return createDigest(toKeyBytes(secret))(runtime.toBody(rawBody));
}
