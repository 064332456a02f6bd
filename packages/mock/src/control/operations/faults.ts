import { type Mode, modes, type OperationId } from '@service/contract';
import {
  type DeliveryFaultKind,
  deliveryFaultKinds,
  type Fault,
  faultKinds,
  faultOptions,
} from '../../domain/fault.ts';
import type { EventName } from '../../domain/payment.ts';
import {
  anyOf,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  whole,
} from '../../domain/schema.ts';
import type { Value, ValueFields } from '../../domain/value.ts';
import type { FaultSchedule, InjectedFault } from '../../state/faults.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import {
  faultFields,
  type FaultOptions,
  faultTerms,
  readFault,
  requestFaultFields,
  timing,
} from '../fault-options.ts';
import { anyAccount, event, operation, reference } from '../fields.ts';
import { type AccountRef, findAccount, findAccountId, formatId } from '../locate.ts';
import {
  convertBody,
  defineOperation,
  type Group,
  type Routes,
  type SandboxParts,
  type Variant,
} from '../operation.ts';

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

const injectFields: ValueFields = {
  kind: oneOf([...faultKinds, ...deliveryFaultKinds]),
  target: optional(oneOf(['request', 'delivery'])),
  ...faultFields,
};

/* @__NO_SIDE_EFFECTS__ */
function describeFault(): Value<FaultView> {
  const { times, after, probability } = timing;
  const status = {
    id: text(),
    account: nullable(text()),
    mode: nullable(oneOf(modes)),
    times,
    fired: whole(),
  };
  const requestFault = object<RequestFaultView>({
    ...status,
    ...requestFaultFields,
    target: oneOf(['request']),
    kind: oneOf(faultKinds),
    operation: nullable(operation),
    after,
    probability,
  });
  const deliveryFault = object<DeliveryFaultView>({
    ...status,
    target: oneOf(['delivery']),
    kind: oneOf(deliveryFaultKinds),
    event: nullable(event),
    by: number('milliseconds'),
  });
  const faultView = anyOf(requestFault, deliveryFault);
  return { ...faultView, json: { title: 'Fault', ...faultView.json } };
}

const faultView = describeFault();

/** Operations on injected faults. */
export const faults: Group<FaultControl> = {
  inject: defineOperation({
    input: injectFields,
    run: (parts, input) => injectFault(parts, input as unknown as FaultOptions),
    // In process the options of each kind have their own types.
    createCall: (parts) => (options: FaultOptions) => injectFault(parts, options),
  }),
  list: defineOperation({
    input: { account: anyAccount },
    args: ['account'],
    run: (parts, { account }) => listFaults(parts, findAccountId(parts.state, account)),
  }),
  remove: defineOperation({
    input: { fault: reference<string>('fault', 'flt_000001') },
    args: ['fault'],
    run(parts, { fault }) {
      checkFault(parts, fault);
      removeFault(parts, fault);
    },
  }),
  clear: defineOperation({
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

/** The routes of the operations on injected faults. */
export const faultRoutes: Routes<FaultControl> = {
  inject: {
    id: 'injectFault',
    method: 'POST',
    path: '/faults',
    status: 201,
    output: convertBody(object<{ readonly id: string }>({ id: text() }), ({ id }: FaultHandle) => ({ id })),
    variants: listVariants(),
    example: { kind: 'status', status: 503, operation: 'createPayment' },
  },
  list: {
    id: 'listFaults',
    method: 'GET',
    path: '/faults',
    output: convertBody(
      object<{ readonly faults: readonly FaultView[] }>({ faults: listOf(faultView) }),
      (list: readonly FaultView[]) => ({ faults: list }),
    ),
  },
  remove: {
    id: 'removeFault',
    method: 'DELETE',
    path: '/faults/{fault}',
    checkOwner: (parts, { fault }, account) => checkFault(parts, String(fault), account),
  },
  clear: {
    id: 'clearFaults',
    method: 'DELETE',
    path: '/faults',
  },
};

function injectFault(parts: SandboxParts, options: FaultOptions): FaultHandle {
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

function removeFault({ faults: requestFaults, deliveries }: SandboxParts, id: string): void {
  requestFaults.remove(id);
  deliveries.faults.remove(id);
}

/** @throws {SandboxError} when the fault does not exist, or is not one of the account */
function checkFault(parts: SandboxParts, id: string, account?: string): void {
  if (!listFaults(parts, account).some((fault) => fault.id === id))
    throw new SandboxError('not_found', `There is no fault ${formatId(id)}.`);
}

function listFaults({ faults: requestFaults, deliveries }: SandboxParts, account?: string): FaultView[] {
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
