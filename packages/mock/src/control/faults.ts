import type { Mode, OperationId } from '@service/contract';
import type { EventName } from '../domain/payment.ts';
import type { DeliveryFault, DeliveryFaultKind, Fault } from '../domain/fault.ts';
import type { InjectedFault, Faults, FaultSchedule } from '../state/faults.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { State } from '../state/state.ts';
import { type FaultOptions, faultTerms, readFault } from './fault-options.ts';
import { type AccountRef, findAccount, formatId } from './locate.ts';

/** The account and mode of a fault, and how often it has fired. */
interface FaultStatus {
  readonly id: string;
  /** The id of an account, or null for any account. */
  readonly account: string | null;
  /** A mode, or null for either mode. */
  readonly mode: Mode | null;
  readonly fired: number;
}

/** A fault that affects requests to the service. */
export type RequestFaultView = Fault &
  FaultSchedule &
  FaultStatus & {
    readonly target: 'request';
    /** An operation, or null for any operation. */
    readonly operation: OperationId | null;
  };

/** A fault that affects webhook deliveries. */
export interface DeliveryFaultView extends FaultStatus {
  readonly target: 'delivery';
  readonly kind: DeliveryFaultKind;
  /** An event, or null for any event. */
  readonly event: EventName | null;
  readonly times: number | 'unlimited';
  /** The length of a `delay`, in milliseconds of the sandbox clock; 0 for other kinds. */
  readonly by: number;
}

/** A fault and how often it has fired. */
export type FaultView = RequestFaultView | DeliveryFaultView;

/** An injected fault. */
export interface FaultHandle {
  readonly id: string;
  /** Removes the fault; it does not fire again. */
  readonly remove: () => void;
}

/** Fault injection for requests to the service and for webhook deliveries. */
export interface FaultControl {
  /**
   * Injects a fault. At most one fault fires per request or event: the oldest one that matches and is due. Throws
   * `SandboxError` for invalid options.
   *
   * @example
   * mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
   * mock.sandbox.faults.inject({ target: 'delivery', kind: 'duplicate' });
   */
  readonly inject: (fault: FaultOptions) => FaultHandle;
  /** Returns the request faults, then the delivery faults, each in injection order with at most 100 used-up ones. */
  readonly list: () => readonly FaultView[];
  /**
   * Removes a fault; it does not fire again.
   *
   * @throws {SandboxError} for an unknown id
   */
  readonly remove: (id: string) => void;
  /** Removes the faults of an account, or all faults. */
  readonly clear: (account?: AccountRef) => void;
}

/** The parts of a sandbox that fault injection uses. */
interface FaultParts {
  readonly state: State;
  readonly faults: Faults;
  readonly deliveryFaults: Faults<DeliveryFault>;
}

/** Creates the fault control of a sandbox. */
export function createFaultControl({ state, faults, deliveryFaults }: FaultParts): FaultControl {
  const remove = (id: string): void => {
    faults.remove(id);
    deliveryFaults.remove(id);
  };
  const list = (): FaultView[] => [
    ...faults.list().map((fault) => toFaultView('request', fault)),
    ...deliveryFaults.list().map((fault) => toFaultView('delivery', fault)),
  ];
  return {
    inject(options) {
      const checked = readFault(options);
      const { account: ref, ...given } = checked.terms;
      const terms = {
        times: given.probability === undefined ? 1 : ('unlimited' as const),
        after: 0,
        probability: 1,
        ...given,
        ...(ref !== undefined && { account: findAccount(state, ref) }),
      };
      const { id } =
        checked.target === 'request'
          ? faults.inject({ ...terms, fault: checked.fault })
          : deliveryFaults.inject({ ...terms, fault: checked.fault });
      return { id, remove: () => remove(id) };
    },
    list,
    remove(id) {
      if (!list().some((fault) => fault.id === id))
        throw new SandboxError('not_found', `There is no fault ${formatId(id)}.`);
      remove(id);
    },
    clear(ref) {
      const account = ref === undefined ? undefined : findAccount(state, ref);
      faults.clear(account);
      deliveryFaults.clear(account);
    },
  };
}

/** Converts a fault to its view, with null for each term that matches any value. */
function toFaultView(target: FaultView['target'], injected: InjectedFault): FaultView {
  const { id, fault, account, fired, ...given } = injected;
  const terms: Readonly<Record<string, unknown>> = { ...given, account: account?.id };
  const shown = Object.keys(faultTerms[target]).map((name) => [name, terms[name] ?? null]);
  return { id, target, ...fault, ...Object.fromEntries(shown), fired } as FaultView;
}
