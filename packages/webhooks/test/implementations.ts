import * as node from '@service/webhooks';
import * as edge from '@service/webhooks/edge';
import type { RawBody, Secret, SignatureSource, SignatureValue } from '@service/webhooks';
import type {
  ReceiverOptions,
  Receiver,
  VerificationResult,
  VerifierOptions,
  WebhookEvent,
} from '@service/webhooks';

/** Names what both entry points offer, with every answer as a promise, so that one suite can judge both. */
export interface Implementation {
  readonly name: string;
  readonly sign: (rawBody: RawBody, secret: Secret) => Promise<string>;
  readonly isValidSignature: (
    rawBody: RawBody,
    signature: SignatureValue,
    secret: Secret,
  ) => Promise<boolean>;
  readonly createVerifier: (options: VerifierOptions) => AsyncVerifier;
  readonly createReceiver: (options: ReceiverOptions) => Receiver;
}

export interface AsyncVerifier {
  readonly verify: (rawBody: RawBody, source: SignatureSource) => Promise<WebhookEvent>;
  readonly safeVerify: (rawBody: RawBody, source: SignatureSource) => Promise<VerificationResult>;
  readonly isValid: (rawBody: RawBody, signature: SignatureValue) => Promise<boolean>;
  /** Holds the verifier itself, as users get it. */
  readonly original: object;
}

export const implementations: readonly Implementation[] = [
  {
    name: 'node:crypto',
    sign: async (body, secret) => node.sign(body, secret),
    isValidSignature: async (body, signature, secret) => node.isValidSignature(body, signature, secret),
    createVerifier: (options) => {
      const verifier = node.createVerifier(options);
      return {
        verify: async (body, source) => verifier.verify(body, source),
        safeVerify: async (body, source) => verifier.safeVerify(body, source),
        isValid: async (body, signature) => verifier.isValid(body, signature),
        original: verifier,
      };
    },
    createReceiver: node.createReceiver,
  },
  {
    name: 'WebCrypto',
    sign: edge.sign,
    isValidSignature: edge.isValidSignature,
    createVerifier: (options) => {
      const verifier = edge.createVerifier(options);
      return { ...verifier, original: verifier };
    },
    createReceiver: edge.createReceiver,
  },
];
