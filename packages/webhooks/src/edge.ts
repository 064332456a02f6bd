import type { DeliveredEvent } from './event.ts';
import { parseVerifierOptions } from './options.ts';
import type { ReceiverOptions, VerifierOptions } from './options.ts';
import { bindReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import { hash, runtime } from './runtime.web.ts';
import type { RawBody, SignatureSource } from './signature.ts';
import { createVerifyRequest, toFailure } from './verifier.ts';
import type { VerificationResult, VerifiedEvent } from './verifier.ts';

export * from './exports.ts';
export { isValidSignature, sign } from './runtime.web.ts';

/** A verifier of webhooks. Its secrets do not show up in logs, JSON and `util.inspect`. */
export interface AsyncVerifier {
  /**
   * Resolves to the event of a request with a valid signature.
   *
   * @throws {WebhookError} a verification code
   */
  readonly verify: (rawBody: RawBody, headersOrSignature: SignatureSource) => Promise<DeliveredEvent>;
  /** Resolves to the event or a verification code, without rejecting. */
  readonly safeVerify: (rawBody: RawBody, headersOrSignature: SignatureSource) => Promise<VerificationResult>;
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
  const verifyRequest = createVerifyRequest(runtime, parseVerifierOptions(options));
  const verify = async (rawBody: RawBody, source: SignatureSource): Promise<VerifiedEvent> =>
    verifyRequest(runtime.toBody(rawBody), source);
  return {
    verify: async (rawBody, source) => (await verify(rawBody, source)).event,
    safeVerify: async (rawBody, source) => {
      try {
        return { ok: true, ...(await verify(rawBody, source)) };
      } catch (error) {
        return toFailure(error);
      }
    },
  };
}

/**
 * Creates a receiver: a function from a `Request` to a `Response` that verifies each delivery and handles
 * each event once.
 *
 * @throws {WebhookError} `invalid_options`, `unusable_secret`
 * @example
 * const receive = createReceiver({
 *   secrets: () => env.SERVICE_WEBHOOK_SECRET,
 *   on: { 'payment.completed': async ({ data }) => markPaid(data.id) },
 *   fallback: () => {},
 * });
 * export default { fetch: receive };
 */
export const createReceiver: (options: ReceiverOptions) => Receiver = /* @__PURE__ */ bindReceiver(
  runtime,
  hash,
);
