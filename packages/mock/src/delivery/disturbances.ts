import type { Disturbance, DisturbanceKind } from '../domain/disturbance.ts';
import type { EventName, PaymentEvent } from '../domain/event.ts';
import { readMagic } from '../domain/plan.ts';
import type { Books } from '../world/books.ts';
import { toSortable } from '../world/ids.ts';

/** Says what is to go wrong, for which events, and how often. */
export interface DisturbanceOrder extends Disturbance {
  /** `Infinity` for every event from now on. */
  readonly times: number;
  /** Any event when left out. */
  readonly event: EventName | undefined;
}

/** Holds a disturbance that waits for events. */
export interface ArmedDisturbance {
  readonly id: string;
  /** Lets it disturb no further event. */
  readonly cancel: () => void;
}

/** Keeps what is to go wrong with the events of each books. */
export interface Disturbances {
  readonly arm: (books: Books, order: DisturbanceOrder) => ArmedDisturbance;
  /** Takes what goes wrong with an event: what its magic value says, else the first disturbance that waits for it. */
  readonly take: (books: Books, event: PaymentEvent) => Disturbance | undefined;
}

interface Slot extends DisturbanceOrder {
  left: number;
}

/** Creates a keeper of disturbances; nothing goes wrong yet. */
export function createDisturbances(): Disturbances {
  const armed = new WeakMap<Books, Set<Slot>>();
  let count = 0;
  return {
    arm(books, order) {
      const slots = armed.get(books) ?? new Set();
      const slot = { ...order, left: order.times };
      armed.set(books, slots.add(slot));
      count += 1;
      return { id: `dst_${toSortable(count, 6)}`, cancel: () => void slots.delete(slot) };
    },
    take(books, event) {
      const kind = readMagicKind(books, event);
      if (kind !== undefined) return { kind, by: 0 };
      for (const slot of armed.get(books) ?? []) {
        if (!isFor(slot, books, event)) continue;
        slot.left -= 1;
        if (slot.left === 0) armed.get(books)?.delete(slot);
        return slot;
      }
      return undefined;
    },
  };
}

function isFor(slot: Slot, books: Books, event: PaymentEvent): boolean {
  const isAsked = slot.event === undefined || slot.event === `payment.${event.status}`;
  return isAsked && (slot.kind !== 'reorder' || canHaveNext(books, event));
}

/** Tells whether a payment may still change its status, so that an event of it can wait for the one after. */
function canHaveNext(books: Books, { payment_id, status }: PaymentEvent): boolean {
  if (status === 'pending' || status === 'processing') return true;
  return (books.payments.get(payment_id)?.next ?? null) !== null;
}

function readMagicKind(books: Books, { payment_id, status }: PaymentEvent): DisturbanceKind | undefined {
  const magic = readMagic(books.mode, books.payments.get(payment_id)?.beneficiary.account ?? null);
  if (magic === 'SIM-HOOK-DUP') return 'duplicate';
  return magic === 'SIM-HOOK-SHUFFLE' && status === 'processing' ? 'reorder' : undefined;
}
