import { toHex } from '@service/internal';
import type { WebhookEvent } from './event.ts';
import { isSignature, readSignature, toBytes, toKeyBytes } from './signature.ts';
import type { RawBody, Secret, SignatureSource, SignatureValue } from './signature.ts';
import { isUnexpired, parseVerifiedEvent, toFailure } from './verified-event.ts';
import type { MatchingSecret, VerificationResult, VerifiedEvent } from './verified-event.ts';
import { parseVerifierOptions } from './verifier-options.ts';
import type { VerifierOptions } from './verifier-options.ts';

/** A verifier of webhooks. Its secrets do not show up in logs, JSON and `util.inspect`. */
export interface AsyncVerifier {
  /**
   * Resolves to the event of a request with a valid signature.
   *
   * @throws {WebhookError} a verification code
   */
  readonly verify: (rawBody: RawBody, headersOrSignature: SignatureSource) => Promise<WebhookEvent>;
  /** Resolves to the event or a verification code, without rejecting. */
  readonly safeVerify: (rawBody: RawBody, headersOrSignature: SignatureSource) => Promise<VerificationResult>;
  /**
   * Checks the signature, without parsing the body.
   *
   * @throws {WebhookError} `body_not_raw`
   */
  readonly isValid: (rawBody: RawBody, signature: SignatureValue) => Promise<boolean>;
}

/**
 * Computes the signature of a body: HMAC-SHA256 in lowercase hexadecimal.
 *
 * @throws {WebhookError} `body_not_raw`, `unusable_secret`
 */
export async function sign(rawBody: RawBody, secret: Secret): Promise<string> {
  return digest(createKey(toKeyBytes(secret)), snapshot(rawBody));
}

/**
 * Checks the signature of a body, in constant time. Resolves to false for an invalid signature of any type.
 * Await it: a promise is truthy, so a condition without `await` accepts forgeries.
 *
 * @throws {WebhookError} `body_not_raw`, `unusable_secret`
 */
export async function isValidSignature(
  rawBody: RawBody,
  signature: SignatureValue,
  secret: Secret,
): Promise<boolean> {
  const key = createKey(toKeyBytes(secret));
  const body = snapshot(rawBody);
  return isSignature(signature) && isEqual(await digest(key, body), signature);
}

/**
 * Creates a verifier. Its secrets are prepared once.
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 * @example
 * const getVerifier = () => createVerifier({ secrets: process.env.SERVICE_WEBHOOK_SECRET });
 * const event = await getVerifier().verify(rawBody, request.headers);
 */
export function createVerifier(options: VerifierOptions): AsyncVerifier {
  const settings = parseVerifierOptions(options);
  const keys = settings.secretKeys.map(({ id, notAfter, bytes }) => ({
    id,
    notAfter,
    key: createKey(bytes),
  }));

  // Compares all secrets: the duration must not reveal which one matched.
  const findSecret = async (
    body: Uint8Array<ArrayBuffer>,
    signature: string,
  ): Promise<MatchingSecret | undefined> => {
    const matches = await Promise.all(
      keys.map(async (candidate) => isEqual(await digest(candidate.key, body), signature)),
    );
    return pickLatest(keys.filter((_, index) => matches[index]));
  };

  const verifyEvent = async (rawBody: RawBody, source: SignatureSource): Promise<VerifiedEvent> => {
    const body = snapshot(rawBody);
    const signature = readSignature(source);
    return parseVerifiedEvent({ body, source }, await findSecret(body, signature), settings);
  };

  return {
    verify: async (rawBody, source) => (await verifyEvent(rawBody, source)).event,
    safeVerify: async (rawBody, source) => {
      try {
        return { ok: true, ...(await verifyEvent(rawBody, source)) };
      } catch (error) {
        return toFailure(error);
      }
    },
    isValid: async (rawBody, signature) => {
      const body = snapshot(rawBody);
      return isSignature(signature) && isUnexpired(await findSecret(body, signature), settings);
    },
  };
}

function pickLatest(matches: readonly MatchingSecret[]): MatchingSecret | undefined {
  const latest = Math.max(...matches.map(({ notAfter }) => notAfter));
  return matches.find(({ notAfter }) => notAfter === latest);
}

/**
 * Copies the bytes before the first await: the caller could change its buffer between verifying and parsing.
 */
export function snapshot(rawBody: RawBody): Uint8Array<ArrayBuffer> {
  return new Uint8Array(toBytes(rawBody));
}

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
