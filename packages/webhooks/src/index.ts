import { bindReceiver } from './receiver.ts';
import type { CreateReceiver } from './receiver.ts';
import { createVerifier, hash, withoutSharing } from './verifier.node.ts';

export * from './exports.ts';
export { createVerifier };
export { isValidSignature, sign } from './verifier.node.ts';
export type { Verifier } from './verifier.node.ts';

/**
 * Creates a receiver: a function from a `Request` to a `Response` that verifies each delivery and handles
 * each event once.
 *
 * @throws {WebhookError} `invalid_options`, `unusable_secret`
 * @example
 * const receive = createReceiver({
 *   secrets: () => process.env.SERVICE_WEBHOOK_SECRET,
 *   on: { 'payment.completed': async ({ data }) => markPaid(data.id) },
 *   fallback: () => {},
 * });
 * const response = await receive(request);
 */
export const createReceiver: CreateReceiver = /* @__PURE__ */ bindReceiver({
  createVerifier,
  stabilize: withoutSharing,
  hash,
});
