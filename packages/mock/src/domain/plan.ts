import type { Instant } from './timestamp.ts';
import type { Mode } from '@service/contract';
import type { Terms } from './profile.ts';
import type { Status } from './status.ts';

/** Lists the moves that take a payment from one status to the next (contract.md 3). */
export const transitions = ['process', 'review', 'complete', 'fail', 'return'] as const;

/** Names a move of a payment. */
export type Transition = (typeof transitions)[number];

/** Says which move a payment makes by itself, and how long after it took its present status. */
interface Step {
  readonly transition: Transition;
  /** In milliseconds; 0 follows at once. */
  readonly after: number;
}

type Plan = Partial<Record<Status, Step>>;

const SECOND = 1000;
const process: Step = { transition: 'process', after: SECOND };
const complete: Step = { transition: 'complete', after: 3 * SECOND };
const defaultPlan: Plan = { pending: process, processing: complete, under_review: complete };

/** Lists the values of `beneficiary_account` that steer a payment in test mode (contract.md 3). */
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

/** Names a value of `beneficiary_account` that steers a payment in test mode. */
export type MagicValue = (typeof magicValues)[number];

/** Holds the plans that differ from the ordinary one. */
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

/** Reads the magic value of a payment; in live mode it is ordinary text. */
export function readMagic(mode: Mode, account: string | null): MagicValue | undefined {
  return mode === 'test' && account !== null && isMagicValue(account) ? account : undefined;
}

/** Says which move is due for a payment, and when. */
export interface NextTransition {
  readonly transition: Transition;
  readonly at: Instant;
}

/** Says what the plan of a payment depends on. */
export interface PlanInput {
  readonly magic: MagicValue | undefined;
  readonly terms: Terms;
}

/** Plans the next move of a payment that took `status` at `since`, or null when it stays there. */
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

/** Joins the steps from pending and from processing into one. */
function skipAhead({ pending, processing }: Plan): Step | undefined {
  if (pending?.transition !== 'process') return pending;
  return processing === undefined ? undefined : { ...processing, after: pending.after + processing.after };
}
