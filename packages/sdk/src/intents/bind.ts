import { ConfigurationError } from '../errors/local-errors.ts';
import type { Within } from '../options/alone.ts';
import type { Clock } from '../transport/clock.ts';
import { type CheckedStore, MAX_ROUNDS } from './checked-store.ts';
import type { Intent } from './intent.ts';
import { isFree, isPaid, isRunning, refuseReference } from './states.ts';

/** The assumed difference between the clocks of two machines, in milliseconds. */
const clockTolerance = 60_000;

/** The result of binding a payment to a reference. `id_taken`: another reference holds the id, or the reference another id. */
export type BindResult = 'bound' | 'id_taken' | 'no_record';

/** Binds a payment that was found to its reference. */
export async function bindPayment(
  store: CheckedStore,
  { reference, paymentId, within }: { reference: string; paymentId: string; within: Within },
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
  throw new ConfigurationError('The intent store kept refusing a write: do its reads lag behind its writes?');
}

/**
 * Makes a reference free whose payment may exist, if the record is still the one that is read here. Refused until the lease of the
 * last create has ended, also if its outcome is known to be unknown: until then its request may still arrive.
 */
export async function releaseReference(store: CheckedStore, reference: string, clock: Clock): Promise<void> {
  const found = await store.read(reference);
  if (found === undefined || isFree(found) || isPaid(found)) return;
  if (found.state === 'abandoned') throw refuseReference('was abandoned and stays closed', found);
  if (isRunning(found.holder, clock, clockTolerance)) {
    throw refuseReference(`may still be sent until ${found.holder?.until}: release it a minute later`, found);
  }
  const { holder: _, paymentId: __, ...rest } = found;
  const next: Intent = { ...rest, version: found.version + 1, state: 'planned', reason: 'released' };
  if ((await store.swap(next, found.version)) === 'done') return;
  throw refuseReference('changed while it was released: look at it again', found);
}
