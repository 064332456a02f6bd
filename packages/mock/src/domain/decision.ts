import type { Currency, Mode } from '@service/contract';
import type { ExtraStatus } from '@service/internal';
import { type ApiError, invalidFields } from './api-error.ts';
import { eventsOf, type NextTransition, type Order, type Payment, type PaymentEvent } from './payment.ts';
import type { Instant } from './json.ts';
import { type Entry, paymentEntries } from './ledger.ts';
import { debitAmount, type Market, type Minor, type Quote, quoteExchange } from './money.ts';
import { behaviors, drawStatusDuration, type PaymentPlan, planPayment } from './outcome.ts';
import type { Terms } from './profile.ts';
import type { Status, Transition } from './status.ts';

/** A change of the state of an account. It is committed as a whole or not at all. */
export interface Change {
  /** A new or changed payment. */
  readonly payment?: Payment;
  /** A currency to open a wallet for, if the account has none. */
  readonly opens?: Currency;
  readonly entries?: readonly Entry[];
}

/** The automatic transition of a payment to schedule. */
export interface TransitionTimer {
  readonly payment_id: string;
  readonly next: NextTransition;
}

/** The change of a payment, with the events to dispatch and the timers to schedule. */
export interface Decision {
  readonly change: Change & { readonly payment: Payment };
  readonly events: readonly PaymentEvent[];
  readonly timers: readonly TransitionTimer[];
}

/** The state that a new payment depends on. */
export interface CreateContext extends Market {
  /** The id of the payment. */
  readonly id: string;
  readonly mode: Mode;
  readonly terms: Terms;
  /** The balance of the wallet minus the pending debits of other payments. */
  readonly available: Minor;
  /** The index of the next row in the transaction history. */
  readonly nextRow: number;
}

/** The error of a rejected payment, with its quote. */
export interface Rejection {
  readonly error: ApiError;
  readonly quote: Quote;
  /** The available balance. */
  readonly available: Minor;
}

/**
 * Decides on a new payment. Rejects a payment that would pay out 0 and one that exceeds the available balance
 * (docs/contract.md#payments).
 */
export function decideCreate(order: Order, context: CreateContext): Decision | Rejection {
  const { id, mode, now, terms, available, nextRow } = context;
  const quote = quoteExchange(order, terms, context);
  if (quote.receive_amount === 0n) {
    const text = `is too small: the beneficiary would receive 0 ${order.to_currency}`;
    return { quote, available, error: invalidFields(new Map([['amount', { kind: 'other', text }]])) };
  }
  const plan = planPayment({ ...order, mode, terms });
  if (behaviors[plan.outcome].isRefused === true) {
    const message = 'The payment network is not available at present.';
    return { quote, available, error: { type: 'service_unavailable', message, refusal: 'unavailable' } };
  }
  if (debitAmount(quote, terms) > available) {
    const message = `The ${order.from_currency} balance is too low for this payment.`;
    return { quote, available, error: { type: 'insufficient_funds', message } };
  }
  const payment: Payment = {
    id,
    mode,
    status: 'pending',
    from_currency: order.from_currency,
    to_currency: order.to_currency,
    send_amount: order.send_amount,
    fee: quote.fee,
    rate: quote.rate,
    receive_amount: quote.receive_amount,
    beneficiary: order.beneficiary,
    purpose: order.purpose,
    history: { pending: now },
    terms,
    plan,
    debit_row: terms.debitAt.status === 'create' ? nextRow : null,
    next: planNext({ id, terms, plan }, 'pending', now),
  };
  return toDecision(payment, paymentEntries(payment));
}

interface TransitionRule {
  readonly from: Status;
  readonly transition: Transition;
  readonly to: Status;
  /** The terms under which the rule applies. Default: all. */
  readonly under?: (terms: Terms) => boolean;
}

const walks = ({ transitions }: Terms): boolean => transitions === 'walk';
const skips = ({ transitions }: Terms): boolean => transitions === 'skip';

/** All transitions between documented statuses (docs/contract.md#payments). */
const transitionRules: readonly TransitionRule[] = [
  { from: 'pending', transition: 'process', to: 'processing', under: walks },
  { from: 'pending', transition: 'complete', to: 'completed', under: skips },
  { from: 'processing', transition: 'complete', to: 'completed' },
  { from: 'pending', transition: 'fail', to: 'failed' },
  { from: 'processing', transition: 'fail', to: 'failed' },
  { from: 'completed', transition: 'return', to: 'failed' },
];

/** Returns the transition to the next status that is not a failure, or undefined without one. */
export function nextTransition(payment: Payment): Transition | undefined {
  if (nextReview(payment.plan, payment.status) !== undefined) return 'review';
  return findRule(payment, ({ to }) => to !== 'failed')?.transition;
}

/** Returns whether a transition is the next one of a payment that succeeds. Extra statuses come before it. */
function isForward(transition: Transition | undefined): boolean {
  return transition === 'process' || transition === 'complete';
}

/** Returns the status after a transition, or undefined if the status of the payment does not allow it. */
function findTarget(payment: Payment, transition: Transition): Status | undefined {
  const extra = nextReview(payment.plan, payment.status)?.status;
  if (transition === 'review') return extra;
  if (extra !== undefined && isForward(transition)) return undefined;
  return findRule(payment, (row) => row.transition === transition)?.to;
}

/** The state that a transition depends on. */
export interface TransitionContext {
  readonly now: Instant;
  /** The balance of the wallet that the payment debits. */
  readonly balance: Minor;
  /** The index of the next row in the transaction history. */
  readonly nextRow: number;
}

/**
 * Decides on a transition of a payment. Returns undefined if its status does not allow it. If the wallet
 * cannot cover a late debit, the payment fails instead.
 */
export function decideTransition(
  payment: Payment,
  transition: Transition,
  context: TransitionContext,
): Decision | undefined {
  const status = findTarget(payment, transition);
  if (status === undefined) return undefined;
  const { now, balance, nextRow } = context;
  const history = { ...payment.history, [status]: now };
  const changed = { ...payment, status, history, next: planNext(payment, status, now) };
  const entries = paymentEntries(changed);
  const isDebited = payment.debit_row === null && entries.length > 0;
  if (isDebited && debitAmount(payment, payment.terms) > balance)
    return decideTransition(payment, 'fail', context);
  return toDecision(
    isDebited ? { ...changed, debit_row: nextRow } : changed,
    entries.slice(paymentEntries(payment).length),
  );
}

function findRule(payment: Payment, matches: (row: TransitionRule) => boolean): TransitionRule | undefined {
  const stage = stageOf(payment.plan, payment.status);
  return transitionRules.find(
    (row) => row.from === stage && matches(row) && (row.under === undefined || row.under(payment.terms)),
  );
}

/** Returns the documented status of a payment: that before an added status. */
function stageOf({ reviews }: PaymentPlan, status: Status): Status {
  return reviews.find((review) => review.status === status)?.after ?? status;
}

/** Returns the added status that follows a status before the next documented one. */
function nextReview(plan: PaymentPlan, status: Status): ExtraStatus | undefined {
  const stage = stageOf(plan, status);
  const place = plan.reviews.filter(({ after }) => after === stage);
  return place[place.findIndex((review) => review.status === status) + 1];
}

/** Plans the next transition of a payment that has had `status` since `since`. Returns null without one. */
function planNext(
  payment: Pick<Payment, 'id' | 'terms' | 'plan'>,
  status: Status,
  since: Instant,
): NextTransition | null {
  const { terms, plan: own } = payment;
  const { plan, isInstant } = behaviors[own.outcome];
  const stage = stageOf(own, status);
  const skipped = skips(terms) && stage === 'pending' && plan.pending === 'process';
  const transition = plan[skipped ? 'processing' : stage];
  if (transition === undefined) return null;
  const extra = own.reviews.find((each) => each.status === status);
  const passed = skipped && extra === undefined ? ['pending', 'processing'] : [status];
  const durations = passed.map((each) => (isInstant ? 0 : drawStatusDuration(payment, each, extra)));
  const isReviewed = isForward(transition) && nextReview(own, status) !== undefined;
  return {
    transition: isReviewed ? 'review' : transition,
    at: since + durations.reduce((sum, duration) => sum + duration),
  };
}

function toDecision(payment: Payment, entries: readonly Entry[]): Decision {
  return {
    change: { payment, entries },
    events: eventsOf(payment).slice(-1),
    timers: timersOf(payment),
  };
}

/** Returns the timer of the next automatic transition of a payment, if it has one. */
export function timersOf({ id, next }: Payment): TransitionTimer[] {
  return next === null ? [] : [{ payment_id: id, next }];
}
