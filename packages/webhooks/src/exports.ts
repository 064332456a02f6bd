export { isWebhookError, SETUP_CODES, WebhookError } from './errors.ts';
export type { VerificationCode, WebhookErrorCode, WebhookErrorOptions } from './errors.ts';
export { isStale, MODES, PAYMENT_EVENT_NAMES, PAYMENT_STATUSES } from './event.ts';
export type {
  EventOf,
  Mode,
  PaymentEvent,
  PaymentEventData,
  PaymentEventName,
  PaymentEventOf,
  PaymentStatus,
  UnknownEvent,
  UnknownEventName,
  UnreadableEvent,
  WebhookEvent,
  WireAmount,
} from './event.ts';
export type { CreateBodyError, WebhookRequest, WebhookResponse } from './http.ts';
export type {
  CommonReceiverOptions,
  FallbackOptions,
  Handler,
  Handlers,
  ReceiverOptions,
  SecretsSource,
} from './receiver-options.ts';
export type { CreateReceiver, Receiver } from './receiver.ts';
export { SIGNATURE_HEADER } from './signature.ts';
export type { HeadersLike, RawBody, Secret, SignatureSource, SignatureValue } from './signature.ts';
export { memoryStore } from './store/memory.ts';
export type { MemoryStoreOptions } from './store/memory.ts';
export type { ClaimOutcome, ClaimState, Confirmation, DedupeStore, Renewal } from './store/store.ts';
export type { VerificationFailure, VerificationResult, VerifiedEvent } from './verified-event.ts';
export type {
  EventAgeOptions,
  NamedSecret,
  Secrets,
  VerifierOptions,
  WarningListener,
  WebhookWarning,
  WebhookWarningCode,
} from './verifier-options.ts';
