import type { Intent, IntentFilter, IntentStore, StoreAccount } from './intent.ts';

/** Creates an intent store in memory, for tests. A restart forgets its intents, and their references are paid again. */
export function memoryStore(): IntentStore {
  const records = new Map<string, { readonly intent: Intent; readonly writeId: string }>();
  let bound: StoreAccount | undefined;
  return {
    fingerprintKey: crypto.randomUUID(),
    read: async (reference) => records.get(reference)?.intent,
    swap: async (next, { fromVersion, writeId }) => {
      const { reference, paymentId } = next;
      const before = records.get(reference);
      if (before?.writeId === writeId) return 'done';
      if ((before?.intent.version ?? 0) !== fromVersion) return 'lost';
      const isHolder = ({ intent }: { intent: Intent }): boolean =>
        intent.paymentId === paymentId && intent.reference !== reference;
      if (paymentId !== undefined && [...records.values()].some(isHolder)) return 'id_taken';
      records.set(reference, { intent: { ...next }, writeId });
      return 'done';
    },
    list: async (filter) => {
      const intents = Array.from(records.values(), ({ intent }) => intent);
      return intents
        .filter((intent) => isSelected(intent, filter))
        .toSorted((a, b) => (a.reference < b.reference ? -1 : 1));
    },
    bindAccount: async (account) => (bound ??= account),
  };
}

function isSelected(
  { state, paymentId, conflicts = [] }: Intent,
  { states, paymentIds, hasConflicts }: IntentFilter,
): boolean {
  if (states && !states.includes(state)) return false;
  if (paymentIds && (paymentId === undefined || !paymentIds.includes(paymentId))) return false;
  return !hasConflicts || conflicts.length > 0;
}
