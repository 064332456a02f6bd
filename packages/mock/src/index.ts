/**
 * A stateful sandbox of the payments API that needs no network: `createMock().fetch`.
 *
 * @module
 */
export { createMock } from './mock.ts';
export type { ClientAccess, Mock } from './core.ts';
export type { MockOptions } from './options.ts';
export type { Respond, ResponseFacts, SandboxResponse } from './http/respond.ts';
export { persist, type StateStore } from './persist.ts';
export { namedDefaults as defaultProfile, type NamedProfile as Profile } from './domain/profile.ts';
export type { Status } from './domain/payment.ts';
export type { ProfileControl } from './control/operations/profile.ts';
export type { ProfileChoice } from './domain/profile.ts';
export type {
  AccountControl,
  AccountOptions,
  AccountSummary,
  AccountView,
} from './control/operations/accounts.ts';
export type { AccountRef, AccountModeRef, PaymentRef } from './control/locate.ts';
export type { PageOptions } from './control/page.ts';
export type { ClockControl } from './control/operations/clock.ts';
export type {
  Effects,
  EntryView,
  EventView,
  RequestFilter,
  RequestLogControl,
  FiredFault,
  RequestView,
  ResponseView,
  WaitOptions,
} from './control/operations/requests.ts';
export type {
  DeliveryFaultView,
  FaultControl,
  FaultHandle,
  FaultView,
  RequestFaultView,
  DeliveryFaultOptions,
  FaultOptions,
  RequestFaultOptions,
} from './control/operations/faults.ts';
export type { PaymentControl, PaymentOptions } from './control/operations/payments.ts';
export type { Sandbox } from './control/sandbox.ts';
export type { SandboxSeed, SeedAccount, SeedPayment } from './seed/seed.ts';
export type { StateControl } from './control/operations/state.ts';
export type { WalletControl } from './control/operations/wallets.ts';
export type { WebhookControl } from './control/operations/webhooks.ts';
export type { EndpointOptions, IssuedSecret } from './control/operations/webhooks.ts';
export type { CollectedEvent } from './webhooks/in-process-endpoint.ts';
export { type Attempt, type AttemptResult, type Delivery, retryDelays } from './domain/delivery.ts';
export { deliveryFaultKinds, type Fault, faultKinds } from './domain/fault.ts';
export { magicValues } from './domain/decision.ts';
export type { ClockMode } from './state/clock.ts';
export type { Duration } from './domain/schema.ts';
export type { Snapshot } from './state/snapshot.ts';
export { SandboxError, type SandboxErrorCode } from './state/sandbox-error.ts';
