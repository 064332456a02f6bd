import type { Clock } from '../transport/clock.ts';
import { type CheckedStore, MAX_ROUNDS } from './checked-store.ts';
import { digestBody, signBeneficiary } from './fingerprint.ts';
import type { CreateResponse, GuardedCreate } from './guard-types.ts';
import type { Intent } from './intent.ts';
import { isFree, isPaid, isRunning, refuseReference } from './states.ts';

/** A create whose first write failed, so that nothing was sent under its key. */
type Unsent = { readonly worker: string; readonly key: string };

/** The number of unsent creates that a guard remembers during an outage of its store. */
const maxUnsent = 10_000;

/** Writes `sending` before anything is sent. Returns that intent, or the one of a payment that exists. */
export type Claim = <T extends CreateResponse>(
  reference: string,
  guarded: GuardedCreate<T>,
) => Promise<Intent>;

/** Creates the claims of one guard. */
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
      if (fresh && !isFree(fresh)) return checkPaid(fresh, { digest, guardId, clock });
      const now = clock.date();
      const next: Intent = {
        reference,
        version: (found?.version ?? 0) + 1,
        state: 'sending',
        digest,
        key: idempotencyKey ?? chooseKey(fresh, { digest, key: own.key }),
        // The sends before a refusal say nothing of a payment that may exist.
        sends: [...(fresh?.state === 'planned' ? fresh.sends : []), now.toISOString()],
        beneficiary: signed,
        holder: { worker: own.worker, until: new Date(now.getTime() + maxDuration).toISOString() },
      };
      try {
        if ((await within(() => store.swap(next, found?.version ?? 0))) !== 'done') continue;
      } catch (error) {
        // The write may still apply: a later create of this process then recognizes its own record, and continues.
        remember(unsent, reference, own);
        throw error;
      }
      unsent.delete(reference);
      return next;
    }
    throw refuseReference(
      'is being written by another worker, or the reads of the store lag behind its writes',
    );
  };
}

/** Returns a record of this guard, whose request was never sent, as it was before that. */
function withoutLastSend(found: Intent): Intent {
  return { ...found, state: 'planned', sends: found.sends.slice(0, -1) };
}

/** Reuses the key of a create that was not refused: a service that replays refusals would repeat the refusal. */
function chooseKey(found: Intent | undefined, own: Pick<Intent, 'digest' | 'key'>): string {
  return found?.state === 'planned' && found.digest === own.digest ? found.key : own.key;
}

function remember(unsent: Map<string, Unsent>, reference: string, own: Unsent): void {
  const [oldest] = unsent.keys();
  if (oldest !== undefined && unsent.size >= maxUnsent) unsent.delete(oldest);
  unsent.set(reference, own);
}

type ClaimContext = { readonly digest: string; readonly guardId: string; readonly clock: Clock };

/** Returns an intent that has its payment. @throws {IdempotencyError} for any other. */
function checkPaid(found: Intent, { digest, guardId, clock }: ClaimContext): Intent {
  if (found.digest !== digest) throw refuseReference('was used for a payment with another body', found);
  if (isPaid(found)) return found;
  if (found.state === 'abandoned') throw refuseReference('was abandoned and cannot be used again', found);
  const { holder } = found;
  const isOther = found.state === 'sending' && !holder?.worker.startsWith(`${guardId}.`);
  if (isOther && isRunning(holder, clock)) throw refuseReference('is being created by another worker', found);
  throw refuseReference('was used for a payment that may exist: reconcile that one first', found);
}
