import { toBytes } from './bytes.ts';
import type { RawBody } from './bytes.ts';
import type { WebhookEvent } from './event.ts';
import { createKey, digest, isEqual } from './hmac.web.ts';
import { toKeyBytes } from './secret.ts';
import type { Secret } from './secret.ts';
import { isSignature, readSignature } from './signature.ts';
import type { SignatureSource, SignatureValue } from './signature.ts';
import { isUnexpired, parseVerifiedEvent, parseVerifierOptions, toFailure } from './verifier.ts';
import type { MatchingSecret, VerificationResult, VerifiedEvent, VerifierOptions } from './verifier.ts';

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
    return parseVerifiedEvent(body, await findSecret(body, signature), settings);
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
