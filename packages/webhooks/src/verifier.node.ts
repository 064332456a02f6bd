import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { WebhookEvent } from './event.ts';
import { isSignature, readSignature, toBytes, toKeyBytes } from './signature.ts';
import type { RawBody, Secret, SignatureSource, SignatureValue } from './signature.ts';
import { isUnexpired, parseVerifiedEvent, toFailure } from './verified-event.ts';
import type { MatchingSecret, VerificationResult, VerifiedEvent } from './verified-event.ts';
import { parseVerifierOptions } from './verifier-options.ts';
import type { VerifierOptions } from './verifier-options.ts';

/** A verifier of webhooks. Its secrets do not show up in logs, JSON and `util.inspect`. */
export interface Verifier {
  /**
   * Returns the event of a request with a valid signature.
   *
   * @throws {WebhookError} a verification code
   */
  readonly verify: (rawBody: RawBody, headersOrSignature: SignatureSource) => WebhookEvent;
  /** Returns the event or a verification code, without throwing. */
  readonly safeVerify: (rawBody: RawBody, headersOrSignature: SignatureSource) => VerificationResult;
  /**
   * Checks the signature, without parsing the body.
   *
   * @throws {WebhookError} `body_not_raw`
   */
  readonly isValid: (rawBody: RawBody, signature: SignatureValue) => boolean;
}

/**
 * Computes the signature of a body: HMAC-SHA256 in lowercase hexadecimal.
 *
 * @throws {WebhookError} `body_not_raw`, `unusable_secret`
 */
export function sign(rawBody: RawBody, secret: Secret): string {
  return digest(createSecretKey(toKeyBytes(secret)), toBytes(rawBody));
}

/**
 * Checks the signature of a body, in constant time. Returns false for an invalid signature of any type.
 *
 * @throws {WebhookError} `body_not_raw`, `unusable_secret`
 */
export function isValidSignature(rawBody: RawBody, signature: SignatureValue, secret: Secret): boolean {
  const key = createSecretKey(toKeyBytes(secret));
  const body = toBytes(rawBody);
  return isSignature(signature) && createCompare()(digest(key, body), signature);
}

/**
 * Creates a verifier. Its secrets are prepared once.
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 * @example
 * const getVerifier = () => createVerifier({ secrets: process.env.SERVICE_WEBHOOK_SECRET });
 * const event = getVerifier().verify(rawBody, request.headers);
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const settings = parseVerifierOptions(options);
  const keys = settings.secretKeys.map((secret) => ({ ...secret, key: createSecretKey(secret.bytes) }));

  const isEqual = createCompare();

  // Compares all secrets: the duration must not reveal which one matched.
  const findSecret = (body: string | Uint8Array, signature: string): MatchingSecret | undefined => {
    let found: MatchingSecret | undefined;
    for (const candidate of keys) {
      const isMatch = isEqual(digest(candidate.key, body), signature);
      if (isMatch && (found === undefined || found.notAfter < candidate.notAfter)) found = candidate;
    }
    return found;
  };

  const verifyEvent = (rawBody: RawBody, source: SignatureSource): VerifiedEvent => {
    const body = withoutSharing(toBytes(rawBody));
    const signature = readSignature(source);
    return parseVerifiedEvent({ body, source }, findSecret(body, signature), settings);
  };

  return {
    verify: (rawBody, source) => verifyEvent(rawBody, source).event,
    safeVerify: (rawBody, source) => {
      try {
        return { ok: true, ...verifyEvent(rawBody, source) };
      } catch (error) {
        return toFailure(error);
      }
    },
    isValid: (rawBody, signature) => {
      const body = typeof rawBody === 'string' ? rawBody : toBytes(rawBody);
      return isSignature(signature) && isUnexpired(findSecret(body, signature), settings);
    },
  };
}

/**
 * Copies shared memory: another thread could change it between the signature check and the parsing of the
 * event.
 */
export function withoutSharing(body: Uint8Array): Uint8Array<ArrayBuffer> {
  return body.buffer instanceof SharedArrayBuffer ? new Uint8Array(body) : (body as Uint8Array<ArrayBuffer>);
}

/** Computes the HMAC-SHA256 of a body, as lowercase hexadecimal. */
function digest(key: KeyObject, body: string | Uint8Array): string {
  return createHmac('sha256', key)
    .update(body as Uint8Array)
    .digest('hex');
}

/**
 * Creates a comparison of two signatures of 64 ASCII characters, in constant time. It reuses two buffers: allocating them per call takes a fifth of the time of the
 * hash.
 */
function createCompare(): (expected: string, signature: string) => boolean {
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
