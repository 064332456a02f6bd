import {
  type AmountCondition,
  type Duration,
  type DurationRange,
  type SimulatedOutcome,
  type PaymentCondition,
  outcomes,
  type TextCondition,
  toMagicValue,
  toMilliseconds,
} from '@service/internal';
import type { DeliveryFault, Fault } from './fault.ts';
import { type Minor, parseDecimal } from './money.ts';
import type { Instant } from './json.ts';
import type { NextTransition, Payment, Status, Transition } from './payment.ts';
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

/** Returns the outcome of a new payment. Outcomes apply in test mode only. */
export function chooseOutcome(payment: Pick<Payment, 'mode' | 'terms'> & Matched): SimulatedOutcome {
  const { mode, terms } = payment;
  const rules = mode === 'test' ? terms.outcomes : [];
  return rules.find((each) => matchesCondition(payment, each))?.outcome ?? 'ok';
}

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
function drawStatusDuration({ id, terms }: Pick<Payment, 'id' | 'terms'>, status: Status): number {
  const range = status === 'failed' ? 0 : terms.statuses[status];
  return drawDuration(range, () => createDraw(id, status)());
}

/** Returns the milliseconds of a duration. Draws a duration within limits. */
export function drawDuration(range: DurationRange, draw: () => number): number {
  if (!isRange(range)) return toMilliseconds(range);
  const [shortest, longest] = range.map(toMilliseconds) as [number, number];
  return shortest + Math.floor(draw() * (longest - shortest + 1));
}

function isRange(range: DurationRange): range is readonly [Duration, Duration] {
  return Array.isArray(range);
}

/** Plans the next transition of a payment that has had `status` since `since`. Returns null without one. */
export function planNext(
  payment: Pick<Payment, 'id' | 'terms' | 'outcome'>,
  status: Status,
  since: Instant,
): NextTransition | null {
  const { plan = defaultPlan, isInstant } = behaviors[payment.outcome];
  const isSkipped =
    payment.terms.statuses.path === 'skip' && status === 'pending' && plan.pending === 'process';
  const transition = plan[isSkipped ? 'processing' : status];
  if (transition === undefined) return null;
  if (isInstant) return { transition, at: since };
  const rest = isSkipped ? drawStatusDuration(payment, 'processing') : 0;
  return { transition, at: since + drawStatusDuration(payment, status) + rest };
}
