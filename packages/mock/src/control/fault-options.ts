import type { Mode, OperationId } from '@service/contract';
import { isRecord } from '@service/internal';
import {
  type DeliveryFault,
  type DeliveryFaultKind,
  deliveryFaultKinds,
  type Fault,
  faultKinds,
  faultOptions,
} from '../domain/fault.ts';
import type { EventName } from '../domain/payment.ts';
import {
  annotate,
  anyOf,
  anything,
  type Duration,
  type Fields,
  number,
  oneOf,
  optional,
  registeredJson,
  type Schema,
  strict,
  unwrap,
  whole,
} from '../domain/schema.ts';
import { anyAccount, event, mode, operationId } from './fields.ts';
import type { AccountRef } from './locate.ts';
import { parseInput } from './operation.ts';

/** The account and mode that a fault applies to. */
interface FaultAccount {
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
  readonly mode?: Mode;
}

/** The requests that a fault applies to, and when it fires. */
export interface FaultTerms extends FaultAccount {
  /**
   * The operation that the fault affects, such as `'createPayment'`.
   *
   * @default any operation
   */
  readonly operation?: OperationId;
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
}

/** Options of a fault that affects requests to the service. */
export type RequestFaultOptions = Fault &
  FaultTerms & {
    /**
     * Whether the fault affects requests to the service or webhook deliveries.
     *
     * @default 'request'
     */
    readonly target?: 'request';
  };

/** Options of a fault that affects webhook deliveries. */
export interface DeliveryFaultOptions extends FaultAccount {
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
  readonly kind: DeliveryFaultKind;
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
  readonly event?: EventName;
  /** The length of a `delay`, from `'1ms'` to `'365d'`. Required for `delay`; not allowed for other kinds. */
  readonly by?: Duration;
}

/** Options of a fault: its target, its kind, its scope and when it fires. */
export type FaultOptions = RequestFaultOptions | DeliveryFaultOptions;

/** The checked options of a fault. */
export type CheckedFault = (
  | { readonly target: 'request'; readonly fault: Fault }
  | { readonly target: 'delivery'; readonly fault: DeliveryFault }
) & { readonly terms: FaultTerms & Pick<DeliveryFaultOptions, 'event'> };

type FaultTarget = keyof typeof faultOptions;

const MAX_COUNT = 1_000_000;

const times = optional(anyOf(whole(1, MAX_COUNT), oneOf(['unlimited'])));

/** The options of all kinds, by target: the requests or events of a fault, and when it fires. */
export const faultTerms: Readonly<Record<FaultTarget, Fields>> = {
  request: {
    operation: optional(operationId),
    account: anyAccount,
    mode,
    times,
    after: optional(whole(0, MAX_COUNT)),
    probability: optional(number('a number from 0 to 1', { maximum: 1 })),
  },
  delivery: { account: anyAccount, mode, event: optional(event), times },
};

/** Each option of `faults.inject`, by name. */
export const faultFields: Fields = {
  kind: oneOf([...faultKinds, ...deliveryFaultKinds]),
  target: optional(oneOf(['request', 'delivery'])),
  ...mergeFields(Object.values(faultTerms)),
  ...mergeFields(Object.values(faultOptions).flatMap((kinds) => Object.values(kinds))),
};

/** Merges the options of several kinds. An option that differs by kind accepts the values of each kind. */
/* @__NO_SIDE_EFFECTS__ */
function mergeFields(tables: readonly Fields[]): Fields {
  const names = new Set(tables.flatMap((table) => Object.keys(table)));
  const merge = (name: string): Schema => {
    const all = tables.flatMap((table) => table[name] ?? []).map(unwrap);
    const [first = anything, ...others] = new Set(all);
    if (others.length === 0) return optional(first);
    return optional(annotate(anyOf(first, ...others), { description: registeredJson(first)['description'] }));
  };
  return Object.fromEntries([...names].map((name) => [name, merge(name)]));
}

/**
 * Checks the options of a fault.
 *
 * @throws {SandboxError} that names each invalid field and its allowed values
 */
export function readFault(options: FaultOptions): CheckedFault {
  const call = 'faults.inject';
  const asked = isRecord(options) ? { kind: options.kind, target: options.target } : options;
  const { target = 'request' } = parseInput(
    call,
    asked,
    strict({ kind: optional(anything), target: optional(oneOf(['request', 'delivery'])) }),
  );
  const kinds = Object.keys(faultOptions[target]);
  const { kind } = parseInput(call, { kind: options.kind }, strict({ kind: oneOf(kinds) }));
  const own = faultOptions[target][kind] ?? {};
  const fields = strict({ target: optional(anything), kind: anything, ...own, ...faultTerms[target] });
  const given = parseInput(`${call} of ${kind}`, options, fields);
  const pick = (table: Fields): object =>
    Object.fromEntries(
      Object.entries(given).filter(([name, value]) => value !== undefined && Object.hasOwn(table, name)),
    );
  const fault = { kind, ...(target === 'delivery' && { by: 0 }), ...pick(own) };
  return { target, fault, terms: pick(faultTerms[target]) } as CheckedFault;
}
