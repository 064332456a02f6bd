import type { Currency, Mode } from '@service/contract';
import {
  type DurationRange,
  type SimulatedOutcome,
  outcomes,
  toMagicValue,
  toMilliseconds,
} from '@service/internal';
import { type ApiError, invalidFields } from './api-error.ts';
import { createDraw } from './ids.ts';
import type { NextTransition, Order, Payment, Status, Transition } from './payment.ts';
import type { DeliveryFault, Fault } from './fault.ts';
import { type Instant, toAmount } from './json.ts';
import { type Entry, paymentEntries } from './ledger.ts';
import { type Minor, quoteExchange } from './money.ts';
import type { Terms } from './profile.ts';

/** A change of the state of an account. It is committed as a whole or not at all. */
export interface Change {
  /** A new or changed payment. */
  readonly payment?: Payment;
  /** A currency to open a wallet for, if the account has none. */
  readonly opens?: Currency;
  readonly entries?: readonly Entry[];
}

/** The change of the status of a payment. The new status is an event. */
export interface PaymentChange extends Change {
  readonly payment: Payment;
}

/** The state that a new payment depends on. */
export interface CreateContext {
  readonly now: Instant;
  /** The id of the payment. */
  readonly id: string;
  readonly mode: Mode;
  readonly terms: Terms;
  /** The balance of the wallet minus the pending debits of other payments. */
  readonly available: Minor;
  /** The index of the next row in the transaction history. */
  readonly nextRow: number;
}

/** The error of a rejected payment. */
export interface Rejection {
  readonly error: ApiError;
}

/**
 * Decides on a new payment. Rejects a payment that would pay out 0 and one that exceeds the available balance
 * (docs/contract.md#payments).
 */
export function decideCreate(order: Order, context: CreateContext): PaymentChange | Rejection {
  const { id, mode, now, terms, available, nextRow } = context;
  const outcome = chooseOutcome(order, mode, terms);
  const next = planNext({ id, terms, outcome }, 'pending', now);
  const quote = quoteExchange(order, terms);
  if (quote.receive_amount === 0n) {
    const text = `is too small: the beneficiary would receive 0 ${order.to_currency}`;
    return { error: invalidFields(new Map([['amount', text]])) };
  }
  if (behaviors[outcome].isRefused === true) {
    const message = 'The payment network is not available at present.';
    const headers = { 'Retry-After': '1' };
    return { error: { type: 'service_unavailable', message, refusal: 'unavailable', headers } };
  }
  if (quote.debit > available) {
    const message = `The ${order.from_currency} balance is too low for this payment.`;
    return { error: { type: 'insufficient_funds', message } };
  }
  const payment: Payment = {
    id,
    mode,
    status: 'pending',
    from_currency: order.from_currency,
    to_currency: order.to_currency,
    send_amount: order.send_amount,
    fee: quote.fee,
    debit: quote.debit,
    rate: quote.rate,
    receive_amount: quote.receive_amount,
    beneficiary: order.beneficiary,
    purpose: order.purpose,
    history: { pending: now },
    terms,
    outcome,
    debit_row: terms.debitAt.status === 'create' ? nextRow : null,
    next,
  };
  return { payment, entries: paymentEntries(payment) };
}

/** The status after each transition, by the one before it (docs/contract.md#payments). */
const targets: Readonly<Record<Status, { readonly [Name in Transition]?: Status }>> = {
  pending: { process: 'processing', complete: 'completed', fail: 'failed' },
  processing: { complete: 'completed', fail: 'failed' },
  completed: { return: 'failed' },
  failed: {},
};

/** Returns the transition to the next status that is not a failure, or undefined without one. */
export function nextTransition(payment: Payment): Transition | undefined {
  return (['process', 'complete'] as const).find((each) => findTarget(payment, each) !== undefined);
}

/** Returns the status after a transition, or undefined if the status of the payment does not allow it. */
function findTarget({ status, terms }: Payment, transition: Transition): Status | undefined {
  // A pending payment is either processed or completed.
  const other = terms.statuses.path === 'skip' ? 'process' : 'complete';
  return status === 'pending' && transition === other ? undefined : targets[status][transition];
}

/**
 * Decides on a transition of a payment. Returns undefined if its status does not allow it. If the wallet
 * of the payment, with `balance`, cannot cover a late debit, the payment fails instead. `nextRow` is the index of the next row of the history.
 */
export function decideTransition(
  payment: Payment,
  transition: Transition,
  now: Instant,
  balance: Minor,
  nextRow: number,
): PaymentChange | undefined {
  const status = findTarget(payment, transition);
  if (status === undefined) return undefined;
  const history = { ...payment.history, [status]: now };
  const changed = { ...payment, status, history, next: planNext(payment, status, now) };
  const entries = paymentEntries(changed);
  const isDebited = payment.debit_row === null && entries.length > 0;
  if (isDebited && payment.debit > balance) return decideTransition(payment, 'fail', now, balance, nextRow);
  return {
    payment: isDebited ? { ...changed, debit_row: nextRow } : changed,
    entries: entries.slice(paymentEntries(payment).length),
  };
}

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
function chooseOutcome({ beneficiary, send_amount }: Order, mode: Mode, terms: Terms): SimulatedOutcome {
  const rules = mode === 'test' ? terms.outcomes : [];
  const found = rules.find(
    ({ account, name, amount }) =>
      isMatch(beneficiary.account ?? '', account) &&
      isMatch(beneficiary.name, name) &&
      (amount === undefined || isMatch(toAmount(send_amount).toString(true), amount)),
  );
  return found?.outcome ?? 'ok';
}

/** Returns whether a text matches a pattern, in which one `*` can stand for any text. */
function isMatch(text: string, pattern: string | undefined): boolean {
  if (pattern === undefined || pattern === text) return true;
  const star = pattern.indexOf('*');
  if (star < 0 || text.length < pattern.length - 1) return false;
  return text.startsWith(pattern.slice(0, star)) && text.endsWith(pattern.slice(star + 1));
}

/** Returns the time that a payment spends in a status, in milliseconds. */
function drawStatusDuration({ id, terms }: Pick<Payment, 'id' | 'terms'>, status: Status): number {
  const range = status === 'failed' ? 0 : terms.statuses[status];
  return drawDuration(range, () => createDraw(id, status)());
}

/** Returns the milliseconds of a duration. Draws a duration within limits. */
export function drawDuration(range: DurationRange, draw: () => number): number {
  if (typeof range !== 'object') return toMilliseconds(range);
  const [shortest, longest] = range.map(toMilliseconds) as [number, number];
  return shortest + Math.floor(draw() * (longest - shortest + 1));
}

/** Plans the next transition of a payment that has had `status` since `since`. Returns null without one. */
function planNext(
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
