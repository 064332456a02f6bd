import type { Instant } from './json.ts';
import type { DeliveryFault, Fault } from './fault.ts';
import type { Mode } from '@service/contract';
import type { Terms } from './profile.ts';
import type { Status } from './status.ts';

/** The transitions between payment statuses. */
export const transitions = ['process', 'review', 'complete', 'fail', 'return'] as const;

/** A transition between payment statuses. */
export type Transition = (typeof transitions)[number];

/** An automatic transition and its delay after the last status change. */
interface Step {
  readonly transition: Transition;
  /** Delay in milliseconds; 0 for an immediate transition. */
  readonly after: number;
}

/** The next automatic transition of each status. */
export type Plan = Partial<Record<Status, Step>>;

const SECOND = 1000;
const process: Step = { transition: 'process', after: SECOND };
const complete: Step = { transition: 'complete', after: 3 * SECOND };
const defaultPlan: Plan = { pending: process, processing: complete, under_review: complete };

/** The values of `beneficiary_account` that select a behavior in test mode. */
export const magicValues = [
  'SIM-OK',
  'SIM-FAIL',
  'SIM-FAIL-EARLY',
  'SIM-RETURN',
  'SIM-STUCK',
  'SIM-PENDING',
  'SIM-INSTANT',
  'SIM-HOOK-FIRST',
  'SIM-HOOK-DUP',
  'SIM-HOOK-SHUFFLE',
  'SIM-500',
  'SIM-DROP',
] as const;

/** A value of `beneficiary_account` that selects a behavior in test mode. */
export type MagicValue = (typeof magicValues)[number];

/** The behavior that a beneficiary account selects for its payment. */
export interface Preset {
  readonly plan: Plan;
  /** The fault of the response to its create. The payment exists. */
  readonly requestFault?: Fault;
  /** The fault of its events, or of the one with a status. */
  readonly deliveryFault?: { readonly fault: DeliveryFault; readonly status?: Status };
  /** Whether its first event is sent before the response to its create. */
  readonly isEventFirst?: boolean;
}

/** The behavior of each magic value where it differs from the default. */
const presets: Readonly<Record<MagicValue, Partial<Preset>>> = {
  'SIM-OK': {},
  'SIM-FAIL': { plan: { pending: process, processing: { transition: 'fail', after: 3 * SECOND } } },
  'SIM-FAIL-EARLY': { plan: { pending: { transition: 'fail', after: SECOND } } },
  'SIM-RETURN': { plan: { ...defaultPlan, completed: { transition: 'return', after: 5 * SECOND } } },
  'SIM-STUCK': { plan: { pending: process } },
  'SIM-PENDING': { plan: {} },
  'SIM-INSTANT': {
    plan: {
      pending: { transition: 'process', after: 0 },
      processing: { transition: 'complete', after: 0 },
      under_review: { transition: 'complete', after: 0 },
    },
  },
  'SIM-HOOK-FIRST': { isEventFirst: true },
  'SIM-HOOK-DUP': { deliveryFault: { fault: { kind: 'duplicate', by: 0 } } },
  'SIM-HOOK-SHUFFLE': { deliveryFault: { fault: { kind: 'reorder', by: 0 }, status: 'processing' } },
  'SIM-500': { requestFault: { kind: 'status', status: 500 } },
  'SIM-DROP': { requestFault: { kind: 'reset_after_commit' } },
};

/** Returns the behavior of a payment. Live mode has no magic values. */
export function readPreset(mode: Mode, account: string | null): Preset {
  const isMagic = mode === 'test' && account !== null && Object.hasOwn(presets, account);
  return { plan: defaultPlan, ...(isMagic && presets[account as MagicValue]) };
}

/** The next automatic transition and its time. */
export interface NextTransition {
  readonly transition: Transition;
  readonly at: Instant;
}

/** The inputs of a payment's plan. */
export interface PlanInput {
  readonly plan: Plan;
  readonly terms: Terms;
}

/** Plans the next transition of a payment that has had `status` since `since`. Returns null without one. */
export function planTransition(
  { plan, terms }: PlanInput,
  status: Status,
  since: Instant,
): NextTransition | null {
  const step = terms.transitions === 'skip' && status === 'pending' ? skipAhead(plan) : plan[status];
  if (step === undefined) return null;
  const isReviewed =
    terms.unknownStatus === 'invented' && status === 'processing' && step.transition === 'complete';
  return { transition: isReviewed ? 'review' : step.transition, at: since + step.after };
}

/** Combines the steps from pending and from processing into one. */
function skipAhead({ pending, processing }: Plan): Step | undefined {
  if (pending?.transition !== 'process') return pending;
  return processing === undefined ? undefined : { ...processing, after: pending.after + processing.after };
}
