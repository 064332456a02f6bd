import { type Delivery, openDelivery, recordAttempt, stopDelivery } from '../domain/delivery.ts';
import { type PaymentEvent, writeEvent } from '../domain/event.ts';
import { type MagicValue, readMagic } from '../domain/plan.ts';
import { type Books, nextDeliveryId } from '../world/books.ts';
import type { Clock } from '../world/clock.ts';
import type { Announcement } from '../world/world.ts';
import { createQueue, type Queue } from './queue.ts';
import type { Send } from './send.ts';
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
  /** Waits until every attempt that is due has been made. */
  readonly idle: () => Promise<void>;
}

/** Sets up the deliveries of a sandbox. */
export interface DeliveryOptions {
  readonly clock: Clock;
  readonly send: Send;
}

/** Creates the deliveries of a sandbox: one line for each books, so that a slow endpoint holds up itself alone. */
export function createDeliveries(options: DeliveryOptions): Deliveries {
  const lines = createLines();
  const tracker = createTracker();
  const attempt = createAttempt(options, tracker);

  const queue = ({ books, after, ahead = false }: Announcement, event: PaymentEvent): Promise<void> => {
    const copies = magicOf(books, event) === 'SIM-HOOK-DUP' ? 2 : 1;
    const ids = Array.from({ length: copies }, () => enter(books, event));
    const task = async (): Promise<void> => {
      await after;
      await Promise.all(ids.map((id) => attempt(books, id)));
    };
    const line = lines.of(books);
    return tracker.track(ahead ? line.addRunning(task()) : line.add(task));
  };

  return {
    async announce(announcement) {
      const { books, events } = announcement;
      // What happens while nobody listens is not sent later.
      if (books.endpoint === null) return;
      const inOrder = events.flatMap((event) => lines.reorder(books, event));
      await Promise.all(inOrder.map((event) => queue(announcement, event)));
    },
    redeliver: (books, id) => tracker.track(attempt(books, id)),
    idle: tracker.idle,
  };
}

/** Tries a delivery once and records what became of it. */
type AttemptDelivery = (books: Books, id: string) => Promise<void>;

/** Creates the attempt of a delivery; one that fails comes back on the clock while its schedule lasts. */
function createAttempt({ clock, send }: DeliveryOptions, tracker: Tracker): AttemptDelivery {
  const attempt: AttemptDelivery = async (books, id) => {
    const { endpoint } = books;
    if (endpoint === null) return change(books, id, stopDelivery);
    const at = clock.now();
    const result = await send(books.deliveries.get(id)?.body ?? '', endpoint);
    change(books, id, (delivery) => recordAttempt(delivery, { at, url: endpoint.url, result }));
    scheduleRetry(books, id);
  };
  const scheduleRetry = (books: Books, id: string): void => {
    const at = books.deliveries.get(id)?.next_at ?? null;
    if (at === null) return;
    const run = (): void => {
      const isStillDue = books.deliveries.get(id)?.next_at === at;
      if (isStillDue) void tracker.track(attempt(books, id));
    };
    clock.schedule({ at, rank: id, run });
  };
  return attempt;
}

function change(books: Books, id: string, decide: (delivery: Delivery) => Delivery): void {
  const delivery = books.deliveries.get(id);
  if (delivery !== undefined) books.deliveries.set(id, decide(delivery));
}

/** Enters an event into the deliveries of its books. */
function enter(books: Books, event: PaymentEvent): string {
  const id = nextDeliveryId(books);
  const payment = books.payments.get(event.payment_id);
  if (payment === undefined) throw new Error('an event without a payment');
  books.deliveries.set(id, openDelivery(id, event, writeEvent(payment, event, books.profile)));
  return id;
}

function magicOf(books: Books, { payment_id }: PaymentEvent): MagicValue | undefined {
  return readMagic(books.mode, books.payments.get(payment_id)?.beneficiary.account ?? null);
}

interface Lines {
  readonly of: (books: Books) => Queue;
  /** Lets the next event overtake `processing` where the payment asks for a shuffle; other events keep their order. */
  readonly reorder: (books: Books, event: PaymentEvent) => PaymentEvent[];
}

function createLines(): Lines {
  const queues = new Map<Books, Queue>();
  const overtaken = new Map<string, PaymentEvent>();
  return {
    of(books) {
      const queue = queues.get(books) ?? createQueue();
      queues.set(books, queue);
      return queue;
    },
    reorder(books, event) {
      if (magicOf(books, event) !== 'SIM-HOOK-SHUFFLE') return [event];
      if (event.status === 'processing') {
        overtaken.set(event.payment_id, event);
        return [];
      }
      const late = overtaken.get(event.payment_id);
      overtaken.delete(event.payment_id);
      return late === undefined ? [event] : [event, late];
    },
  };
}
