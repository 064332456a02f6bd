import { isIdempotencyError, isPaymentOutcomeUnknownError } from '../errors/guards.ts';
import { isServiceError } from '../errors/service-error.ts';
import { type Clock, systemClock } from '../transport/clock.ts';
import { bindPayment, releaseReference } from './bind.ts';
import { type CheckedStore, checkStore } from './checked-store.ts';
import { createClaim } from './claim.ts';
import { hideOperations } from './guard-operations.ts';
import type {
  CreateResponse,
  DuplicateGuard,
  GuardedCreate,
  GuardOperations,
  WithTimeout,
} from './guard-types.ts';
import { type Intent, type IntentStore, isLeaseValid, isPaid } from './intent.ts';
import { findHolders, findTwin, recallIntent } from './recall.ts';
import { type IntentResult, settle } from './settle.ts';

/**
 * Creates a duplicate guard over an intent store. A second create of a reference in the same process waits
 * for the first one and returns its payment. In another process it is rejected while the first one runs.
 *
 * @throws {ConfigurationError} when `store` is not an intent store.
 */
export function createDuplicateGuard(store: IntentStore): DuplicateGuard {
  return hideOperations(assembleGuard(store, systemClock));
}

/** Creates a duplicate guard with an injected clock. */
export function assembleGuard(given: IntentStore, clock: Clock): GuardOperations {
  const store = checkStore(given, clock);
  const claim = createClaim(store, clock);
  const runExclusively = createKeyedMutex();
  return {
    protect: (reference, guarded) => {
      const work = async (): ReturnType<typeof guarded.create> => {
        const intent = await claim(reference, guarded);
        return isPaid(intent)
          ? guarded.retrieve(intent.paymentId, intent)
          : send(intent, guarded, { store, clock });
      };
      return runExclusively(reference, work, guarded.within ?? unbounded);
    },
    resolve: (reference, paymentId, { within = unbounded } = {}) =>
      runExclusively(
        reference,
        () => bindPayment(store, { reference, paymentId, within }),
        (step) => within(step, true),
      ),
    holders: (paymentIds, { within = unbounded } = {}) => within(() => findHolders(store, paymentIds)),
    recall: (reference, { within = unbounded } = {}) => within(() => recallIntent(store, reference)),
    findTwin: (reference, { within = unbounded } = {}) => within(() => findTwin(store, reference)),
    // A running create is not awaited: the decision to release was made before its result.
    release: (reference) => releaseReference(store, reference, clock),
  };
}

const unbounded: WithTimeout = (step) => step();

/** Sends a claimed create and records its result. */
async function send<T extends CreateResponse>(
  claimed: Intent,
  { create, warn, within = unbounded }: GuardedCreate<T>,
  { store, clock }: { readonly store: CheckedStore; readonly clock: Clock },
): Promise<T> {
  const { key, sends, holder } = claimed;
  const bounded: WithTimeout = (step) => within(step, true);
  const write = (result: IntentResult): Promise<void> =>
    settle(claimed, result, { store, warn, within: bounded });
  try {
    const response = await create({ key, isExpired: () => !isLeaseValid(holder, clock) });
    await write({ state: 'created', paymentId: response.data.id });
    return response;
  } catch (error) {
    const outcome = isServiceError(error) ? error.outcome : undefined;
    if (outcome === 'not_sent') await write({ state: 'planned', sends: sends.slice(0, -1) });
    // The service knows a key of the caller with another body: a payment may exist under that key.
    else if (outcome === 'rejected' && !isIdempotencyError(error))
      await write({ state: 'rejected', reason: (error as Error).name });
    else await write({ state: 'unknown', paymentId: readPaymentId(error) });
    throw error;
  }
}

function readPaymentId(error: unknown): string | undefined {
  return isPaymentOutcomeUnknownError(error) ? error.paymentId : undefined;
}

/** Runs work once no other work of the same name is running. Work of other names runs concurrently. */
type KeyedMutex = <T>(name: string, work: () => Promise<T>, within: WithTimeout) => Promise<T>;

/** Creates a mutex per name. `within` limits the wait for the mutex, not the work. */
function createKeyedMutex(): KeyedMutex {
  const running = new Map<string, Promise<unknown>>();
  return async (name, work, within) => {
    for (let other = running.get(name); other; other = running.get(name)) {
      const settled = other.catch(() => {});
      await within(() => settled);
    }
    // There is no `await` since the last check, so no other work can have started.
    const current = work().finally(() => running.delete(name));
    running.set(name, current);
    return current;
  };
}
