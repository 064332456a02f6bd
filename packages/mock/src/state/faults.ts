import type { Mode, OperationId } from '@service/contract';
import type { DeliveryFault, Fault } from '../domain/fault.ts';
import type { EventName } from '../domain/payment.ts';
import type { AccountState } from './account-state.ts';
import { createDeferred } from '@service/internal';
import { createDraw, toSortable } from '../domain/ids.ts';

/** The requests or events that a fault applies to. A field left out matches any value. */
interface FaultScope {
  /** The id of an account. */
  readonly account?: string;
  readonly mode?: Mode;
  readonly operation?: OperationId;
  readonly event?: EventName;
}

/** When a fault fires. */
export interface FaultSchedule {
  /** The number of times that it fires. */
  readonly times: number | 'unlimited';
  /** The number of matching requests that pass before it can fire. */
  readonly after: number;
  /** The probability that it fires at a later matching request, from 0 to 1. */
  readonly probability: number;
}

/** A fault and how often it has fired. */
export interface InjectedFault<AnyFault = Fault | DeliveryFault> extends FaultScope, FaultSchedule {
  readonly id: string;
  readonly fault: AnyFault;
  readonly fired: number;
  /** Resolves when the fault is removed. */
  readonly removed: Promise<void>;
}

/** A request or an event at which a fault can fire. */
interface FaultOccasion<AnyFault> {
  readonly accountState: AccountState;
  readonly operation?: OperationId;
  readonly event?: EventName;
  /** Returns whether the fault can have an effect. */
  readonly canApply: (fault: AnyFault) => boolean;
}

/** The faults of a sandbox for one target: requests or deliveries. */
export interface Faults<AnyFault = Fault> {
  readonly inject: (
    fault: Omit<InjectedFault<AnyFault>, 'id' | 'fired' | 'removed'>,
  ) => InjectedFault<AnyFault>;
  readonly remove: (id: string) => void;
  /** Removes the faults of one account, or all faults. */
  readonly clear: (account?: string) => void;
  /** Returns the faults of one account, or all faults, in injection order. */
  readonly list: (account?: string) => readonly InjectedFault<AnyFault>[];
  /** Returns the first fault that matches and is due, and counts it as fired. */
  readonly match: (occasion: FaultOccasion<AnyFault>) => InjectedFault<AnyFault> | undefined;
}

interface Slot<AnyFault> extends InjectedFault<AnyFault> {
  /** The position in injection order. */
  readonly index: number;
  fired: number;
  passed: number;
  /** Resolves `removed`. */
  readonly end: () => void;
  /** Returns a number from 0 to below 1. */
  readonly draw: () => number;
}

/** Maximum number of used-up faults of one account, and of those for any account. */
const MAX_USED_UP = 100;

/** Creates an empty list. Each fault has its own generator of probability draws, derived from `seed`. */
export function createFaults<AnyFault>(prefix: 'flt' | 'dfl', seed: string): Faults<AnyFault> {
  /** The faults of each account, and those of any account under `undefined`. */
  const slots = new Map<string | undefined, Slot<AnyFault>[]>();
  let count = 0;
  const replace = (account: string | undefined, kept: Slot<AnyFault>[]): void => {
    if (kept.length === 0) slots.delete(account);
    else slots.set(account, kept);
  };
  const removeWhere = (isRemoved: (slot: Slot<AnyFault>) => boolean): void => {
    for (const [account, all] of slots) {
      replace(
        account,
        all.filter((slot) => !isRemoved(slot)),
      );
      for (const slot of all) if (isRemoved(slot)) slot.end();
    }
  };
  return {
    inject(fault) {
      count += 1;
      const id = `${prefix}_${toSortable(count, 6)}`;
      const { promise: removed, resolve: end } = createDeferred();
      const own = { id, index: count, fired: 0, passed: 0, removed, end, draw: createDraw(seed, id) };
      const slot = { ...fault, ...own };
      slots.set(fault.account, [...(slots.get(fault.account) ?? []), slot]);
      return slot;
    },
    remove: (id) => removeWhere((slot) => slot.id === id),
    clear: (account) => removeWhere((slot) => account === undefined || slot.account === account),
    list: (account) => sortSlots(account === undefined ? [...slots.values()] : [slots.get(account)]),
    match(occasion) {
      if (slots.size === 0) return undefined;
      const candidates = sortSlots([slots.get(undefined), slots.get(occasion.accountState.account)]);
      const due = candidates.find((slot) => matches(slot, occasion) && isDue(slot));
      if (due === undefined) return undefined;
      due.fired += 1;
      replace(due.account, dropOldestUsedUp(slots.get(due.account) ?? []));
      return due;
    },
  };
}

/** Merges lists of faults in injection order. */
function sortSlots<AnyFault>(lists: readonly (readonly Slot<AnyFault>[] | undefined)[]): Slot<AnyFault>[] {
  return lists.flatMap((list) => list ?? []).toSorted((a, b) => a.index - b.index);
}

/** Removes the oldest used-up fault if there are more than 100 of them. */
function dropOldestUsedUp<AnyFault>(slots: Slot<AnyFault>[]): Slot<AnyFault>[] {
  const usedUp = slots.filter(isUsedUp);
  return usedUp.length > MAX_USED_UP ? slots.filter((slot) => slot !== usedUp[0]) : slots;
}

function matches<AnyFault>(slot: Slot<AnyFault>, occasion: FaultOccasion<AnyFault>): boolean {
  const { accountState } = occasion;
  return (
    !isUsedUp(slot) &&
    (slot.operation ?? occasion.operation) === occasion.operation &&
    (slot.event ?? occasion.event) === occasion.event &&
    (slot.mode ?? accountState.mode) === accountState.mode &&
    occasion.canApply(slot.fault)
  );
}

function isUsedUp({ fired, times }: Pick<InjectedFault, 'fired' | 'times'>): boolean {
  return fired === times;
}

function isDue<AnyFault>(slot: Slot<AnyFault>): boolean {
  if (slot.passed < slot.after) {
    slot.passed += 1;
    return false;
  }
  return slot.probability === 1 || slot.draw() < slot.probability;
}
