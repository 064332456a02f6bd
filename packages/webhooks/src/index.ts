export * from './surface.ts';
export { createReceiver } from './receiver.node.ts';
export { createVerifier, isValidSignature, sign } from './verifier.node.ts';
export type { Verifier } from './verifier.node.ts';
