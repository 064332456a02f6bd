export type { WebhookResponse } from './response.ts';
export type { RawBody } from './bytes.ts';
export { isWebhookError, SETUP_CODES, WebhookError } from './errors.ts';
export type { VerificationCode, WebhookErrorCode, WebhookErrorOptions } from './errors.ts';
export { isStale } from './event-order.ts';
export { MODES, PAYMENT_EVENT_NAMES, PAYMENT_STATUSES } from './event.ts';
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
export type { EventAgeOptions } from './event-age.ts';
export type {
  CommonReceiverOptions,
  FallbackOptions,
  Handler,
  Handlers,
  ReceiverOptions,
  SecretsSource,
} from './receiver-options.ts';
export type { CreateReceiver, WebhookRequest, Receiver, CreateBodyError } from './receiver.ts';
export type { NamedSecret, Secret, Secrets } from './secret.ts';
export { SIGNATURE_HEADER } from './signature.ts';
export type { HeadersLike, SignatureSource, SignatureValue } from './signature.ts';
export { memoryStore } from './store/memory.ts';
export type { MemoryStoreOptions } from './store/memory.ts';
export type { ClaimOutcome, ClaimState, Confirmation, DedupeStore, Renewal } from './store/store.ts';
export type { VerificationFailure, VerificationResult, VerifiedEvent, VerifierOptions } from './verifier.ts';
export type { WarningListener, WebhookWarning, WebhookWarningCode } from './warning.ts';
