import type { DeliveredEvent } from './event.ts';
import { parseVerifierOptions } from './options.ts';
import type { AsyncVerifierOptions, ReceiverOptions, SecretsSource } from './options.ts';
import { buildReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import { runtime } from './runtime.web.ts';
import type { RawBody, SignatureSource } from './signature.ts';
import { createLoader, toFailure } from './verifier.ts';
import type { VerificationResult, VerifiedEvent } from './verifier.ts';

export * from './exports.ts';
export type { AsyncVerifierOptions } from './options.ts';
export { signAsync } from './runtime.web.ts';

/** A verifier of webhooks. Its secrets do not show up in logs, JSON and `util.inspect`. */
export interface AsyncVerifier {
  /**
   * Resolves to the event of a request with a valid signature. Await it: without `await` a forgery passes.
   *
   * @throws {WebhookError} a verification code
   */
  readonly verifyAsync: (rawBody: RawBody, headersOrSignature: SignatureSource) => Promise<DeliveredEvent>;
  /** Resolves to the event or a verification code. Rejects only if the `secrets` function fails. */
  readonly safeVerifyAsync: (
    rawBody: RawBody,
    headersOrSignature: SignatureSource,
  ) => Promise<VerificationResult>;
}

/**
 * Creates a verifier. Its secrets are prepared once.
 *
 * @throws {WebhookError} `unusable_secret`, `invalid_options`
 * @example
 * const getVerifier = () => createAsyncVerifier({ secrets: process.env.SERVICE_WEBHOOK_SECRET });
 * const event = await getVerifier().verifyAsync(rawBody, request.headers);
 */
export function createAsyncVerifier(options: AsyncVerifierOptions): AsyncVerifier {
  const load = createLoader(runtime, parseVerifierOptions(options));
  const verify = async (rawBody: RawBody, source: SignatureSource): Promise<VerifiedEvent> => {
    // Copied before the first wait.
    const body = runtime.toBody(rawBody);
    return (await load())(body, source);
  };
  return {
    verifyAsync: async (rawBody, source) => (await verify(rawBody, source)).event,
    safeVerifyAsync: async (rawBody, source) => {
      const loading = load();
      try {
        return { ok: true, ...(await verify(rawBody, source)) };
      } catch (error) {
        // Rejects if the secrets cannot be used.
        await loading;
        return toFailure(error);
      }
    },
  };
}

/**
 * Resolves to the event of a request with a valid signature: the verifier of a single call. Await it: without
 * `await` a forgery passes. `createAsyncVerifier` has options, and warns about a secret that is probably wrong.
 *
 * @throws {WebhookError} a verification code, `unusable_secret`, `invalid_options`
 * @example const event = await verifyEventAsync(rawBody, request.headers, env.SERVICE_WEBHOOK_SECRET);
 */
export async function verifyEventAsync(
  rawBody: RawBody,
  headersOrSignature: SignatureSource,
  secrets: SecretsSource,
): Promise<DeliveredEvent> {
  return createAsyncVerifier({ secrets, onWarning: () => {} }).verifyAsync(rawBody, headersOrSignature);
}

/**
 * Creates a receiver: a function from a `Request` to a `Response` that verifies each delivery and handles
 * each event once.
 *
 * @throws {WebhookError} `invalid_options`, `unusable_secret`
 * @example
 * const receive = createReceiver({
 *   secrets: () => env.SERVICE_WEBHOOK_SECRET,
 *   on: {
 *     'payment.completed': async ({ data }) => markPaid(data.id),
 *     'payment.failed': async ({ data }) => markFailed(data.id),
 *   },
 * });
 * export default { fetch: receive };
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  return buildReceiver(runtime, options);
}
