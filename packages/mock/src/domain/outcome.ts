import {
  type AmountCondition,
  type Duration,
  type DurationRange,
  type ExtraStatus,
  type SimulatedOutcome,
  type PaymentCondition,
  type StatusDurations,
  outcomes,
  type TextCondition,
  toMagicValue,
  toMilliseconds,
} from '@service/internal';
import type { DeliveryFault, Fault } from './fault.ts';
import { type Minor, parseDecimal } from './money.ts';
import type { Instant } from './json.ts';
import type { NextTransition, Payment, Status, Transition } from './payment.ts';
import { defaultProfile } from './profile.ts';
import { createDraw } from './ids.ts';

/** The values of `beneficiary_account` that select an outcome by default. */
export const magicValues: readonly `SIM-${string}`[] = outcomes.map(toMagicValue);

/** The next automatic transition of each documented status. */
type Plan = Partial<Record<Status, Transition>>;

/** The behavior of a payment. */
export interface Behavior {
  /** @default to `processing`, then to `completed` */
  readonly plan?: Plan;
  /** Whether all transitions follow immediately. */
  readonly isInstant?: boolean;
  /** The fault of the response to its create. The payment exists. */
  readonly requestFault?: Fault;
  /** The fault of its events, or of the one with a status. */
  readonly deliveryFault?: { readonly fault: DeliveryFault; readonly status?: Status };
  /** Whether its create is refused. */
  readonly isRefused?: boolean;
  /** Whether its first event is sent before the response to its create. */
  readonly isEventFirst?: boolean;
}

const defaultPlan: Plan = { pending: 'process', processing: 'complete' };

/** The behavior of each outcome. */
export const behaviors: Readonly<Record<SimulatedOutcome, Behavior>> = {
  ok: {},
  fail: { plan: { pending: 'process', processing: 'fail' } },
  fail_early: { plan: { pending: 'fail' } },
  return: { plan: { ...defaultPlan, completed: 'return' } },
  stuck: { plan: { pending: 'process' } },
  pending: { plan: {} },
  instant: { isInstant: true },
  hook_first: { isEventFirst: true },
  hook_dup: { deliveryFault: { fault: { kind: 'duplicate', by: 0 } } },
  hook_shuffle: { deliveryFault: { fault: { kind: 'reorder', by: 0 }, status: 'processing' } },
  '500': { requestFault: { kind: 'status', status: 500 } },
  drop: { requestFault: { kind: 'reset_after_commit' } },
  unavailable: { isRefused: true },
};

/** The outcome and the added statuses of a payment, stored at its create. */
export interface PaymentPlan {
  /** The outcome by the first rule of the profile that matches. `ok` without one, and in live mode. */
  readonly outcome: SimulatedOutcome;
  /** Its statuses that the document does not have, in order. */
  readonly reviews: readonly ExtraStatus[];
}

/** Returns the outcome and the added statuses of a new payment. Outcomes apply in test mode only. */
export function planPayment(payment: Pick<Payment, 'mode' | 'terms'> & Matched): PaymentPlan {
  const { mode, terms } = payment;
  const rules = mode === 'test' ? terms.outcomes : [];
  const { outcome = 'ok' } = rules.find((each) => matchesCondition(payment, each)) ?? {};
  const reviews = terms.extraStatuses.filter((each) => matchesCondition(payment, each));
  return reviews.length > 0 ? { outcome, reviews } : simplePlans[outcome];
}

/** The plans without added statuses, which many payments share. */
const simplePlans = Object.fromEntries(
  outcomes.map((outcome) => [outcome, { outcome, reviews: [] }]),
) as unknown as Readonly<Record<SimulatedOutcome, PaymentPlan>>;

/** The parts of a payment that conditions are about. */
type Matched = Pick<Payment, 'beneficiary' | 'send_amount'>;

/** Returns whether a payment matches all parts of a condition. */
function matchesCondition(
  { beneficiary, send_amount }: Matched,
  { account, name, amount }: PaymentCondition,
): boolean {
  return (
    (account === undefined || matchesText(beneficiary.account ?? '', account)) &&
    (name === undefined || matchesText(beneficiary.name, name)) &&
    (amount === undefined || matchesAmount(send_amount, amount))
  );
}

function matchesText(text: string, { equals = text, prefix = '', suffix = '' }: TextCondition): boolean {
  return text === equals && text.startsWith(prefix) && text.endsWith(suffix);
}

function matchesAmount(amount: Minor, { equals, from, to, suffix = '' }: AmountCondition): boolean {
  const parseLimit = (text: string | undefined): Minor =>
    (text === undefined ? undefined : parseDecimal(text, 2)) ?? amount;
  const text = `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
  return (
    amount === parseLimit(equals) &&
    amount >= parseLimit(from) &&
    amount <= parseLimit(to) &&
    text.endsWith(suffix)
  );
}

/** Returns the time that a payment spends in a status, in milliseconds. */
function drawStatusDuration(
  { id, terms }: Pick<Payment, 'id' | 'terms'>,
  status: Status,
  { duration }: Partial<ExtraStatus> = {},
): number {
  // A profile can add a status with the name of a property of every object, such as `constructor`.
  const given = [terms.durations, defaultProfile.durations].find((each) => Object.hasOwn(each, status));
  const range = duration ?? given?.[status as keyof StatusDurations] ?? DEFAULT_DURATION;
  return drawDuration(range, () => createDraw(id, status)());
}

const DEFAULT_DURATION: Duration = '3s';

/** Returns the milliseconds of a duration. Draws a duration within limits. */
export function drawDuration(range: DurationRange, draw: () => number): number {
  if (!isRange(range)) return toMilliseconds(range);
  const [shortest, longest] = range.map(toMilliseconds) as [number, number];
  return shortest + Math.floor(draw() * (longest - shortest + 1));
}

function isRange(range: DurationRange): range is readonly [Duration, Duration] {
  return Array.isArray(range);
}

/** Returns whether a transition is the next one of a payment that succeeds. Extra statuses come before it. */
export function isForward(transition: Transition | undefined): boolean {
  return transition === 'process' || transition === 'complete';
}

/** Returns the documented status of a payment: that before an added status. */
export function stageOf({ reviews }: PaymentPlan, status: Status): Status {
  return reviews.find((review) => review.status === status)?.after ?? status;
}

/** Returns the added status that follows a status before the next documented one. */
export function nextReview(plan: PaymentPlan, status: Status): ExtraStatus | undefined {
  if (plan.reviews.length === 0) return undefined;
  const stage = stageOf(plan, status);
  const place = plan.reviews.filter(({ after }) => after === stage);
  return place[place.findIndex((review) => review.status === status) + 1];
}

/** Plans the next transition of a payment that has had `status` since `since`. Returns null without one. */
export function planNext(
  payment: Pick<Payment, 'id' | 'terms' | 'plan'>,
  status: Status,
  since: Instant,
): NextTransition | null {
  const { terms, plan: own } = payment;
  const { plan = defaultPlan, isInstant } = behaviors[own.outcome];
  const stage = stageOf(own, status);
  const skipped = terms.transitions === 'skip' && stage === 'pending' && plan.pending === 'process';
  const transition = plan[skipped ? 'processing' : stage];
  if (transition === undefined) return null;
  const extra = own.reviews.find((each) => each.status === status);
  const isReviewed = isForward(transition) && nextReview(own, status) !== undefined;
  let at = since;
  if (!isInstant) at += drawStatusDuration(payment, status, extra);
  if (!isInstant && skipped && extra === undefined) at += drawStatusDuration(payment, 'processing');
  return { transition: isReviewed ? 'review' : transition, at };
}
