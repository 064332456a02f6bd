import { toBytes } from './bytes.ts';
import type { RawBody } from './bytes.ts';
import type { WebhookEvent } from './event.ts';
import { createCompare, createKey, digest } from './hmac.node.ts';
import { toKeyBytes } from './secret.ts';
import type { Secret } from './secret.ts';
import { isSignature, readSignature } from './signature.ts';
import type { SignatureSource, SignatureValue } from './signature.ts';
import { isUnexpired, parseVerifiedEvent, parseVerifierOptions, toFailure } from './verifier.ts';
import type { MatchingSecret, VerificationResult, VerifiedEvent, VerifierOptions } from './verifier.ts';

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
  return digest(createKey(toKeyBytes(secret)), toBytes(rawBody));
}

/**
 * Checks the signature of a body, in constant time. Returns false for an invalid signature of any type.
 *
 * @throws {WebhookError} `body_not_raw`, `unusable_secret`
 */
export function isValidSignature(rawBody: RawBody, signature: SignatureValue, secret: Secret): boolean {
  const key = createKey(toKeyBytes(secret));
  const body = toBytes(rawBody);
  return isSignature(signature) && createCompare()(digest(key, body), signature);
}

/**
 * Creates a verifier. Its secrets are prepared once.
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const settings = parseVerifierOptions(options);
  const keys = settings.secretKeys.map(({ id, notAfter, bytes }) => ({
    id,
    notAfter,
    key: createKey(bytes),
  }));

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
    return parseVerifiedEvent(body, findSecret(body, signature), settings);
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
  const { buffer } = body;
  return buffer instanceof SharedArrayBuffer ? new Uint8Array(body) : (body as Uint8Array<ArrayBuffer>);
}
