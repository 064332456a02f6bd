import { toBytes } from './bytes.ts';
import type { RawBody } from './bytes.ts';
import type { WebhookEvent } from './event.ts';
import { createCompare, createKey, digest } from './hmac.node.ts';
import { toKeyBytes } from './secret.ts';
import type { Secret } from './secret.ts';
import { isSignature, readSignature } from './signature.ts';
import type { SignatureSource, SignatureValue } from './signature.ts';
import { isInUse, openEvent, parseVerifierOptions, toFailure } from './verifier.ts';
import type { MatchingSecret, VerificationResult, VerifiedEvent, VerifierOptions } from './verifier.ts';

/** Verifies webhooks; its secrets are out of reach of logs, JSON and inspection. */
export interface Verifier {
  /** Returns the event of a genuine request. Throws a `WebhookError` of a verification code. */
  readonly verify: (rawBody: RawBody, headersOrSignature: SignatureSource) => WebhookEvent;
  /** Returns the event, or the code of the refusal instead of throwing it. */
  readonly safeVerify: (rawBody: RawBody, headersOrSignature: SignatureSource) => VerificationResult;
  /** Tells whether the signature is genuine, without reading the body. Throws only `body_not_raw`. */
  readonly isValid: (rawBody: RawBody, signature: SignatureValue) => boolean;
}

/** Computes the signature of a body: lowercase hexadecimal HMAC-SHA256 (spec §6). Throws `body_not_raw`, `unusable_secret`. */
export function sign(rawBody: RawBody, secret: Secret): string {
  return digest(createKey(toKeyBytes(secret)), toBytes(rawBody));
}

/**
 * Tells whether a signature belongs to a body, in constant time; false for any bad signature of any type (spec §6).
 * Throws `body_not_raw` and `unusable_secret`, which are mistakes of the caller.
 */
export function isValidSignature(rawBody: RawBody, signature: SignatureValue, secret: Secret): boolean {
  const key = createKey(toKeyBytes(secret));
  const body = toBytes(rawBody);
  return isSignature(signature) && createCompare()(digest(key, body), signature);
}

/** Creates a verifier whose secrets are prepared once. Throws `unusable_secret`, `invalid_options`. */
export function createVerifier(options: VerifierOptions): Verifier {
  const settings = parseVerifierOptions(options);
  const keys = settings.secretKeys.map(({ id, notAfter, bytes }) => ({
    id,
    notAfter,
    key: createKey(bytes),
  }));

  const isEqual = createCompare();

  // Every secret is compared before one is picked, so that the time taken does not tell which one matched.
  const findSecret = (body: string | Uint8Array, signature: string): MatchingSecret | undefined => {
    let found: MatchingSecret | undefined;
    for (const candidate of keys) {
      const isMatch = isEqual(digest(candidate.key, body), signature);
      if (isMatch && (found === undefined || found.notAfter < candidate.notAfter)) found = candidate;
    }
    return found;
  };

  const open = (rawBody: RawBody, source: SignatureSource): VerifiedEvent => {
    const body = withoutSharing(toBytes(rawBody));
    const signature = readSignature(source);
    return openEvent(body, findSecret(body, signature), settings);
  };

  return {
    verify: (rawBody, source) => open(rawBody, source).event,
    safeVerify: (rawBody, source) => {
      try {
        return { ok: true, ...open(rawBody, source) };
      } catch (error) {
        return toFailure(error);
      }
    },
    isValid: (rawBody, signature) => {
      const body = typeof rawBody === 'string' ? rawBody : toBytes(rawBody);
      return isSignature(signature) && isInUse(findSecret(body, signature), settings);
    },
  };
}

/** Copies memory that another thread could change between the check of the signature and the reading of the event. */
export function withoutSharing(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = body;
  return buffer instanceof SharedArrayBuffer ? new Uint8Array(body) : (body as Uint8Array<ArrayBuffer>);
}
