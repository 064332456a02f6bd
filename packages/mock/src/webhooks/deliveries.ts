import type { PaymentEvent } from '../domain/event.ts';
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

/** Brings committed events to the endpoints of their books. */
export interface Deliveries {
  /**
   * Queues events: first attempts in order per books, each after the answer to the call that caused it. Fulfilled when
   * these have been tried once; what failed is tried again on the clock and holds nothing back.
   */
  readonly dispatch: (committed: CommittedEvents) => Promise<void>;
  /** Tries a delivery once more, now. */
  readonly redeliver: (accountState: AccountState, id: string) => Promise<void>;
  /** Goes on with what restored books bring along: the queued events in order, the others on the clock. */
  readonly resume: (restored: readonly AccountState[]) => void;
  /** Waits until every attempt that is due has been made. */
  readonly idle: () => Promise<void>;
  /** Waits until idle, within the limit; what has not been tried by then never will be. */
  readonly close: () => Promise<void>;
  /** Hears of each delivery that changes. */
  readonly watch: DeliveryStore['watch'];
  readonly addresses: AddressPolicy;
  readonly faults: DeliveryFaults;
  readonly inProcessEndpoints: InProcessEndpoints;
}

/** Sets up the deliveries of a sandbox. */
export interface DeliveryOptions extends AttemptOptions {
  /** How long `close` waits at most, in milliseconds of real time. */
  readonly limit: number;
}

// Kept from load time, so that fake timers installed later cannot make the end of a sandbox endless.
const { setTimeout, clearTimeout } = globalThis;

/** Creates the deliveries of a sandbox: one line for each books, so that a slow endpoint holds up itself alone. */
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
      // Events of an account without an endpoint are not sent later.
      if (accountState.endpoint === null)
        return events.forEach((event) => outbox.discard(accountState, event));
      const groups = events.flatMap((event) => addToOutbox(outbox, accountState, event));
      await Promise.all(groups.map((ids) => enqueue(committed, ids)));
    },
    resume(restored) {
      outbox.clear();
      // Nobody waits for receivers of a world that is no more.
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

/** Adds an event that the profile sends, and skips any other; returns the deliveries to send now. */
function addToOutbox(
  outbox: Outbox,
  accountState: AccountState,
  event: PaymentEvent,
): ReturnType<Outbox['add']> {
  const isSent = accountState.profile.events.includes(event.status);
  return isSent ? outbox.add(accountState, event) : outbox.skip(event);
}

/** Creates what goes on with the deliveries of restored books. */
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

/** Finds the deliveries that wait for the next event of their payment: nothing of it has left after them. */
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

/** Puts deliveries that leave together into the line of their books. */
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
