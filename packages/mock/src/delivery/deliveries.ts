import type { PaymentEvent } from '../domain/event.ts';
import type { Books } from '../world/books.ts';
import type { Announcement } from '../world/world.ts';
import type { AddressPolicy } from './address.ts';
import { type AttemptOptions, createAttempt } from './attempt.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { createDepartures, type Departures } from './departures.ts';
import { createDisturbances, type Disturbances } from './disturbances.ts';
import { createInboxes, type Inboxes } from './inboxes.ts';
import { createLines, type Lines } from './lines.ts';
import { createRecords, type Records } from './records.ts';
import { createTracker, type Tracker } from './tracker.ts';

/** Brings committed events to the endpoints of their books. */
export interface Deliveries {
  /**
   * Queues events: first attempts in order per books, each after the answer to the call that caused it. Fulfilled when
   * these have been tried once; what failed is tried again on the clock and holds nothing back.
   */
  readonly announce: (announcement: Announcement) => Promise<void>;
  /** Tries a delivery once more, now. */
  readonly redeliver: (books: Books, id: string) => Promise<void>;
  /** Goes on with what restored books bring along: the queued events in order, the others on the clock. */
  readonly resume: (restored: readonly Books[]) => void;
  /** Waits until every attempt that is due has been made. */
  readonly idle: () => Promise<void>;
  /** Waits until idle, within the limit; what has not been tried by then never will be. */
  readonly close: () => Promise<void>;
  /** Hears of each delivery that changes. */
  readonly watch: Records['watch'];
  readonly addresses: AddressPolicy;
  readonly disturbances: Disturbances;
  readonly inboxes: Inboxes;
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
  const [lines, records, tracker] = [createLines(), createRecords(), createTracker()];
  const [disturbances, inboxes] = [createDisturbances(), createInboxes()];
  const attempt = createAttempt({ ...options, inboxes, records });
  const attempts = createAttempts({ clock: options.clock, attempt, lines, records, tracker });
  const departures = createDepartures({ attempts, disturbances, records });

  const queue = createQueueing({ attempts, lines, tracker });
  const goOn = createGoOn({ attempts, departures, queue });

  return {
    async announce(announcement) {
      const { books, events } = announcement;
      // What happens while nobody listens is not sent later.
      if (books.endpoint === null) return events.forEach((event) => departures.pass(books, event));
      const isSent = ({ status }: PaymentEvent): boolean => books.profile.events.includes(status);
      const leaving = events.flatMap((event) =>
        isSent(event) ? departures.enter(books, event) : departures.skip(event),
      );
      await Promise.all(leaving.map((ids) => queue(announcement, ids)));
    },
    resume(restored) {
      departures.clear();
      // Nobody waits for receivers of a world that is no more.
      tracker.forget();
      restored.forEach(goOn);
    },
    redeliver: attempts.again,
    idle: tracker.idle,
    async close() {
      await waitAtMost(options.limit, tracker.idle());
      attempts.close();
    },
    watch: records.watch,
    addresses: options.addresses,
    disturbances,
    inboxes,
  };
}

/** Creates what goes on with the deliveries of restored books. */
function createGoOn({ attempts, departures, queue }: GoOnParts): (books: Books) => void {
  return (books) => {
    const held = findHeld(books);
    for (const { id, payment_id, state, next_at } of books.deliveries.values()) {
      if (held.has(id)) departures.hold(payment_id, id);
      else if (state === 'queued' && next_at === null) void queue({ books }, [id]);
      else attempts.resume(books, id);
    }
  };
}

interface GoOnParts {
  readonly attempts: Attempts;
  readonly departures: Departures;
  readonly queue: Queueing;
}

/** Finds the deliveries that wait for the next event of their payment: nothing of it has left after them. */
function findHeld({ deliveries }: Books): Set<string> {
  const held = new Set<string>();
  const goneOn = new Set<string>();
  for (const { id, payment_id, state, disturbed } of [...deliveries.values()].toReversed()) {
    const waits = disturbed === 'reorder' && state === 'queued' && !goneOn.has(payment_id);
    if (waits) held.add(id);
    else goneOn.add(payment_id);
  }
  return held;
}

interface QueueingParts {
  readonly attempts: Attempts;
  readonly lines: Lines;
  readonly tracker: Tracker;
}

/** Puts deliveries that leave together into the line of their books. */
type Queueing = (departure: Omit<Announcement, 'events'>, ids: readonly string[]) => Promise<void>;

function createQueueing({ attempts, lines, tracker }: QueueingParts): Queueing {
  return ({ books, after, ahead = false }, ids) => {
    const task = async (): Promise<void> => {
      await after;
      await Promise.all(ids.map((id) => attempts.first(books, id)));
    };
    const line = lines(books).first;
    return tracker.track(ahead ? line.addRunning(task()) : line.add(task));
  };
}

async function waitAtMost(limit: number, promise: Promise<void>): Promise<void> {
  const { promise: expired, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limit);
  await Promise.race([promise, expired]);
  clearTimeout(timer);
}
