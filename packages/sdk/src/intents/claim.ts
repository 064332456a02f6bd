import type { Clock } from '../transport/clock.ts';
import { type CheckedStore, MAX_ROUNDS } from './checked-store.ts';
import { digestBody, signBeneficiary } from './fingerprint.ts';
import type { CreateResponse, GuardedCreate } from './guard-types.ts';
import { createReferenceError, type Intent, isLeaseValid, isPaid, isSendable } from './intent.ts';

/** A create whose first write failed, so no request was sent with its key. */
interface Unsent {
  readonly worker: string;
  readonly key: string;
}

/** Maximum number of unsent creates that a guard remembers while its store fails. */
const MAX_UNSENT = 10_000;

/**
 * Writes the state `sending` before the request is sent. Returns that intent, or the recorded one if the
 * reference already has its payment.
 */
export type Claim = <T extends CreateResponse>(
  reference: string,
  guarded: GuardedCreate<T>,
) => Promise<Intent>;

/** Creates the claim function of a guard. */
export function createClaim(store: CheckedStore, clock: Clock): Claim {
  const unsent = new Map<string, Unsent>();
  let guardId: string | undefined;
  let creates = 0;
  return async (reference, { body, beneficiary, idempotencyKey, maxDuration, within = (step) => step() }) => {
    const digest = await digestBody(body, store.fingerprintKey);
    const signed = await signBeneficiary(beneficiary, store.fingerprintKey);
    guardId ??= clock.unique();
    const own = unsent.get(reference) ?? { worker: `${guardId}.${(creates += 1)}`, key: clock.unique() };
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const found = await within(() => store.read(reference));
      const fresh = found?.holder?.worker === own.worker ? withoutLastSend(found) : found;
      if (fresh && !isSendable(fresh)) return checkPaid(fresh, { digest, guardId, clock });
      const now = clock.date();
      const next: Intent = {
        reference,
        version: (found?.version ?? 0) + 1,
        state: 'sending',
        digest,
        key: idempotencyKey ?? chooseKey(fresh, { digest, key: own.key }),
        // A rejected create made no payment, so the times of its requests are dropped.
        sends: [...(fresh?.state === 'planned' ? fresh.sends : []), now.toISOString()],
        beneficiary: signed,
        holder: { worker: own.worker, until: new Date(now.getTime() + maxDuration).toISOString() },
      };
      try {
        if ((await within(() => store.swap(next, found?.version ?? 0))) !== 'done') continue;
      } catch (error) {
        // The write can still be applied: a later create of this process recognizes the record by its worker.
        remember(unsent, reference, own);
        throw error;
      }
      unsent.delete(reference);
      return next;
    }
    throw createReferenceError(
      'is being written by another worker, or the intent store returns stale reads. Try again, and read from the primary',
    );
  };
}

/** Returns an intent of this guard without its last create, whose request was never sent. */
function withoutLastSend(found: Intent): Intent {
  return { ...found, state: 'planned', sends: found.sends.slice(0, -1) };
}

/** Reuses the key of a create that was not rejected: a service that replays rejections would repeat it. */
function chooseKey(found: Intent | undefined, own: Pick<Intent, 'digest' | 'key'>): string {
  return found?.state === 'planned' && found.digest === own.digest ? found.key : own.key;
}

function remember(unsent: Map<string, Unsent>, reference: string, own: Unsent): void {
  const [oldest] = unsent.keys();
  if (oldest !== undefined && unsent.size >= MAX_UNSENT) unsent.delete(oldest);
  unsent.set(reference, own);
}

interface ClaimContext {
  readonly digest: string;
  readonly guardId: string;
  readonly clock: Clock;
}

/**
 * Returns an intent that has its payment.
 *
 * @throws {IdempotencyError} when it has none, or when its request body is another one.
 */
function checkPaid(found: Intent, { digest, guardId, clock }: ClaimContext): Intent {
  if (found.digest !== digest) {
    throw createReferenceError(
      'was used with another request body. Send that body, or use a new reference for a different payment',
      found,
    );
  }
  if (isPaid(found)) return found;
  if (found.state === 'abandoned')
    throw createReferenceError('was abandoned and cannot be used again', found);
  const { holder } = found;
  const isOther = found.state === 'sending' && !holder?.worker.startsWith(`${guardId}.`);
  if (isOther && isLeaseValid(holder, clock))
    throw createReferenceError('is being created by another worker. Wait for its result', found);
  throw createReferenceError('was used for a payment that may exist. Reconcile that payment first', found);
}
