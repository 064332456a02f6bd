/**
 * A stateful reference sandbox of the payments API, without a network: `createMock().fetch`.
 *
 * @module
 */
export { createMock } from './mock.ts';
export type { Mock } from './core.ts';
export type { JournalOptions, MockOptions, WebhookOptions } from './options.ts';
export {
  defaultProfile,
  type DeprecationDates,
  type Profile,
  profileSettings,
  upgradeProfile,
} from './domain/profile.ts';
export type { Status } from './domain/status.ts';
export type { ProfileControl } from './sandbox/profile.ts';
export type { ProfileChoice } from './world/profile.ts';
export type { AccountControl, AccountOptions, AccountSummary, AccountView } from './sandbox/accounts.ts';
export type { AccountRef, BooksRef, PaymentRef } from './sandbox/locate.ts';
export type { ClockControl } from './sandbox/clock.ts';
export type { Consequences, EntryView, EventView } from './sandbox/consequences.ts';
export type { ArmedFaultHandle, FaultControl, FaultView } from './sandbox/faults.ts';
export type { FaultOptions, FaultTerms } from './sandbox/fault-fields.ts';
export type { JournalControl } from './sandbox/journal.ts';
export type { JournalFilter } from './sandbox/journal-filter.ts';
export type { FiredFault, JournalEntry, ResponseView } from './sandbox/journal-entry.ts';
export type { PaymentControl } from './sandbox/payments.ts';
export type { RateLimitControl, Sandbox } from './sandbox/sandbox.ts';
export type { StateControl } from './sandbox/state.ts';
export type { WalletAmount, WalletControl } from './sandbox/wallets.ts';
export type { WebhookControl } from './sandbox/webhooks.ts';
export type { CollectOptions, EndpointControl, EndpointOptions, IssuedSecret } from './sandbox/endpoint.ts';
export type { DisturbanceOptions } from './sandbox/disturb.ts';
export type { WaitOptions } from './sandbox/wait.ts';
export type { DeliveryTarget } from './sandbox/wait-for.ts';
export type { ArmedDisturbance } from './delivery/disturbances.ts';
export type { CollectedEvent } from './delivery/inboxes.ts';
export type { Fetch } from './delivery/send.ts';
export type { Cors } from './http/cors.ts';
export {
  type Attempt,
  type AttemptResult,
  type Delivery,
  type DeliveryState,
  type FailureReason,
  retryDelays,
} from './domain/delivery.ts';
export { type Fault, type FaultKind, faultKinds } from './domain/fault.ts';
export { type DisturbanceKind, disturbanceKinds } from './domain/disturbance.ts';
export { type MagicValue, magicValues } from './domain/plan.ts';
export type { ClockMode } from './world/clock.ts';
export type { Duration } from './world/duration.ts';
export type { Snapshot } from './world/snapshot.ts';
export type { Way } from './world/way.ts';
export { SandboxError, type SandboxErrorCode } from './world/sandbox-error.ts';
export type { Admission } from './world/world.ts';
