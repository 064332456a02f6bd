import type { PaymentEvent } from '../domain/payment.ts';
import type { AccountState } from '../state/account-state.ts';
import type { CommittedEvents } from '../state/state.ts';
import type { AddressPolicy } from './address.ts';
import { type AttemptOptions, createAttempt } from './attempt.ts';
import { type Dispatcher, createDispatcher } from './dispatcher.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createDeliveryFaults, type DeliveryFaults } from './delivery-faults.ts';
import { createInProcessEndpoints, type InProcessEndpoints } from './in-process-endpoint.ts';
import { createDeliveryStore, type DeliveryStore } from './delivery-store.ts';
import {
  createEndpointQueues,
  createPendingSet,
  type EndpointQueues,
  type PendingSet,
} from './concurrency.ts';

/** Delivers webhook events. */
export interface Deliveries {
  /**
   * Queues the first attempts of events, in order for each account and mode, after the response to their
   * request. Resolves after the first attempts. Retries run on the clock and delay nothing.
   */
  readonly dispatch: (committed: CommittedEvents) => Promise<void>;
  /** Attempts a delivery again, immediately. */
  readonly redeliver: (accountState: AccountState, id: string) => Promise<void>;
  /** Resumes the deliveries of a restored state: queued events in order, retries on the clock. */
  readonly resume: (restored: readonly AccountState[]) => void;
  /** Resolves when no attempt is due or running. */
  readonly idle: () => Promise<void>;
  /** Waits until idle, up to the limit. No attempt starts after that. */
  readonly close: () => Promise<void>;
  /** Calls a listener after each change of a delivery. */
  readonly watch: DeliveryStore['watch'];
  readonly addresses: AddressPolicy;
  readonly faults: DeliveryFaults;
  readonly inProcessEndpoints: InProcessEndpoints;
}

/** The options of webhook delivery. */
export interface DeliveryOptions extends AttemptOptions {
  /** Maximum waiting time of `close`, in milliseconds of real time. */
  readonly limit: number;
}

// Captured at load time: fake timers that a test installs later must not block `close`.
const { setTimeout, clearTimeout } = globalThis;

/**
 * Creates the delivery of a sandbox. Each endpoint has its own queues, so that a slow endpoint does not delay
 * other ones.
 */
export function createDeliveries(options: DeliveryOptions): Deliveries {
  const [queues, store, pending] = [createEndpointQueues(), createDeliveryStore(), createPendingSet()];
  const [deliveryFaults, inProcessEndpoints] = [createDeliveryFaults(), createInProcessEndpoints()];
  const attempt = createAttempt({ ...options, inProcessEndpoints, store });
  const dispatcher = createDispatcher({ clock: options.clock, attempt, queues, store, pending });
  const outbox = createOutbox({ dispatcher, faults: deliveryFaults, store });

  const enqueue = createEnqueue({ dispatcher, queues, pending });
  const resumeAccount = createResume({ dispatcher, outbox, enqueue });

  return {
    async dispatch(committed) {
      const { accountState, events } = committed;
      // Events without an endpoint are never sent later.
      if (accountState.endpoint === null)
        return events.forEach((event) => outbox.discard(accountState, event));
      const groups = events.flatMap((event) => addToOutbox(outbox, accountState, event));
      await Promise.all(groups.map((ids) => enqueue(committed, ids)));
    },
    resume(restored) {
      outbox.clear();
      // `idle` must not wait for attempts of the replaced state.
      pending.clear();
      restored.forEach(resumeAccount);
    },
    redeliver: dispatcher.retry,
    idle: pending.idle,
    async close() {
      await waitAtMost(options.limit, pending.idle());
      dispatcher.close();
    },
    watch: store.watch,
    addresses: options.addresses,
    faults: deliveryFaults,
    inProcessEndpoints,
  };
}

/** Adds an event that the profile sends, and skips any other. Returns the deliveries to send now. */
function addToOutbox(
  outbox: Outbox,
  accountState: AccountState,
  event: PaymentEvent,
): ReturnType<Outbox['add']> {
  const isSent = accountState.profile.events.includes(event.status);
  return isSent ? outbox.add(accountState, event) : outbox.skip(event);
}

/** Creates the function that resumes the deliveries of a restored state. */
function createResume({ dispatcher, outbox, enqueue }: ResumeParts): (accountState: AccountState) => void {
  return (accountState) => {
    const held = findHeld(accountState);
    for (const { id, payment_id, state, next_at } of accountState.deliveries.values()) {
      if (held.has(id)) outbox.hold(payment_id, id);
      else if (state === 'queued' && next_at === null) void enqueue({ accountState }, [id]);
      else dispatcher.resume(accountState, id);
    }
  };
}

interface ResumeParts {
  readonly dispatcher: Dispatcher;
  readonly outbox: Outbox;
  readonly enqueue: Enqueue;
}

/** Returns the reordered deliveries that wait for the next event of their payment. */
function findHeld({ deliveries }: AccountState): Set<string> {
  const held = new Set<string>();
  const withLaterAttempt = new Set<string>();
  for (const { id, payment_id, state, fault } of [...deliveries.values()].toReversed()) {
    const waits = fault === 'reorder' && state === 'queued' && !withLaterAttempt.has(payment_id);
    if (waits) held.add(id);
    else withLaterAttempt.add(payment_id);
  }
  return held;
}

interface EnqueueParts {
  readonly dispatcher: Dispatcher;
  readonly queues: EndpointQueues;
  readonly pending: PendingSet;
}

/** Queues a group of deliveries that are sent at the same time. */
type Enqueue = (dispatchOptions: Omit<CommittedEvents, 'events'>, ids: readonly string[]) => Promise<void>;

function createEnqueue({ dispatcher, queues, pending }: EnqueueParts): Enqueue {
  return ({ accountState, after, ahead = false }, ids) => {
    const task = async (): Promise<void> => {
      await after;
      await Promise.all(ids.map((id) => dispatcher.sendFirst(accountState, id)));
    };
    const line = queues(accountState).first;
    return pending.track(ahead ? line.addRunning(task()) : line.add(task));
  };
}

async function waitAtMost(limit: number, promise: Promise<void>): Promise<void> {
  const { promise: expired, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limit);
  await Promise.race([promise, expired]);
  clearTimeout(timer);
}
