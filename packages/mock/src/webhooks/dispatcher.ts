import { postponeDelivery } from '../domain/delivery.ts';
import type { AccountState } from '../state/account-state.ts';
import type { Clock } from '../state/clock.ts';
import type { AttemptDelivery } from './attempt.ts';
import { createSemaphore, type EndpointQueues, type PendingSet } from './concurrency.ts';
import type { DeliveryStore } from './delivery-store.ts';

/** Runs delivery attempts when they are due, with limited concurrency. */
export interface Dispatcher {
  /** Runs the first attempt, unless a manual one has run before. */
  readonly sendFirst: AttemptDelivery;
  /** Runs a retry as soon as the endpoint has a free slot. */
  readonly retry: AttemptDelivery;
  /** Schedules the next attempt of a delivery, if it has one. */
  readonly resume: (accountState: AccountState, id: string) => void;
  /** Postpones the first attempt by milliseconds of the sandbox clock. */
  readonly postpone: (accountState: AccountState, id: string, by: number) => void;
  /** Starts no further attempts. Running attempts continue. */
  readonly close: () => void;
}

/** The parts of the sandbox that the dispatcher uses. */
interface DispatcherParts {
  readonly clock: Clock;
  readonly attempt: AttemptDelivery;
  readonly queues: EndpointQueues;
  readonly store: DeliveryStore;
  readonly pending: PendingSet;
}

/**
 * Maximum number of concurrent attempts over all endpoints. An unresponsive endpoint uses at most nine: one
 * first attempt and eight retries.
 */
const CONCURRENCY = 256;

/** Creates a dispatcher. It schedules a retry after each failed attempt until the schedule ends. */
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
