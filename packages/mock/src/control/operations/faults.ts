import { isRecord } from '@service/internal';
import { type Context, operation, type Operations, parseInput } from '../operation.ts';
import { anyAccount, event, mode, operationId, reference } from '../fields.ts';
import { type AccountRef, findAccountId, formatId } from '../locate.ts';
import type { RequestView } from './requests.ts';
import {
  type DeliveryFault,
  deliveryFaultKinds,
  type Fault,
  faultKinds,
  faultOptions,
} from '../../domain/fault.ts';
import type { Status } from '../../domain/payment.ts';
import * as s from '../../domain/schema.ts';
import type { Faults, FaultSchedule, InjectedFault } from '../../state/faults.ts';
import { SandboxError } from '../../state/sandbox-error.ts';

/** Options of a fault that affects requests to the service: its kind, its scope and when it fires. */
export type RequestFaultOptions = Fault & {
  /**
   * Whether the fault affects requests to the service or webhook deliveries.
   *
   * @default 'request'
   */
  readonly target?: 'request';
  /**
   * The account whose requests or events the fault affects.
   *
   * @default any account
   */
  readonly account?: AccountRef;
  /**
   * The mode whose requests or events the fault affects.
   *
   * @default either mode
   */
  readonly mode?: 'test' | 'live';
  /**
   * The operation that the fault affects, such as `'createPayment'`.
   *
   * @default any operation
   */
  readonly operation?: NonNullable<RequestView['operation']>;
  /**
   * The number of requests or events that it affects.
   *
   * @default 1; 'unlimited' with a probability
   */
  readonly times?: number | 'unlimited';
  /**
   * The number of matching requests that pass before it can fire.
   *
   * @default 0
   */
  readonly after?: number;
  /**
   * The probability that it fires at a request, from 0 to 1. The seed of the mock decides at which ones.
   *
   * @default 1
   */
  readonly probability?: number;
};

/** Options of a fault that affects webhook deliveries. */
export interface DeliveryFaultOptions extends Pick<RequestFaultOptions, 'account' | 'mode'> {
  /** Whether the fault affects requests to the service or webhook deliveries. */
  readonly target: 'delivery';
  /**
   * The fault of the first attempt of an event. Later attempts are not affected.
   *
   * - `duplicate`: sends a second delivery of the same event at the same time.
   * - `reorder`: sends the event immediately after the next event of its payment. Until then the delivery is not due, and
   *   `idle()` does not wait for it. The last event of a payment is never reordered.
   * - `drop`: does not send the event. The attempt counts as failed, and the first retry follows on the schedule.
   * - `delay`: sends the event `by` later on the sandbox clock. Later events do not wait for it.
   * - `tamper`: changes the last digit of the body after signing.
   * - `wrong_secret`: signs with another secret.
   */
  readonly kind: (typeof deliveryFaultKinds)[number];
  /**
   * The number of requests or events that it affects.
   *
   * @default 1
   */
  readonly times?: number | 'unlimited';
  /**
   * The event that the fault affects, such as `'payment.completed'`.
   *
   * @default any event
   */
  readonly event?: `payment.${Status}`;
  /**
   * The length of a `delay`, from `'1ms'` to `'365d'`.
   *
   * @default none. Required for `delay`, and not allowed for other kinds
   */
  readonly by?: s.Duration;
}

/** Options of a fault: its target, its kind, its scope and when it fires. */
export type FaultOptions = RequestFaultOptions | DeliveryFaultOptions;

/** The checked options of a fault. */
interface CheckedFault {
  readonly target: FaultTarget;
  readonly fault: Fault | DeliveryFault;
  readonly terms: Partial<FaultSchedule> & { readonly account?: string };
}

type FaultTarget = keyof typeof faultOptions;

const MAX_COUNT = 1_000_000;

const times = s.optional(s.anyOf([s.whole(1, MAX_COUNT), s.oneOf(['unlimited'])]));

/** The options of all kinds, by target: the requests or events of a fault, and when it fires. */
export const faultTerms: Readonly<Record<FaultTarget, s.Fields>> = {
  request: {
    operation: s.optional(operationId),
    account: anyAccount,
    mode,
    times,
    after: s.optional(s.whole(0, MAX_COUNT)),
    probability: s.optional(s.number('a number from 0 to 1', { maximum: 1 })),
  },
  delivery: { account: anyAccount, mode, event: s.optional(event), times },
};

const targets = s.optional(s.oneOf(['request', 'delivery']));

/** The options that decide which other ones a fault has. */
const choice = s.strict({ kind: s.optional(s.anything), target: targets });

/** Each option of `faults.inject`, by name. */
export const faultFields: s.Fields = {
  kind: s.oneOf([...faultKinds, ...deliveryFaultKinds]),
  target: targets,
  ...mergeFields(Object.values(faultTerms)),
  ...mergeFields(Object.values(faultOptions).flatMap((kinds) => Object.values(kinds))),
};

/** Merges the options of several kinds. `readFault` checks those of more than one. */
/* @__NO_SIDE_EFFECTS__ */
function mergeFields(tables: readonly s.Fields[]): s.Fields {
  const merged: Record<string, s.Schema> = {};
  for (const [name, schema] of tables.flatMap((table) => Object.entries(table))) {
    const own = schema.inner ?? schema;
    merged[name] = s.optional(name in merged ? { ...own, parse: s.anything.parse } : own);
  }
  return merged;
}

function pick(given: object, names: object): object {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && Object.hasOwn(names, name)),
  );
}

/**
 * Checks the options of a fault.
 *
 * @throws {SandboxError} that names each invalid field and its allowed values
 */
function readFault(options: FaultOptions): CheckedFault {
  const call = 'faults.inject';
  const asked = isRecord(options) ? pick(options, { kind: 0, target: 0 }) : options;
  const { target = 'request' } = parseInput(call, asked, choice);
  const kinds = s.oneOf(Object.keys(faultOptions[target]));
  const { kind } = parseInput(call, asked, s.strict({ kind: kinds, target: targets }));
  const own = faultOptions[target][kind] ?? {};
  const fields = { target: targets, kind: kinds, ...own, ...faultTerms[target] };
  const given = parseInput(`${call} of ${kind}`, options, s.strict(fields));
  const fault = { kind, ...(target === 'delivery' && { by: 0 }), ...pick(given, own) };
  return { target, fault, terms: pick(given, faultTerms[target]) } as CheckedFault;
}

/** A fault that affects requests to the service. */
export type RequestFaultView = Fault & {
  /** The number of times that it fires. */
  readonly times: number | 'unlimited';
  /** The number of matching requests that pass before it can fire. */
  readonly after: number;
  /** The probability that it fires at a later matching request, from 0 to 1. */
  readonly probability: number;
  /** The id (`flt_…`), which a logged request shows in `fault.id`. */
  readonly id: string;
  /** The id of an account, or null for any account. */
  readonly account: string | null;
  /** A mode, or null for either mode. */
  readonly mode: 'test' | 'live' | null;
  /** The number of times that it has fired. */
  readonly fired: number;
  /** A fault of requests to the service. */
  readonly target: 'request';
  /** An operation, or null for any operation. */
  readonly operation: RequestView['operation'];
};

/** A fault that affects webhook deliveries. */
export interface DeliveryFaultView extends Pick<RequestFaultView, 'id' | 'account' | 'mode' | 'fired'> {
  /** A fault of webhook deliveries. */
  readonly target: 'delivery';
  /** The effect on the first attempt of an event. */
  readonly kind: (typeof deliveryFaultKinds)[number];
  /** An event, or null for any event. */
  readonly event: `payment.${Status}` | null;
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
  /** @example { kind: 'status', status: 503, operation: 'createPayment' } */
  inject: operation('injectFault', 'POST /faults', {
    status: 201,
    input: faultFields,
    // The options of each kind have their own types.
    isChecked: true,
    run: (context, input) => injectFault(context, input as object as FaultOptions),
    toBody: ({ id }) => ({ id }),
  }),
  list: operation('listFaults', 'GET /faults', {
    input: { account: anyAccount },
    run: (context, { account }) => listFaults(context, findAccountId(context.state, account)),
    toBody: (list) => ({ faults: list }),
  }),
  remove: operation('removeFault', 'DELETE /faults/{fault}', {
    input: { fault: reference('fault', 'flt_000001') },
    run(context, { fault }) {
      checkFault(context, fault);
      removeFault(context, fault);
    },
  }),
  clear: operation('clearFaults', 'DELETE /faults', {
    input: { account: anyAccount },
    run({ state, faults: injected }, { account: id }) {
      const account = findAccountId(state, id);
      for (const each of Object.values(injected)) each.clear(account);
    },
  }),
};

function injectFault(parts: Context, options: FaultOptions): FaultHandle {
  const { target, fault, terms } = readFault(options);
  findAccountId(parts.state, terms.account);
  const schedule = {
    times: terms.probability === undefined ? 1 : ('unlimited' as const),
    after: 0,
    probability: 1,
    ...terms,
  };
  const { id } = (parts.faults[target] as Faults<typeof fault>).inject({ ...schedule, fault });
  return { id, remove: () => removeFault(parts, id) };
}

function removeFault({ faults: injected }: Context, id: string): void {
  for (const each of Object.values(injected)) each.remove(id);
}

/**
 * Checks that a fault exists.
 *
 * @throws {SandboxError} when it does not, or is not one of the account
 */
export function checkFault(parts: Context, id: string, account?: string): void {
  if (!listFaults(parts, account).some((fault) => fault.id === id))
    throw new SandboxError('not_found', `There is no fault ${formatId(id)}.`);
}

function listFaults({ faults: { request, delivery } }: Context, account?: string): FaultView[] {
  return [
    ...request.list(account).map((fault) => toFaultView('request', fault)),
    ...delivery.list(account).map((fault) => toFaultView('delivery', fault)),
  ];
}

/** Converts a fault to its view, with null for each term that matches any value. */
function toFaultView(target: FaultView['target'], injected: InjectedFault): FaultView {
  const { id, fault, fired, ...given } = injected;
  const terms: Readonly<Record<string, unknown>> = { ...given };
  const shown = Object.keys(faultTerms[target]).map((name) => [name, terms[name] ?? null]);
  return { id, target, ...fault, ...Object.fromEntries(shown), fired } as FaultView;
}
