import { bindReceiver } from './receiver.ts';
import type { CreateReceiver } from './receiver.ts';
import { hash } from './hmac.node.ts';
import { createVerifier, withoutSharing } from './verifier.node.ts';

export * from './surface.ts';
export { createVerifier };
export { isValidSignature, sign } from './verifier.node.ts';
export type { Verifier } from './verifier.node.ts';

/** Creates a receiver that verifies, dispatches each event once and answers. Throws `invalid_options`, `unusable_secret`. */
export const createReceiver: CreateReceiver = /* @__PURE__ */ bindReceiver({
  createVerifier,
  keep: withoutSharing,
  hash,
});
