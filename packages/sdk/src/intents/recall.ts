import type { CheckedStore } from './checked-store.ts';
import { compareBeneficiary } from './fingerprint.ts';
import type { RecalledIntent } from './guard-types.ts';

/** Returns the references that have these payment ids, by payment id. */
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

/** Returns another reference with the same body whose create is running or has an unknown outcome. */
export async function findTwin(store: CheckedStore, reference: string): Promise<string | undefined> {
  const own = await store.read(reference);
  if (own === undefined) return undefined;
  for await (const other of store.list({ states: ['sending', 'unknown'] })) {
    if (other.digest === own.digest && other.reference !== reference) return other.reference;
  }
  return undefined;
}

/** Returns the record of a reference, or undefined if the store has none. */
export async function recallIntent(
  store: CheckedStore,
  reference: string,
): Promise<RecalledIntent | undefined> {
  const found = await store.read(reference);
  if (found === undefined) return undefined;
  return {
    paymentId: found.paymentId,
    compareBeneficiary: (identity) => compareBeneficiary(found, identity, store.fingerprintKey),
  };
}
