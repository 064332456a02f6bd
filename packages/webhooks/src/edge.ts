import { bindReceiver } from './receiver.ts';
import type { CreateReceiver } from './receiver.ts';
import { hash } from './hmac.web.ts';
import { createVerifier, snapshot } from './verifier.web.ts';

export * from './surface.ts';
export { createVerifier };
export { isValidSignature, sign } from './verifier.web.ts';
export type { Verifier } from './verifier.web.ts';

/** Creates a receiver that verifies, dispatches each event once and answers. Throws `invalid_options`, `unusable_secret`. */
export const createReceiver: CreateReceiver = /* @__PURE__ */ bindReceiver({
  createVerifier,
  keep: snapshot,
  hash,
});
