import * as edge from '@service/webhooks/edge';
import type { RawBody, Secret, SignatureSource } from '@service/webhooks/edge';
import type {
  ReceiverOptions,
  Receiver,
  VerificationResult,
  VerifierOptions,
  WebhookEvent,
} from '@service/webhooks/edge';

/** The exports of both entry points, with promises, so that one suite covers both. */
export interface Implementation {
  readonly name: string;
  readonly sign: (rawBody: RawBody, secret: Secret) => Promise<string>;
  readonly isValidSignature: (
    rawBody: RawBody,
    signature: string | readonly string[] | null | undefined,
    secret: Secret,
  ) => Promise<boolean>;
  readonly createVerifier: (options: VerifierOptions) => AsyncVerifier;
  readonly createReceiver: (options: ReceiverOptions) => Receiver;
}

export interface AsyncVerifier {
  readonly verify: (rawBody: RawBody, source: SignatureSource) => Promise<WebhookEvent>;
  readonly safeVerify: (rawBody: RawBody, source: SignatureSource) => Promise<VerificationResult>;
  /** The unwrapped verifier. */
  readonly original: object;
}

const edgeImplementation: Implementation = {
  name: 'WebCrypto',
  sign: edge.sign,
  isValidSignature: edge.isValidSignature,
  createVerifier: (options) => {
    const verifier = edge.createVerifier(options);
    return { ...verifier, original: verifier };
  },
  createReceiver: edge.createReceiver,
};

/** The implementations of this runtime: both, and in a browser only the edge. */
export const implementations: readonly Implementation[] =
  'document' in globalThis
    ? [edgeImplementation]
    : [(await import('./implementation.node.ts')).nodeImplementation, edgeImplementation];
