import type { DeliveryFault, DeliveryFaultKind } from '../domain/delivery-fault.ts';
import type { EventName, PaymentEvent } from '../domain/event.ts';
import { readMagic } from '../domain/plan.ts';
import type { AccountState } from '../state/account-state.ts';
import { toSortable } from '../state/ids.ts';

/** Says what is to go wrong, for which events, and how often. */
export interface DeliveryFaultOptions extends DeliveryFault {
  /** `Infinity` for every event from now on. */
  readonly times: number;
  /** Any event when left out. */
  readonly event: EventName | undefined;
}

/** Holds a disturbance that waits for events. */
export interface InjectedDeliveryFault {
  readonly id: string;
  /** Lets it disturb no further event. */
  readonly cancel: () => void;
}

/** Keeps what is to go wrong with the events of each books. */
export interface DeliveryFaults {
  readonly inject: (accountState: AccountState, order: DeliveryFaultOptions) => InjectedDeliveryFault;
  /** Takes what goes wrong with an event: what its magic value says, else the first disturbance that waits for it. */
  readonly match: (accountState: AccountState, event: PaymentEvent) => DeliveryFault | undefined;
}

interface Slot extends DeliveryFaultOptions {
  left: number;
}

/** Creates a keeper of disturbances; nothing goes wrong yet. */
export function createDeliveryFaults(): DeliveryFaults {
  const armed = new WeakMap<AccountState, Set<Slot>>();
  let count = 0;
  return {
    inject(accountState, order) {
      const slots = armed.get(accountState) ?? new Set();
      const slot = { ...order, left: order.times };
      armed.set(accountState, slots.add(slot));
      count += 1;
      return { id: `dst_${toSortable(count, 6)}`, cancel: () => void slots.delete(slot) };
    },
    match(accountState, event) {
      const kind = readMagicKind(accountState, event);
      if (kind !== undefined) return { kind, by: 0 };
      for (const slot of armed.get(accountState) ?? []) {
        if (!isFor(slot, accountState, event)) continue;
        slot.left -= 1;
        if (slot.left === 0) armed.get(accountState)?.delete(slot);
        return slot;
      }
      return undefined;
    },
  };
}

function isFor(slot: Slot, accountState: AccountState, event: PaymentEvent): boolean {
  const isAsked = slot.event === undefined || slot.event === `payment.${event.status}`;
  return isAsked && (slot.kind !== 'reorder' || canHaveNext(accountState, event));
}

/** Tells whether a payment may still change its status, so that an event of it can wait for the one after. */
function canHaveNext(accountState: AccountState, { payment_id, status }: PaymentEvent): boolean {
  if (status === 'pending' || status === 'processing') return true;
  return (accountState.payments.get(payment_id)?.next ?? null) !== null;
}

function readMagicKind(
  accountState: AccountState,
  { payment_id, status }: PaymentEvent,
): DeliveryFaultKind | undefined {
  const magic = readMagic(
    accountState.mode,
    accountState.payments.get(payment_id)?.beneficiary.account ?? null,
  );
  if (magic === 'SIM-HOOK-DUP') return 'duplicate';
  return magic === 'SIM-HOOK-SHUFFLE' && status === 'processing' ? 'reorder' : undefined;
}
