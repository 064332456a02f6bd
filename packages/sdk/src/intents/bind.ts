import { ConfigurationError } from '../errors/error-classes.ts';
import type { Clock } from '../transport/clock.ts';
import { type CheckedStore, MAX_ROUNDS } from './checked-store.ts';
import type { WithTimeout } from './guard-types.ts';
import { createReferenceError, type Intent, isLeaseValid, isPaid, isSendable } from './intent.ts';

/** The assumed difference between the clocks of two machines, in milliseconds. */
const CLOCK_TOLERANCE = 60_000;

/**
 * The result of binding a payment to a reference. `bound`: the reference has the payment. `id_taken`: another
 * reference has the payment id, or this reference has another id. `no_record`: the store does not have the
 * reference.
 */
export type BindResult = 'bound' | 'id_taken' | 'no_record';

/**
 * Records the payment of a reference that reconciling found.
 *
 * @throws {ConfigurationError} when the store fails.
 */
export async function bindPayment(
  store: CheckedStore,
  { reference, paymentId, within }: { reference: string; paymentId: string; within: WithTimeout },
): Promise<BindResult> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await within(() => store.read(reference), true);
    if (found === undefined) return 'no_record';
    if (found.paymentId !== undefined && found.paymentId !== paymentId) return 'id_taken';
    if (isPaid(found)) return 'bound';
    const { holder: _, reason: __, ...rest } = found;
    const next: Intent = { ...rest, version: found.version + 1, state: 'created', paymentId };
    const result = await within(() => store.swap(next, found.version), true);
    if (result !== 'lost') return result === 'done' ? 'bound' : 'id_taken';
  }
  throw new ConfigurationError(
    'The intent store rejected every write. Make sure that its `read` returns the latest write.',
  );
}

/**
 * Allows a reference to be sent again although its payment may exist.
 *
 * @throws {IdempotencyError} when the lease of the last create has not ended, even if that create has
 * returned: its request can still arrive. Also when the record changes during the release, and when it was
 * abandoned.
 * @throws {ConfigurationError} when the store fails.
 */
export async function releaseReference(store: CheckedStore, reference: string, clock: Clock): Promise<void> {
  const found = await store.read(reference);
  if (found === undefined || isSendable(found) || isPaid(found)) return;
  if (found.state === 'abandoned') throw createReferenceError('was abandoned and cannot be released', found);
  if (isLeaseValid(found.holder, clock, CLOCK_TOLERANCE)) {
    throw createReferenceError(
      `may still be sent until ${found.holder?.until}. Release it at least one minute later`,
      found,
    );
  }
  const { holder: _, paymentId: __, ...rest } = found;
  const next: Intent = { ...rest, version: found.version + 1, state: 'planned', reason: 'released' };
  if ((await store.swap(next, found.version)) === 'done') return;
  throw createReferenceError('changed while it was released. Check its record before releasing it', found);
}
