import type { Instant } from './json.ts';
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

type Plan = Partial<Record<Status, Step>>;

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

/** The plans of magic values that differ from the default plan. */
const plans: ReadonlyMap<MagicValue | undefined, Plan> = new Map([
  ['SIM-FAIL', { pending: process, processing: { transition: 'fail', after: 3 * SECOND } }],
  ['SIM-FAIL-EARLY', { pending: { transition: 'fail', after: SECOND } }],
  ['SIM-RETURN', { ...defaultPlan, completed: { transition: 'return', after: 5 * SECOND } }],
  ['SIM-STUCK', { pending: process }],
  ['SIM-PENDING', {}],
  [
    'SIM-INSTANT',
    {
      pending: { transition: 'process', after: 0 },
      processing: { transition: 'complete', after: 0 },
      under_review: { transition: 'complete', after: 0 },
    },
  ],
] satisfies [MagicValue, Plan][]);

function isMagicValue(text: string): text is MagicValue {
  return magicValues.some((value) => value === text);
}

/** Returns the magic value of a payment. In live mode there are none. */
export function readMagic(mode: Mode, account: string | null): MagicValue | undefined {
  return mode === 'test' && account !== null && isMagicValue(account) ? account : undefined;
}

/** The next automatic transition and its time. */
export interface NextTransition {
  readonly transition: Transition;
  readonly at: Instant;
}

/** The inputs of a payment's plan. */
export interface PlanInput {
  readonly magic: MagicValue | undefined;
  readonly terms: Terms;
}

/** Plans the next transition of a payment that has had `status` since `since`. Returns null without one. */
export function planTransition(
  { magic, terms }: PlanInput,
  status: Status,
  since: Instant,
): NextTransition | null {
  const plan = plans.get(magic) ?? defaultPlan;
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
