import type { Mode } from '@service/contract';
import type { DeliveryFault, DeliveryFaultKind } from '../domain/delivery-fault.ts';
import type { EventName, PaymentEvent } from '../domain/payment.ts';
import { readMagic } from '../domain/plan.ts';
import type { Account } from '../state/account.ts';
import type { AccountState } from '../state/account-state.ts';
import { dropOldestUsedUp } from '../state/faults.ts';
import { toSortable } from '../state/ids.ts';

/** The scope and the number of firings of a delivery fault. A scope field left out matches any value. */
export interface NewDeliveryFault {
  readonly fault: DeliveryFault;
  readonly account?: Account;
  readonly mode?: Mode;
  readonly event?: EventName;
  readonly times: number | 'unlimited';
}

/** A delivery fault and how often it has fired. */
export interface InjectedDeliveryFault extends NewDeliveryFault {
  readonly id: string;
  readonly fired: number;
}

/** The delivery faults of a sandbox. */
export interface DeliveryFaults {
  readonly inject: (fault: NewDeliveryFault) => InjectedDeliveryFault;
  readonly remove: (id: string) => void;
  /** Removes the faults of one account, or all faults. */
  readonly clear: (account?: Account) => void;
  /** Returns the faults in injection order, with at most 100 used-up ones. */
  readonly list: () => readonly InjectedDeliveryFault[];
  /** Returns the fault of an event and counts it as fired. The magic value of the payment has precedence. */
  readonly match: (accountState: AccountState, event: PaymentEvent) => DeliveryFault | undefined;
}

interface Slot extends InjectedDeliveryFault {
  fired: number;
}

/** Creates an empty list of delivery faults. */
export function createDeliveryFaults(): DeliveryFaults {
  let slots: Slot[] = [];
  let count = 0;
  return {
    inject(fault) {
      count += 1;
      const slot = { ...fault, id: `dfl_${toSortable(count, 6)}`, fired: 0 };
      slots.push(slot);
      return slot;
    },
    remove(id) {
      slots = slots.filter((slot) => slot.id !== id);
    },
    clear(account) {
      slots = slots.filter((slot) => account !== undefined && slot.account !== account);
    },
    list: () => [...slots],
    match(accountState, event) {
      const kind = readMagicKind(accountState, event);
      if (kind !== undefined) return { kind, by: 0 };
      const slot = slots.find((each) => matchesEvent(each, accountState, event));
      if (slot === undefined) return undefined;
      slot.fired += 1;
      slots = dropOldestUsedUp(slots);
      return slot.fault;
    },
  };
}

function matchesEvent(slot: Slot, accountState: AccountState, event: PaymentEvent): boolean {
  const { account, mode = accountState.mode, event: name, times, fired, fault } = slot;
  return (
    fired !== times &&
    (account === undefined || account.byMode[accountState.mode] === accountState) &&
    mode === accountState.mode &&
    (name === undefined || name === `payment.${event.status}`) &&
    (fault.kind !== 'reorder' || canHaveNextEvent(accountState, event))
  );
}

/** Returns whether the payment can still change its status, so that the event can wait for the next one. */
function canHaveNextEvent(accountState: AccountState, { payment_id, status }: PaymentEvent): boolean {
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
