import { toBytes } from './bytes.ts';
import type { RawBody } from './bytes.ts';
import type { WebhookEvent } from './event.ts';
import { createKey, digest, isEqual } from './hmac.web.ts';
import { toKeyBytes } from './secret.ts';
import type { Secret } from './secret.ts';
import { isSignature, readSignature } from './signature.ts';
import type { SignatureSource, SignatureValue } from './signature.ts';
import { isInUse, openEvent, parseVerifierOptions, toFailure } from './verifier.ts';
import type { MatchingSecret, VerificationResult, VerifiedEvent, VerifierOptions } from './verifier.ts';

/** Verifies webhooks; its secrets are out of reach of logs, JSON and inspection. */
export interface Verifier {
  /** Resolves to the event of a genuine request. Rejects with a `WebhookError` of a verification code. */
  readonly verify: (rawBody: RawBody, headersOrSignature: SignatureSource) => Promise<WebhookEvent>;
  /** Resolves to the event, or to the code of the refusal instead of rejecting with it. */
  readonly safeVerify: (rawBody: RawBody, headersOrSignature: SignatureSource) => Promise<VerificationResult>;
  /** Tells whether the signature is genuine, without reading the body. Rejects only with `body_not_raw`. */
  readonly isValid: (rawBody: RawBody, signature: SignatureValue) => Promise<boolean>;
}

/** Computes the signature of a body: lowercase hexadecimal HMAC-SHA256 (spec §6). Rejects with `body_not_raw`, `unusable_secret`. */
export async function sign(rawBody: RawBody, secret: Secret): Promise<string> {
  return digest(createKey(toKeyBytes(secret)), snapshot(rawBody));
}

/**
 * Tells whether a signature belongs to a body, in constant time; false for any bad signature of any type (spec §6). Await it:
 * the promise itself counts as true, so that a condition without `await` lets forgeries through.
 * Rejects with `body_not_raw` and `unusable_secret`, which are mistakes of the caller.
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

/** Creates a verifier whose secrets are prepared once. Throws `unusable_secret`, `invalid_options`. */
export function createVerifier(options: VerifierOptions): Verifier {
  const settings = parseVerifierOptions(options);
  const keys = settings.secretKeys.map(({ id, notAfter, bytes }) => ({
    id,
    notAfter,
    key: createKey(bytes),
  }));

  // Every secret is compared before one is picked, so that the time taken does not tell which one matched.
  const findSecret = async (
    body: Uint8Array<ArrayBuffer>,
    signature: string,
  ): Promise<MatchingSecret | undefined> => {
    const matches = await Promise.all(
      keys.map(async (candidate) => isEqual(await digest(candidate.key, body), signature)),
    );
    return pickLatest(keys.filter((_, index) => matches[index]));
  };

  const open = async (rawBody: RawBody, source: SignatureSource): Promise<VerifiedEvent> => {
    const body = snapshot(rawBody);
    const signature = readSignature(source);
    return openEvent(body, await findSecret(body, signature), settings);
  };

  return {
    verify: async (rawBody, source) => (await open(rawBody, source)).event,
    safeVerify: async (rawBody, source) => {
      try {
        return { ok: true, ...(await open(rawBody, source)) };
      } catch (error) {
        return toFailure(error);
      }
    },
    isValid: async (rawBody, signature) => {
      const body = snapshot(rawBody);
      return isSignature(signature) && isInUse(await findSecret(body, signature), settings);
    },
  };
}

function pickLatest(matches: readonly MatchingSecret[]): MatchingSecret | undefined {
  const latest = Math.max(...matches.map(({ notAfter }) => notAfter));
  return matches.find(({ notAfter }) => notAfter === latest);
}

/** Copies the bytes before the first await: what is read later is what was verified, whatever the caller does to its buffer. */
export function snapshot(rawBody: RawBody): Uint8Array<ArrayBuffer> {
  return new Uint8Array(toBytes(rawBody));
}
