export { WebhookError } from './errors.ts';
export type { VerificationCode, WebhookErrorCode } from './errors.ts';
export { isStale } from './event.ts';
export type {
  DeliveredEvent,
  EventOf,
  Mode,
  PaymentEvent,
  PaymentEventData,
  PaymentEventName,
  PaymentStatus,
  UnknownEvent,
  WebhookEvent,
} from './event.ts';
export type { WebhookRequest, WebhookResponse } from './http.ts';
export type {
  Handler,
  Handlers,
  NamedSecret,
  ReceiverOptions,
  Secrets,
  SecretsSource,
  VerifierOptions,
  WebhookWarning,
} from './options.ts';
export type { Receiver } from './receiver.ts';
export type { RetrievedPayment, RetrievedResult } from './retrieved.ts';
export { SIGNATURE_HEADER } from './signature.ts';
export type { RawBody, Secret, SignatureSource } from './signature.ts';
export { memoryStore } from './stores/memory.ts';
export type { DedupeStore } from './stores/store.ts';
export type { VerificationResult } from './verifier.ts';
