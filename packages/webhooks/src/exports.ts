export { isWebhookError, SETUP_CODES, WebhookError } from './errors.ts';
export type { VerificationCode, WebhookErrorCode, WebhookErrorOptions } from './errors.ts';
export * from './event.ts';
export type { CreateBodyError, WebhookRequest, WebhookResponse } from './http.ts';
export type {
  Handler,
  Handlers,
  NamedSecret,
  ReceiverOptions,
  Secrets,
  SecretsSource,
  VerifierOptions,
  WebhookWarning,
  WebhookWarningCode,
} from './options.ts';
export type { CreateReceiver, Receiver } from './receiver.ts';
export type { RetrievedPayment, RetrievedResult } from './retrieved.ts';
export { SIGNATURE_HEADER } from './signature.ts';
export type { HeadersLike, RawBody, Secret, SignatureSource, SignatureValue } from './signature.ts';
export { memoryStore } from './stores/memory.ts';
export type { MemoryStoreOptions } from './stores/memory.ts';
export type { ClaimOutcome, ClaimState, Confirmation, DedupeStore, Renewal } from './stores/store.ts';
export type { VerificationFailure, VerificationResult, VerifiedEvent } from './verifier.ts';
