import type { CheckedStore } from './checked-store.ts';
import { compareBeneficiary } from './fingerprint.ts';
import type { RecalledIntent } from './guard-types.ts';

/** Returns the references that hold these payment ids, by payment id. */
export async function findHolders(
  store: CheckedStore,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const references = new Map<string, string>();
  if (paymentIds.length === 0) return references;
  for await (const { paymentId, reference } of store.list({ paymentIds })) {
    if (paymentId !== undefined) references.set(paymentId, reference);
  }
  return references;
}

/** Returns what the store knows of a reference. */
export async function recallIntent(
  store: CheckedStore,
  reference: string,
): Promise<RecalledIntent | undefined> {
  const found = await store.read(reference);
  if (found === undefined) return undefined;
  return {
    sentAt: found.sends[0],
    paymentId: found.paymentId,
    compareBeneficiary: (identity) => compareBeneficiary(found, identity, store.fingerprintKey),
  };
}
