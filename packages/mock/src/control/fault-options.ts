import { errorTypes, type Mode, modes, type OperationId, operations } from '@service/contract';
import { type DeliveryFault, type DeliveryFaultKind, deliveryFaultKinds } from '../domain/delivery-fault.ts';
import { type EventName, eventNames } from '../domain/payment.ts';
import { type Fault, type FaultKind, faultKinds } from '../domain/fault.ts';
import { type Duration, isDuration, parseDuration } from '../state/duration.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { checkArguments } from './arguments.ts';
import type { AccountRef } from './locate.ts';

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
export type CheckedFault =
  | { readonly target: 'request'; readonly fault: Fault; readonly terms: FaultTerms }
  | {
      readonly target: 'delivery';
      readonly fault: DeliveryFault;
      readonly terms: Omit<DeliveryFaultOptions, 'target' | 'kind' | 'by'>;
    };

interface FieldRule {
  readonly allows: (value: unknown) => boolean;
  /** The expected value, as error messages name it. */
  readonly expected: string;
  readonly isRequired?: boolean;
}

type Rules = Readonly<Record<string, FieldRule>>;

const MAX_COUNT = 1_000_000;
const MAX_DELAY = 365 * 86_400_000;

const times: FieldRule = {
  allows: (value) => value === 'unlimited' || wholeNumber(1, MAX_COUNT).allows(value),
  expected: `${wholeNumber(1, MAX_COUNT).expected}, or 'unlimited'`,
};
const scope: Rules = {
  account: { allows: () => true, expected: 'an account or its id' },
  mode: oneOf(modes),
};

const requestTerms: Rules = {
  operation: oneOf(Object.keys(operations)),
  ...scope,
  times,
  after: wholeNumber(0, MAX_COUNT),
  probability: {
    allows: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    expected: 'a number from 0 to 1',
  },
};
const deliveryTerms: Rules = { ...scope, event: oneOf(eventNames), times };

const commit: FieldRule = { allows: (value) => typeof value === 'boolean', expected: 'true or false' };
const retryAfter = wholeNumber(0, MAX_COUNT);
const anyStatus = wholeNumber(200, 599);
const statusWithBody: FieldRule = {
  allows: (value) => anyStatus.allows(value) && ![204, 205, 304].includes(Number(value)),
  expected: `${anyStatus.expected} that has a body`,
};

const fieldsByKind: Readonly<Record<FaultKind | DeliveryFaultKind, Rules>> = {
  latency: { ms: { ...wholeNumber(0, 3_600_000), isRequired: true }, commit },
  status: {
    status: { ...wholeNumber(400, 599), isRequired: true },
    type: oneOf(errorTypes),
    retryAfter,
    commit,
  },
  rate_limit: { retryAfter, commit },
  html: { status: statusWithBody, commit },
  empty: { status: anyStatus, commit },
  wrong_content_type: { commit },
  truncated: { commit },
  stalled: { commit },
  reset_before_commit: {},
  reset_after_commit: {},
  garbage: { commit },
  duplicate: {},
  reorder: {},
  drop: {},
  delay: { by: { allows: isDelay, expected: "a duration from '1ms' to '365d'", isRequired: true } },
  tamper: {},
  wrong_secret: {},
};

/**
 * Checks the options of a fault.
 *
 * @throws {SandboxError} that names each invalid field and its allowed values
 */
export function readFault(options: FaultOptions): CheckedFault {
  const target = readTarget(options);
  const isDelivery = target === 'delivery';
  const kind = readKind(target, options.kind, isDelivery ? deliveryFaultKinds : faultKinds);
  const [own, terms] = [fieldsByKind[kind], isDelivery ? deliveryTerms : requestTerms];
  const known = ['target', 'kind', ...Object.keys(own), ...Object.keys(terms)];
  checkArguments(`faults.inject of ${kind}`, options, known);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  checkFields(kind, new Map<string, unknown>(given), { ...own, ...terms });
  const pick = (rules: Rules): object =>
    Object.fromEntries(given.filter(([name]) => Object.hasOwn(rules, name)));
  const { by = 0, ...fields } = pick(own) as { readonly by?: Duration };
  const fault = isDelivery ? { kind, by: parseDuration(by) } : { kind, ...fields };
  return { target, fault, terms: pick(terms) } as CheckedFault;
}

function readTarget(options: FaultOptions): 'request' | 'delivery' {
  if (typeof options !== 'object' || options === null)
    throw new SandboxError(
      'invalid_argument',
      'faults.inject takes an object with target, kind and options.',
    );
  const { target = 'request' } = options;
  if (target === 'request' || target === 'delivery') return target;
  throw new SandboxError('invalid_argument', "faults.inject: target must be 'request' or 'delivery'.");
}

function readKind<Kind extends string>(target: string, kind: unknown, kinds: readonly Kind[]): Kind {
  const known = kinds.find((name) => name === kind);
  if (known !== undefined) return known;
  const message = `faults.inject: kind must be one of ${kinds.join(', ')} for the target ${target}.`;
  throw new SandboxError('invalid_argument', message);
}

function checkFields(kind: string, fields: ReadonlyMap<string, unknown>, rules: Rules): void {
  const problems = Object.entries(rules).flatMap(([name, { allows, expected, isRequired }]) => {
    if (!fields.has(name)) return isRequired ? [`${name} is required and must be ${expected}`] : [];
    const value = fields.get(name);
    return allows(value) ? [] : [`${name} must be ${expected}, not ${formatValue(value)}`];
  });
  if (problems.length === 0) return;
  throw new SandboxError('invalid_argument', `faults.inject of ${kind}: ${problems.join('; ')}.`);
}

function isDelay(value: unknown): boolean {
  if (!isDuration(value)) return false;
  const delay = parseDuration(value);
  return delay >= 1 && delay <= MAX_DELAY;
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function oneOf(allowed: readonly string[]): FieldRule {
  return {
    allows: (value) => allowed.some((each) => each === value),
    expected: `one of ${allowed.join(', ')}`,
  };
}

function wholeNumber(least: number, most: number): FieldRule {
  return {
    allows: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    expected: `a whole number from ${least} to ${most}`,
  };
}
