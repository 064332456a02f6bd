import type { Mode, OperationId } from '@service/contract';
import type { Fault } from '../domain/fault.ts';
import type { InjectedFault, Faults, FaultSchedule } from '../state/faults.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { type FaultOptions, readFault } from './fault-fields.ts';
import { type AccountRef, findAccount, showId } from './locate.ts';

/** Shows a fault and how often it has fired. */
export type FaultView = Fault &
  FaultSchedule & {
    readonly id: string;
    /** Null for any. */
    readonly operation: OperationId | null;
    /** An account's id, or null for any. */
    readonly account: string | null;
    /** Null for either. */
    readonly mode: Mode | null;
    readonly fired: number;
  };

/** Is a fault that was armed. */
export interface InjectedFaultHandle {
  readonly id: string;
  /** Takes the fault back; it fires no more. */
  readonly disarm: () => void;
}

/** Lets things go wrong with calls, just before or after the operation is carried out. */
export interface FaultControl {
  /**
   * Arms a fault. At most one fires at a call: the first that was armed of those that are for it and due. Throws
   * `SandboxError` for terms that make no sense.
   *
   * @example
   * mock.sandbox.faults.arm({ kind: 'reset_after_commit', operation: 'createPayment' });
   */
  readonly inject: (fault: FaultOptions) => InjectedFaultHandle;
  /** Lists the faults in the order in which they were armed; of those that are used up, the last hundred. */
  readonly list: () => readonly FaultView[];
  /** Takes a fault back by its id; it fires no more. Throws `SandboxError` for one that is not in the list. */
  readonly disarm: (id: string) => void;
  /** Takes back the faults that were armed for an account; without one, all faults. */
  readonly clear: (account?: AccountRef) => void;
}

/** Creates the control of faults. */
export function createFaultControl(state: State, faults: Faults): FaultControl {
  return {
    inject(options) {
      const { fault, terms } = readFault(options);
      const { account, probability, ...rest } = terms;
      const { id } = faults.inject({
        fault,
        after: 0,
        times: probability === undefined ? 1 : 'unlimited',
        ...rest,
        probability: probability ?? 1,
        ...(account === undefined ? {} : { account: findAccount(state, account).id }),
      });
      return { id, disarm: () => faults.disarm(id) };
    },
    list: () => faults.list().map(showFault),
    disarm(id) {
      if (!faults.list().some((fault) => fault.id === id))
        throw new SandboxError('not_found', `There is no fault ${showId(id)}.`);
      faults.disarm(id);
    },
    clear: (account) => faults.clear(account === undefined ? undefined : findAccount(state, account).id),
  };
}

function showFault({
  id,
  fault,
  operation,
  account,
  mode,
  times,
  after,
  probability,
  fired,
}: InjectedFault): FaultView {
  const scope = { operation: operation ?? null, account: account ?? null, mode: mode ?? null };
  return { id, ...fault, ...scope, times, after, probability, fired };
}
