import { paymentEntries } from './payment-entries.ts';
import type { Change, View } from './change.ts';
import { eventsOf } from './event.ts';
import type { Payment } from './payment.ts';
import { type Transition, planTransition, readPreset } from './plan.ts';
import type { Terms } from './profile.ts';
import { debitAmount } from './quote.ts';
import type { Status } from './status.ts';

interface TransitionRule {
  readonly from: Status;
  readonly transition: Transition;
  readonly to: Status;
  /** The terms under which the rule applies. Default: all. */
  readonly under?: (terms: Terms) => boolean;
}

const walks = ({ transitions }: Terms): boolean => transitions === 'walk';
const skips = ({ transitions }: Terms): boolean => transitions === 'skip';
const isReviewed = ({ unknownStatus }: Terms): boolean => unknownStatus === 'invented';

/** All transitions between statuses (docs/contract.md#payments). */
const transitionRules: readonly TransitionRule[] = [
  { from: 'pending', transition: 'process', to: 'processing', under: walks },
  { from: 'pending', transition: 'complete', to: 'completed', under: skips },
  { from: 'processing', transition: 'review', to: 'under_review', under: isReviewed },
  { from: 'processing', transition: 'complete', to: 'completed', under: (terms) => !isReviewed(terms) },
  { from: 'under_review', transition: 'complete', to: 'completed' },
  { from: 'pending', transition: 'fail', to: 'failed' },
  { from: 'processing', transition: 'fail', to: 'failed' },
  { from: 'under_review', transition: 'fail', to: 'failed' },
  { from: 'completed', transition: 'return', to: 'failed' },
];

/** Returns the transition to the next status that is not a failure, or undefined without one. */
export function nextTransition(payment: Payment): Transition | undefined {
  return findRule(payment, ({ to }) => to !== 'failed')?.transition;
}

/**
 * Decides on a transition of a payment. Returns undefined if its status does not allow it. If the wallet
 * cannot cover a late debit, the payment fails instead.
 */
export function decideTransition(payment: Payment, transition: Transition, view: View): Change | undefined {
  const rule = findRule(payment, (row) => row.transition === transition);
  if (rule === undefined) return undefined;
  const changed = withStatus(payment, rule.to, view);
  const posted = paymentEntries(payment).length;
  const isDebited = payment.debit_row === null && paymentEntries(changed).length > 0;
  if (isDebited && debitAmount(payment, payment.terms) > view.balanceOf(payment.from_currency)) {
    return decideTransition(payment, 'fail', view);
  }
  return {
    payment: isDebited ? { ...changed, debit_row: view.nextRow() } : changed,
    entries: paymentEntries(changed).slice(posted),
    events: eventsOf(changed).slice(-1),
  };
}

function findRule(
  { status, terms }: Payment,
  matches: (row: TransitionRule) => boolean,
): TransitionRule | undefined {
  return transitionRules.find(
    (row) => row.from === status && matches(row) && (row.under === undefined || row.under(terms)),
  );
}

function withStatus(payment: Payment, status: Status, { now }: View): Payment {
  const { mode, beneficiary, history, terms } = payment;
  const { plan } = readPreset(mode, beneficiary.account);
  return {
    ...payment,
    status,
    history: { ...history, [status]: now },
    next: planTransition({ plan, terms }, status, now),
  };
}
