import { isIdempotencyError, isPaymentOutcomeUnknownError } from '../errors/guards.ts';
import { isServiceError } from '../errors/service-error.ts';
import { createAlone, type Within } from '../options/alone.ts';
import { type Clock, systemClock } from '../transport/clock.ts';
import { bindPayment, releaseReference } from './bind.ts';
import { type CheckedStore, checkStore } from './checked-store.ts';
import { createClaim } from './claim.ts';
import type { CreateResponse, DuplicateGuard, GuardedCreate } from './guard-types.ts';
import type { Intent, IntentStore } from './intent.ts';
import { findHolders, findTwin, recallIntent } from './recall.ts';
import { type IntentResult, settle } from './settle.ts';
import { isPaid, isRunning } from './states.ts';

/**
 * Creates a duplicate guard over an intent store. A second create of a reference in one process waits for the first and returns
 * its payment; in another process it is refused while the first runs.
 *
 * @throws {ConfigurationError} when `store` is not an intent store.
 */
export function createDuplicateGuard(store: IntentStore): DuplicateGuard {
  return assembleGuard(store, systemClock);
}

/** Creates a duplicate guard with a clock of the caller. */
export function assembleGuard(given: IntentStore, clock: Clock): DuplicateGuard {
  const store = checkStore(given, clock);
  const claim = createClaim(store, clock);
  const alone = createAlone();
  return {
    protect: (reference, guarded) => {
      const work = async (): ReturnType<typeof guarded.create> => {
        const intent = await claim(reference, guarded);
        return isPaid(intent)
          ? guarded.retrieve(intent.paymentId, intent)
          : send(intent, guarded, { store, clock });
      };
      return alone(reference, work, guarded.within ?? unbounded);
    },
    resolve: (reference, paymentId, { within = unbounded } = {}) =>
      alone(
        reference,
        () => bindPayment(store, { reference, paymentId, within }),
        (step) => within(step, true),
      ),
    holders: (paymentIds, { within = unbounded } = {}) => within(() => findHolders(store, paymentIds)),
    recall: (reference, { within = unbounded } = {}) => within(() => recallIntent(store, reference)),
    findTwin: (reference, { within = unbounded } = {}) => within(() => findTwin(store, reference)),
    // It waits for no create: a person looked before that ended.
    release: (reference) => releaseReference(store, reference, clock),
  };
}

const unbounded: Within = (step) => step();

/** Sends a create that was claimed, and writes its result. */
async function send<T extends CreateResponse>(
  claimed: Intent,
  { create, warn, within = unbounded }: GuardedCreate<T>,
  { store, clock }: { readonly store: CheckedStore; readonly clock: Clock },
): Promise<T> {
  const { key, sends, holder } = claimed;
  const bounded: Within = (step) => within(step, true);
  const write = (result: IntentResult): Promise<void> =>
    settle(claimed, result, { store, warn, within: bounded });
  try {
    const made = await create({ key, isExpired: () => !isRunning(holder, clock) });
    await write({ state: 'created', paymentId: made.data.id });
    return made;
  } catch (error) {
    const outcome = isServiceError(error) ? error.outcome : undefined;
    if (outcome === 'not_sent') await write({ state: 'planned', sends: sends.slice(0, -1) });
    // A payment may exist under a key of the caller that the service knows with another body.
    else if (outcome === 'rejected' && !isIdempotencyError(error))
      await write({ state: 'rejected', reason: (error as Error).name });
    else await write({ state: 'unknown', paymentId: readSalvagedId(error) });
    throw error;
  }
}

function readSalvagedId(error: unknown): string | undefined {
  return isPaymentOutcomeUnknownError(error) ? error.salvagedId : undefined;
}
