import type { Mode, OperationId } from '@service/contract';
import type { DeliveryFault, Fault } from '../domain/fault.ts';
import type { EventName } from '../domain/payment.ts';
import type { AccountState } from './state.ts';
import { createDeferred } from '@service/internal';
import { createDraw, toSortable } from '../domain/ids.ts';

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
export interface InjectedFault<AnyFault = Fault | DeliveryFault> extends FaultSchedule {
  /** The id of the account. It, the mode, the operation and the event match any value if left out. */
  readonly account?: string;
  readonly mode?: Mode;
  readonly operation?: OperationId;
  readonly event?: EventName;
  readonly id: string;
  readonly fault: AnyFault;
  readonly fired: number;
  /** Resolves when the fault is removed. */
  readonly removed: Promise<void>;
}

/** A request or an event that a fault can affect. */
interface Occasion<AnyFault> extends Pick<InjectedFault, 'operation' | 'event'> {
  readonly accountState: AccountState;
  readonly canApply: (fault: AnyFault) => boolean;
}

interface Slot<AnyFault> extends InjectedFault<AnyFault> {
  fired: number;
  passed: number;
  /** Resolves `removed`. */
  readonly end: () => void;
  /** Returns a number from 0 to below 1. */
  readonly draw: () => number;
}

/** Maximum number of used-up faults of one account, and of those for any account. */
const MAX_USED_UP = 100;

/** The faults of a sandbox for one target: requests or deliveries. */
export class Faults<AnyFault = Fault> {
  readonly #prefix: 'flt' | 'dfl';
  /** Each fault has its own generator of probability draws, derived from the seed. */
  readonly #seed: string;
  #slots: Slot<AnyFault>[] = [];
  #count = 0;

  constructor(prefix: 'flt' | 'dfl', seed: string) {
    this.#prefix = prefix;
    this.#seed = seed;
  }

  inject(fault: Omit<InjectedFault<AnyFault>, 'id' | 'fired' | 'removed'>): InjectedFault<AnyFault> {
    this.#count += 1;
    const id = `${this.#prefix}_${toSortable(this.#count, 6)}`;
    const { promise: removed, resolve: end } = createDeferred();
    const slot = { ...fault, id, fired: 0, passed: 0, removed, end, draw: createDraw(this.#seed, id) };
    this.#slots.push(slot);
    return slot;
  }

  remove(id: string): void {
    this.#remove(this.#slots.filter((slot) => slot.id === id));
  }

  /** Removes the faults of one account, or all faults. */
  clear(account?: string): void {
    this.#remove(this.list(account) as Slot<AnyFault>[]);
  }

  /** Returns the faults of one account, or all faults, in injection order. */
  list(account?: string): readonly InjectedFault<AnyFault>[] {
    return this.#slots.filter((slot) => account === undefined || slot.account === account);
  }

  /** Returns the first fault that matches, can have an effect and is due, and counts it as fired. */
  match(occasion: Occasion<AnyFault>): InjectedFault<AnyFault> | undefined {
    const { accountState, operation, event, canApply } = occasion;
    const isMatch = (slot: Slot<AnyFault>): boolean =>
      !isUsedUp(slot) &&
      (slot.account ?? accountState.account) === accountState.account &&
      (slot.operation ?? operation) === operation &&
      (slot.event ?? event) === event &&
      (slot.mode ?? accountState.mode) === accountState.mode &&
      canApply(slot.fault);
    const due = this.#slots.find((slot) => isMatch(slot) && isDue(slot));
    if (due === undefined) return undefined;
    due.fired += 1;
    const usedUp = this.#slots.filter((slot) => isUsedUp(slot) && slot.account === due.account);
    // Not ended: it can still delay a response.
    if (usedUp.length > MAX_USED_UP) this.#slots = this.#slots.filter((slot) => slot !== usedUp[0]);
    return due;
  }

  #remove(removed: readonly Slot<AnyFault>[]): void {
    for (const slot of removed) slot.end();
    this.#slots = this.#slots.filter((slot) => !removed.includes(slot));
  }
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
