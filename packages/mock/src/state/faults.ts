import type { Mode, OperationId } from '@service/contract';
import { type Fault, needsBody } from '../domain/fault.ts';
import { createDraw, toSortable } from './ids.ts';

/** Says which calls a fault is for; whatever is left out, any. */
export interface FaultScope {
  readonly operation?: OperationId;
  /** An account's id. */
  readonly account?: string;
  readonly mode?: Mode;
}

/** Says when a fault fires. */
export interface FaultSchedule {
  /** How often it fires. */
  readonly times: number | 'unlimited';
  /** How many calls it lets through first. */
  readonly after: number;
  /** How likely it fires at a call that is not let through, from 0 to 1. */
  readonly probability: number;
}

/** Holds a fault that waits for calls, or has had all of its own. */
export interface InjectedFault extends FaultScope, FaultSchedule {
  readonly id: string;
  readonly fault: Fault;
  readonly fired: number;
}

/** Describes a call to the faults that wait for one. */
export interface FaultTarget {
  readonly operation: OperationId;
  readonly account: string;
  readonly mode: Mode;
  /** Whether the answer has a body. */
  readonly hasBody: boolean;
}

/** Keeps what is to go wrong. */
export interface Faults {
  readonly inject: (fault: Omit<InjectedFault, 'id' | 'fired'>) => InjectedFault;
  readonly disarm: (id: string) => void;
  /** Forgets the faults that are for one account, or all of them. */
  readonly clear: (account?: string) => void;
  /** Lists the faults in the order in which they were armed; of those that are used up, the last hundred. */
  readonly list: () => readonly InjectedFault[];
  /** Takes the first fault that is for a call and due, and counts it as fired. */
  readonly take: (target: FaultTarget) => InjectedFault | undefined;
}

interface Slot extends InjectedFault {
  fired: number;
  passed: number;
  /** Draws from 0 to below 1. */
  readonly draw: () => number;
}

const USED_UP_KEPT = 100;

/** Creates a keeper of faults; `seed` decides the probable ones, each apart from all others. */
export function createFaults(seed: string): Faults {
  let slots: Slot[] = [];
  let count = 0;
  const remove = (isGone: (slot: Slot) => boolean): void => {
    slots = slots.filter((slot) => !isGone(slot));
  };
  return {
    inject(fault) {
      count += 1;
      const id = `flt_${toSortable(count, 6)}`;
      const slot = { ...fault, id, fired: 0, passed: 0, draw: createDraw(seed, id) };
      slots.push(slot);
      return slot;
    },
    disarm: (id) => remove((slot) => slot.id === id),
    clear: (account) => remove((slot) => account === undefined || slot.account === account),
    list: () => [...slots],
    take(target) {
      const due = slots.find((slot) => isFor(slot, target) && isDue(slot));
      if (due === undefined) return undefined;
      due.fired += 1;
      if (isUsedUp(due)) {
        const [oldest] = slots.filter(isUsedUp).slice(0, -USED_UP_KEPT);
        remove((slot) => slot === oldest);
      }
      return due;
    },
  };
}

function isFor(slot: Slot, { operation, account, mode, hasBody }: FaultTarget): boolean {
  return (
    !isUsedUp(slot) &&
    (slot.operation ?? operation) === operation &&
    (slot.account ?? account) === account &&
    (slot.mode ?? mode) === mode &&
    (hasBody || !needsBody(slot.fault))
  );
}

function isUsedUp({ fired, times }: Slot): boolean {
  return fired === times;
}

function isDue(slot: Slot): boolean {
  if (slot.passed < slot.after) {
    slot.passed += 1;
    return false;
  }
  return slot.probability === 1 || slot.draw() < slot.probability;
}
