import * as edge from '@service/webhooks/edge';
import type { RawBody, Secret, SignatureSource } from '@service/webhooks/edge';
import type {
  AsyncVerifierOptions,
  ReceiverOptions,
  Receiver,
  Secrets,
  VerificationResult,
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
  readonly verifyEvent: (
    rawBody: RawBody,
    source: SignatureSource,
    secrets: VerifierOptions['secrets'],
  ) => Promise<WebhookEvent>;
  readonly createReceiver: (options: ReceiverOptions) => Receiver;
}

/** The options of the verifiers of both entry points. */
export interface VerifierOptions extends Omit<AsyncVerifierOptions, 'secrets'> {
  readonly secrets: Secrets | (() => Secrets);
}

export interface AsyncVerifier {
  readonly verify: (rawBody: RawBody, source: SignatureSource) => Promise<WebhookEvent>;
  readonly safeVerify: (rawBody: RawBody, source: SignatureSource) => Promise<VerificationResult>;
  /** The unwrapped verifier. */
  readonly original: object;
}

/** The codes of bodies with a valid signature. */
export const signedCodes: ReadonlySet<string> = new Set([
  'invalid_utf8',
  'invalid_json',
  'invalid_event',
  'unreadable_event',
]);

const edgeImplementation: Implementation = {
  name: 'WebCrypto',
  sign: edge.signAsync,
  // The entry has no such function: the verifier checks the signature before it reads the event.
  isValidSignature: async (body, signature, secret) => {
    const { verifyAsync } = edge.createAsyncVerifier({
      secrets: { id: 'one', value: secret },
      onWarning: () => {},
    });
    try {
      await verifyAsync(body, signature);
      return true;
    } catch (error) {
      if (!(error instanceof edge.WebhookError) || error.code === 'body_not_raw') throw error;
      return signedCodes.has(error.code);
    }
  },
  createVerifier: (options) => {
    const verifier = edge.createAsyncVerifier(options);
    return { verify: verifier.verifyAsync, safeVerify: verifier.safeVerifyAsync, original: verifier };
  },
  verifyEvent: edge.verifyEventAsync,
  createReceiver: edge.createReceiver,
};

/** The implementations of this runtime: both, and in a browser only the edge. */
export const implementations: readonly Implementation[] =
  'document' in globalThis
    ? [edgeImplementation]
    : [(await import('./implementation.node.ts')).nodeImplementation, edgeImplementation];
