import type { PaymentEvent } from '../domain/event.ts';
import { type MagicValue, readMagic } from '../domain/plan.ts';
import type { Instant } from '../domain/wire.ts';
import type { Books } from '../world/books.ts';
import type { Announcement } from '../world/world.ts';
import { createQueue, type Queue } from './queue.ts';
import type { AttemptResult, Send } from './send.ts';
import type { PaymentStatus } from '@service/contract';

/** Records one delivery of one event and what became of it. */
export interface Delivery {
  readonly payment_id: string;
  readonly status: PaymentStatus;
  readonly url: string;
  readonly at: Instant;
  readonly result: AttemptResult;
}

/** Brings committed events to the endpoints of their books. */
export interface Deliveries {
  /** Queues events: in order per books, each after the answer to the call that caused it. Fulfilled when they were sent. */
  readonly announce: (announcement: Announcement) => Promise<void>;
  /** Waits until every event that is due has been sent. */
  readonly idle: () => Promise<void>;
  /** Lists what was delivered from these books, oldest first. */
  readonly list: (books: Books) => readonly Delivery[];
}

interface Line {
  readonly queue: Queue;
  readonly done: Delivery[];
  /** Events that wait for a later one of their payment to overtake them, by payment id. */
  readonly overtaken: Map<string, PaymentEvent>;
}

/** Sets up the deliveries of a sandbox. */
export interface DeliveryOptions {
  readonly now: () => Instant;
  readonly send: Send;
}

/** Creates the deliveries of a sandbox: one line for each books, so that a slow endpoint holds up itself alone. */
export function createDeliveries(options: DeliveryOptions): Deliveries {
  const lines = new Map<Books, Line>();
  let announced = 0;
  const lineOf = (books: Books): Line => {
    const line = lines.get(books) ?? { queue: createQueue(), done: [], overtaken: new Map() };
    lines.set(books, line);
    return line;
  };
  const queue = ({ books, after, ahead = false }: Announcement, event: PaymentEvent): Promise<void> => {
    const line = lineOf(books);
    const task = async (): Promise<void> => {
      await after;
      line.done.push(...(await deliver(options, books, event)));
    };
    announced += 1;
    return ahead ? line.queue.addRunning(task()) : line.queue.add(task);
  };
  return {
    async announce(announcement) {
      const { books, events } = announcement;
      // What happens while nobody listens is not sent later.
      if (books.endpoint === null) return;
      const line = lineOf(books);
      const inOrder = events.flatMap((event) => reorder(line, event, magicOf(books, event)));
      await Promise.all(inOrder.map((event) => queue(announcement, event)));
    },
    async idle() {
      for (let seen = -1; seen !== announced;) {
        seen = announced;
        for (const line of lines.values()) await line.queue.idle();
      }
    },
    list: (books) => lineOf(books).done,
  };
}

/** Sends an event to the endpoint that its books have now; to none when they have none. */
async function deliver(
  { now, send }: DeliveryOptions,
  books: Books,
  event: PaymentEvent,
): Promise<Delivery[]> {
  const { endpoint } = books;
  if (endpoint === null) return [];
  const { payment_id, status, body } = event;
  const sendOnce = async (): Promise<Delivery> => {
    const at = now();
    return { payment_id, status, url: endpoint.url, at, result: await send(body, endpoint) };
  };
  const copies = magicOf(books, event) === 'SIM-HOOK-DUP' ? 2 : 1;
  return Promise.all(Array.from({ length: copies }, sendOnce));
}

function magicOf(books: Books, { payment_id }: PaymentEvent): MagicValue | undefined {
  return readMagic(books.mode, books.payments.get(payment_id)?.beneficiary.account ?? null);
}

/** Lets the next event overtake `processing` where the payment asks for a shuffle; other events keep their order. */
function reorder(line: Line, event: PaymentEvent, magic: MagicValue | undefined): PaymentEvent[] {
  if (magic !== 'SIM-HOOK-SHUFFLE') return [event];
  if (event.status === 'processing') {
    line.overtaken.set(event.payment_id, event);
    return [];
  }
  const late = line.overtaken.get(event.payment_id);
  line.overtaken.delete(event.payment_id);
  return late === undefined ? [event] : [event, late];
}
