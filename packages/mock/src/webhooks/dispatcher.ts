import { postponeDelivery } from '../domain/delivery.ts';
import type { AccountState } from '../state/account-state.ts';
import type { Clock } from '../state/clock.ts';
import type { AttemptDelivery } from './attempt.ts';
import { createSemaphore, type EndpointQueues, type PendingSet } from './concurrency.ts';
import type { DeliveryStore } from './delivery-store.ts';

/** Makes attempts when their time has come, within bounds. */
export interface Dispatcher {
  /** Makes the first attempt, unless there was one by hand before. */
  readonly sendFirst: AttemptDelivery;
  /** Makes one more attempt as soon as the line of its books has room for it. */
  readonly retry: AttemptDelivery;
  /** Goes on with a delivery that waits for its next attempt, if it has one. */
  readonly resume: (accountState: AccountState, id: string) => void;
  /** Puts the first attempt off by milliseconds of the sandbox's clock. */
  readonly postpone: (accountState: AccountState, id: string, by: number) => void;
  /** Makes no further attempt; those under way end by themselves. */
  readonly close: () => void;
}

/** Names what attempts work with. */
interface DispatcherParts {
  readonly clock: Clock;
  readonly attempt: AttemptDelivery;
  readonly queues: EndpointQueues;
  readonly store: DeliveryStore;
  readonly pending: PendingSet;
}

/**
 * Bounds the attempts that are under way at once, over all books. An endpoint that hangs takes one of them, and eight
 * more for its retries: it delays no other.
 */
const CONCURRENCY = 256;

/** Creates the maker of attempts; one that fails comes back on the clock while its schedule lasts. */
export function createDispatcher({ clock, attempt, queues, store, pending }: DispatcherParts): Dispatcher {
  const semaphore = createSemaphore(CONCURRENCY);
  let isClosed = false;
  const dispatch: AttemptDelivery = (accountState, id) =>
    semaphore(async () => {
      if (isClosed) return;
      await attempt(accountState, id);
      scheduleNext(accountState, id);
    });
  const retry: AttemptDelivery = (accountState, id) =>
    pending.track(queues(accountState).retries(() => dispatch(accountState, id)));
  const scheduleNext = (accountState: AccountState, id: string): void => {
    const at = accountState.deliveries.get(id)?.next_at ?? null;
    if (at === null || accountState.isReplaced) return;
    const run = (): void => {
      const isStillDue = accountState.deliveries.get(id)?.next_at === at;
      if (isStillDue) void retry(accountState, id);
    };
    clock.schedule({ at, tieBreaker: id, run });
  };
  return {
    async sendFirst(accountState, id) {
      if (accountState.deliveries.get(id)?.state === 'queued') await dispatch(accountState, id);
    },
    retry,
    resume: scheduleNext,
    postpone(accountState, id, by) {
      store.change(accountState, id, (delivery) => postponeDelivery(delivery, clock.now() + by));
      scheduleNext(accountState, id);
    },
    close() {
      isClosed = true;
    },
  };
}
