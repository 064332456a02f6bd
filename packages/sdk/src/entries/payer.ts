/**
 * Crash-safe payments: intents in a durable store, and a payer that creates their payments. For servers.
 *
 * @module
 */
export { createPayer } from '../payer/payer.ts';
export type { IntentDecision, IntentUpdate, Payer, PayerOptions } from '../payer/payer-types.ts';
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
export { memoryStore } from '../stores/memory.ts';
