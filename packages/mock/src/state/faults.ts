import type { Mode, OperationId } from '@service/contract';
import { type Fault, needsBody } from '../domain/fault.ts';
import { createDraw, toSortable } from './ids.ts';

/** The requests that a fault applies to. A field left out matches any value. */
export interface FaultScope {
  readonly operation?: OperationId;
  /** The id of an account. */
  readonly account?: string;
  readonly mode?: Mode;
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

/** A request fault and how often it has fired. */
export interface InjectedFault extends FaultScope, FaultSchedule {
  readonly id: string;
  readonly fault: Fault;
  readonly fired: number;
}

/** The properties of a request that faults match. */
export interface FaultTarget {
  readonly operation: OperationId;
  readonly account: string;
  readonly mode: Mode;
  /** Whether the response has a body. */
  readonly hasBody: boolean;
}

/** The request faults of a sandbox. */
export interface Faults {
  readonly inject: (fault: Omit<InjectedFault, 'id' | 'fired'>) => InjectedFault;
  readonly remove: (id: string) => void;
  /** Removes the faults of one account, or all faults. */
  readonly clear: (account?: string) => void;
  /** Returns the faults in injection order, with at most 100 used-up ones. */
  readonly list: () => readonly InjectedFault[];
  /** Returns the first fault that matches a request and is due, and counts it as fired. */
  readonly match: (target: FaultTarget) => InjectedFault | undefined;
}

interface Slot extends InjectedFault {
  fired: number;
  passed: number;
  /** Returns a number from 0 to below 1. */
  readonly draw: () => number;
}

const MAX_USED_UP = 100;

/** Creates an empty list of request faults. Each fault with a probability has its own generator, derived from `seed`. */
export function createFaults(seed: string): Faults {
  let slots: Slot[] = [];
  let count = 0;
  return {
    inject(fault) {
      count += 1;
      const id = `flt_${toSortable(count, 6)}`;
      const slot = { ...fault, id, fired: 0, passed: 0, draw: createDraw(seed, id) };
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
    match(target) {
      const due = slots.find((slot) => matchesTarget(slot, target) && isDue(slot));
      if (due === undefined) return undefined;
      due.fired += 1;
      slots = dropOldestUsedUp(slots);
      return due;
    },
  };
}

/** Removes the oldest used-up fault if there are more than 100 of them. */
export function dropOldestUsedUp<Injected extends Pick<InjectedFault, 'fired' | 'times'>>(
  faults: Injected[],
): Injected[] {
  const usedUp = faults.filter(isUsedUp);
  return usedUp.length > MAX_USED_UP ? faults.filter((fault) => fault !== usedUp[0]) : faults;
}

function matchesTarget(slot: Slot, { operation, account, mode, hasBody }: FaultTarget): boolean {
  return (
    !isUsedUp(slot) &&
    (slot.operation ?? operation) === operation &&
    (slot.account ?? account) === account &&
    (slot.mode ?? mode) === mode &&
    (hasBody || !needsBody(slot.fault))
  );
}

function isUsedUp({ fired, times }: Pick<InjectedFault, 'fired' | 'times'>): boolean {
  return fired === times;
}

function isDue(slot: Slot): boolean {
  if (slot.passed < slot.after) {
    slot.passed += 1;
    return false;
  }
  return slot.probability === 1 || slot.draw() < slot.probability;
}
