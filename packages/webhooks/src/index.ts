import { WebhookError } from './errors.ts';
import type { DeliveredEvent } from './event.ts';
import { parseVerifierOptions } from './options.ts';
import type { ReceiverOptions, Secrets, VerifierOptions } from './options.ts';
import { buildReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import { runtime } from './runtime.node.ts';
import type { RawBody, SignatureSource } from './signature.ts';
import { createVerifyRequest, toFailure } from './verifier.ts';
import type { VerificationResult, VerifiedEvent, VerifyRequest } from './verifier.ts';

export * from './exports.ts';
export { isValidSignature, sign } from './runtime.node.ts';

/** A verifier of webhooks. Its secrets do not show up in logs, JSON and `util.inspect`. */
export interface Verifier {
  /**
   * Returns the event of a request with a valid signature.
   *
   * @throws {WebhookError} a verification code
   */
  readonly verify: (rawBody: RawBody, headersOrSignature: SignatureSource) => DeliveredEvent;
  /** Returns the event or a verification code. Throws only if the `secrets` function fails. */
  readonly safeVerify: (rawBody: RawBody, headersOrSignature: SignatureSource) => VerificationResult;
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
  const { secrets, ...settings } = parseVerifierOptions(options);
  const create = (given: Secrets): VerifyRequest<VerifiedEvent> =>
    createVerifyRequest(runtime, settings, given) as VerifyRequest<VerifiedEvent>;
  let verifyRequest = typeof secrets === 'function' ? undefined : create(secrets);
  const load = (): VerifyRequest<VerifiedEvent> =>
    (verifyRequest ??= create(callSecrets(secrets as () => Secrets)));
  return {
    verify: (rawBody, source) => load()(runtime.toBody(rawBody), source).event,
    safeVerify: (rawBody, source) => {
      const verify = load();
      try {
        return { ok: true, ...verify(runtime.toBody(rawBody), source) };
      } catch (error) {
        return toFailure(error);
      }
    },
  };
}

function callSecrets(secrets: () => Secrets): Secrets {
  try {
    return secrets();
  } catch (cause) {
    throw new WebhookError('unusable_secret', { message: 'The secrets function failed.', cause });
  }
}

/**
 * Returns the event of a request with a valid signature: the verifier of a single call. `createVerifier` has
 * options, and warns about a secret that is probably wrong.
 *
 * @throws {WebhookError} a verification code, `unusable_secret`, `invalid_options`
 * @example const event = verifyEvent(rawBody, request.headers, process.env.SERVICE_WEBHOOK_SECRET);
 */
export function verifyEvent(
  rawBody: RawBody,
  headersOrSignature: SignatureSource,
  secrets: VerifierOptions['secrets'],
): DeliveredEvent {
  return createVerifier({ secrets, onWarning: () => {} }).verify(rawBody, headersOrSignature);
}

/**
 * Creates a receiver: a function from a `Request` to a `Response` that verifies each delivery and handles
 * each event once.
 *
 * @throws {WebhookError} `invalid_options`, `unusable_secret`
 * @example
 * const receive = createReceiver({
 *   secrets: () => process.env.SERVICE_WEBHOOK_SECRET,
 *   on: { 'payment.completed': async ({ data }) => markPaid(data.id) },
 * });
 * const response = await receive(request);
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  return buildReceiver(runtime, options);
}
