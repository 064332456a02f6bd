/**
 * Crash-safe payments: intents in a durable store, and a payer that creates their payments. For servers.
 *
 * @module
 */
export { createPayer } from '../intents/payer.ts';
export type {
  BodyEncryption,
  IntentDecision,
  IntentSummary,
  IntentUpdate,
  Payer,
  PayerOptions,
} from '../intents/payer-types.ts';
export type {
  Intent,
  IntentAudit,
  IntentConflict,
  IntentFilter,
  IntentState,
  IntentStore,
  IntentWrite,
  StoreAccount,
  SwapResult,
} from '../stores/intent.ts';
export { createMemoryStore } from '../stores/memory.ts';
