import { type Mode, modes, type OperationId, operations } from '@service/contract';
import { type EventName, eventNames } from '../domain/payment.ts';
import { type DeliveryFault, type DeliveryFaultKind, type Fault, faultOptions } from '../domain/fault.ts';
import {
  type FaultOption,
  type FaultOptionTable,
  mergeOptions,
  oneOfOption,
  wholeNumberOption,
} from '../domain/fault-option.ts';
import type { Duration } from '../state/duration.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { AccountRef } from './locate.ts';
import { anything, optional, parseFields, type ValueFields } from './schema.ts';

/** The account and mode that a fault applies to. */
interface FaultAccount {
  /** @default any account */
  readonly account?: AccountRef;
  /** @default either mode */
  readonly mode?: Mode;
}

/** The requests that a fault applies to, and when it fires. */
export interface FaultTerms extends FaultAccount {
  /** @default any operation */
  readonly operation?: OperationId;
  /**
   * The number of times that it fires.
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
export type RequestFaultOptions = Fault & FaultTerms & { readonly target?: 'request' };

/** Options of a fault that affects webhook deliveries. */
export interface DeliveryFaultOptions extends FaultAccount {
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
   * The number of events that it affects.
   *
   * @default 1
   */
  readonly times?: number | 'unlimited';
  /** @default any event */
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

const count = wholeNumberOption('a whole number of firings', 1, MAX_COUNT);
const times: FaultOption = {
  expected: `${count.expected}, or 'unlimited'`,
  parse: (value) => (value === 'unlimited' ? value : count.parse(value)),
  json: {
    anyOf: [count.json, { type: 'string', enum: ['unlimited'] }],
    description: "a whole number, or 'unlimited'",
  },
};
const account: FaultOption = {
  expected: 'an account or its id',
  parse: (value) => value,
  json: { type: 'string', description: 'the id of an account' },
};
const mode = oneOfOption(modes);

/** The options of all kinds, by target: the requests or events of a fault, and when it fires. */
export const faultTerms: Readonly<Record<FaultTarget, FaultOptionTable>> = {
  request: {
    operation: oneOfOption(Object.keys(operations)),
    account,
    mode,
    times,
    after: wholeNumberOption('a whole number of requests that pass first', 0, MAX_COUNT),
    probability: {
      expected: 'a number from 0 to 1',
      parse: (value) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined),
      json: { type: 'number', minimum: 0, maximum: 1, description: 'a number from 0 to 1' },
    },
  },
  delivery: { account, mode, event: oneOfOption(eventNames), times },
};

/** Each option of a request fault, by name. */
export const requestFaultFields: FaultOptionTable = mergeOptions(Object.values(faultOptions.request));

/** Each option of `faults.inject` except the target and the kind, by name. */
export const faultFields: FaultOptionTable = {
  ...mergeOptions(Object.values(faultTerms)),
  ...requestFaultFields,
  ...mergeOptions(Object.values(faultOptions.delivery)),
};

/**
 * Checks the options of a fault.
 *
 * @throws {SandboxError} that names each invalid field and its allowed values
 */
export function readFault(options: FaultOptions): CheckedFault {
  const target = readTarget(options);
  const kind = readKind(target, options.kind);
  const own = faultOptions[target][kind] ?? {};
  const terms = faultTerms[target];
  const given = parseFields(`faults.inject of ${kind}`, options, {
    target: optional(anything),
    kind: anything,
    ...toFields(own),
    ...toFields(terms),
  });
  const pick = (table: FaultOptionTable): object =>
    Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(table, name)));
  const fault = { kind, ...(target === 'delivery' && { by: 0 }), ...pick(own) };
  return { target, fault, terms: pick(terms) } as CheckedFault;
}

function toFields(options: FaultOptionTable): ValueFields {
  const entries = Object.entries(options).map(([name, option]) => [
    name,
    option.isRequired ? option : optional(option),
  ]);
  return Object.fromEntries(entries) as ValueFields;
}

function readTarget(options: FaultOptions): FaultTarget {
  if (typeof options !== 'object' || options === null)
    throw new SandboxError(
      'invalid_argument',
      'faults.inject takes an object with target, kind and options.',
    );
  const { target = 'request' } = options;
  if (target === 'request' || target === 'delivery') return target;
  throw new SandboxError('invalid_argument', "faults.inject: target must be 'request' or 'delivery'.");
}

function readKind(target: FaultTarget, kind: unknown): string {
  const kinds = Object.keys(faultOptions[target]);
  const known = kinds.find((name) => name === kind);
  if (known !== undefined) return known;
  const message = `faults.inject: kind must be one of ${kinds.join(', ')} for the target ${target}.`;
  throw new SandboxError('invalid_argument', message);
}
