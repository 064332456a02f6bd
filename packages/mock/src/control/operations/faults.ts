import type { Mode, OperationId } from '@service/contract';
import { type DeliveryFaultKind, type Fault, faultOptions } from '../../domain/fault.ts';
import type { EventName } from '../../domain/payment.ts';
import type { FaultSchedule, InjectedFault } from '../../state/faults.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import type { Context } from '../context.ts';
import { faultFields, type FaultOptions, faultTerms, readFault } from '../fault-options.ts';
import { anyAccount, reference } from '../fields.ts';
import { type AccountRef, findAccount, findAccountId, formatId } from '../locate.ts';
import { operation, type Operations, type Variant } from '../operation.ts';

/** The account and mode of a fault, and how often it has fired. */
interface FaultStatus {
  /** The id (`flt_…`), which a logged request shows in `fault.id`. */
  readonly id: string;
  /** The id of an account, or null for any account. */
  readonly account: string | null;
  /** A mode, or null for either mode. */
  readonly mode: Mode | null;
  /** The number of times that it has fired. */
  readonly fired: number;
}

/** A fault that affects requests to the service. */
export type RequestFaultView = Fault &
  FaultSchedule &
  FaultStatus & {
    /** A fault of requests to the service. */
    readonly target: 'request';
    /** An operation, or null for any operation. */
    readonly operation: OperationId | null;
  };

/** A fault that affects webhook deliveries. */
export interface DeliveryFaultView extends FaultStatus {
  /** A fault of webhook deliveries. */
  readonly target: 'delivery';
  /** The effect on the first attempt of an event. */
  readonly kind: DeliveryFaultKind;
  /** An event, or null for any event. */
  readonly event: EventName | null;
  /** The number of events that it affects. */
  readonly times: number | 'unlimited';
  /** The length of a `delay`, in milliseconds of the sandbox clock; 0 for other kinds. */
  readonly by: number;
}

/** A fault and how often it has fired. */
export type FaultView = RequestFaultView | DeliveryFaultView;

/** An injected fault. */
export interface FaultHandle {
  /** The id (`flt_…`), which a logged request shows in `fault.id`. */
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
  /**
   * Returns the faults of an account, or all faults: the request faults, then the delivery faults, each in injection
   * order with at most 100 used-up ones per account.
   */
  readonly list: (account?: AccountRef) => readonly FaultView[];
  /**
   * Removes a fault; it does not fire again.
   *
   * @throws {SandboxError} for an unknown id
   */
  readonly remove: (id: string) => void;
  /** Removes the faults of an account, or all faults. */
  readonly clear: (account?: AccountRef) => void;
}

/** Operations on injected faults. */
export const faults: Operations<FaultControl> = {
  inject: operation({
    id: 'injectFault',
    method: 'POST',
    path: '/faults',
    status: 201,
    variants: listVariants(),
    example: { kind: 'status', status: 503, operation: 'createPayment' },
    input: faultFields,
    // The options of each kind have their own types.
    isChecked: true,
    run: (context, input) => injectFault(context, input as object as FaultOptions),
    toBody: ({ id }) => ({ id }),
  }),
  list: operation({
    id: 'listFaults',
    method: 'GET',
    path: '/faults',
    input: { account: anyAccount },
    args: ['account'],
    run: (context, { account }): readonly FaultView[] =>
      listFaults(context, findAccountId(context.state, account)),
    toBody: (list) => ({ faults: list }),
  }),
  remove: operation({
    id: 'removeFault',
    method: 'DELETE',
    path: '/faults/{fault}',
    checkOwner: (context, { fault }, account) => checkFault(context, String(fault), account),
    input: { fault: reference('fault', 'flt_000001') },
    args: ['fault'],
    run(context, { fault }) {
      checkFault(context, fault);
      removeFault(context, fault);
    },
  }),
  clear: operation({
    id: 'clearFaults',
    method: 'DELETE',
    path: '/faults',
    input: { account: anyAccount },
    args: ['account'],
    run({ state, faults: requestFaults, deliveries }, { account: id }) {
      const account = findAccountId(state, id);
      requestFaults.clear(account);
      deliveries.faults.clear(account);
    },
  }),
};

/** The forms of a fault: one for each kind, with its options. The target of a request fault can be left out. */
/* @__NO_SIDE_EFFECTS__ */
function listVariants(): readonly Variant[] {
  return (['request', 'delivery'] as const).flatMap((target) =>
    Object.entries(faultOptions[target]).map(([kind, options]) => ({
      constants: { kind, target },
      required: target === 'request' ? ['kind'] : ['kind', 'target'],
      fields: { ...options, ...faultTerms[target] },
    })),
  );
}

function injectFault(parts: Context, options: FaultOptions): FaultHandle {
  const { state, faults: requestFaults, deliveries } = parts;
  const { target, fault, terms } = readFault(options);
  const { account: ref, ...given } = terms;
  const schedule = {
    times: given.probability === undefined ? 1 : ('unlimited' as const),
    after: 0,
    probability: 1,
    ...given,
    ...(ref !== undefined && { account: findAccount(state, ref).id }),
  };
  const { id } =
    target === 'request'
      ? requestFaults.inject({ ...schedule, fault })
      : deliveries.faults.inject({ ...schedule, fault });
  return { id, remove: () => removeFault(parts, id) };
}

function removeFault({ faults: requestFaults, deliveries }: Context, id: string): void {
  requestFaults.remove(id);
  deliveries.faults.remove(id);
}

/** @throws {SandboxError} when the fault does not exist, or is not one of the account */
function checkFault(parts: Context, id: string, account?: string): void {
  if (!listFaults(parts, account).some((fault) => fault.id === id))
    throw new SandboxError('not_found', `There is no fault ${formatId(id)}.`);
}

function listFaults({ faults: requestFaults, deliveries }: Context, account?: string): FaultView[] {
  return [
    ...requestFaults.list(account).map((fault) => toFaultView('request', fault)),
    ...deliveries.faults.list(account).map((fault) => toFaultView('delivery', fault)),
  ];
}

/** Converts a fault to its view, with null for each term that matches any value. */
function toFaultView(target: FaultView['target'], injected: InjectedFault): FaultView {
  const { id, fault, fired, ...given } = injected;
  const terms: Readonly<Record<string, unknown>> = { ...given };
  const shown = Object.keys(faultTerms[target]).map((name) => [name, terms[name] ?? null]);
  return { id, target, ...fault, ...Object.fromEntries(shown), fired } as FaultView;
}
