import { bindReceiver } from './receiver.ts';
import type { CreateReceiver } from './receiver.ts';
import { createVerifier, hash, snapshot } from './verifier.web.ts';

export * from './exports.ts';
export { createVerifier };
export { isValidSignature, sign } from './verifier.web.ts';
export type { AsyncVerifier } from './verifier.web.ts';

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
export const createReceiver: CreateReceiver = /* @__PURE__ */ bindReceiver({
  createVerifier,
  stabilize: snapshot,
  hash,
});
