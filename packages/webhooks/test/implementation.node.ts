import * as node from '@service/webhooks';
import type { Implementation } from './implementations.ts';

/** The entry point over node:crypto, with promises. */
export const nodeImplementation: Implementation = {
  name: 'node:crypto',
  sign: async (body, secret) => node.sign(body, secret),
  isValidSignature: async (body, signature, secret) => node.isValidSignature(body, signature, secret),
  createVerifier: (options) => {
    const verifier = node.createVerifier(options);
    return {
      verify: async (body, source) => verifier.verify(body, source),
      safeVerify: async (body, source) => verifier.safeVerify(body, source),
      original: verifier,
    };
  },
  verifyEvent: async (body, source, secrets) => node.verifyEvent(body, source, secrets),
  createReceiver: node.createReceiver,
};
