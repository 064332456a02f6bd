export * from './surface.ts';
export { createReceiver } from './receiver.web.ts';
export { createVerifier, isValidSignature, sign } from './verifier.web.ts';
export type { Verifier } from './verifier.web.ts';
