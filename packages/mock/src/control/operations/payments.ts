import type { components, Payment as WirePayment } from '@service/contract';
import { readAmountOf } from './wallets.ts';
import { accountMode, currency, ownPayment, positiveAmount } from '../fields.ts';
import { type AccountModeRef, findAccountState, findPayment, type PaymentRef } from '../locate.ts';
import { type Operation, operation, type Operations } from '../operation.ts';
import { createFindEffects } from './requests.ts';
import {
  type CreateContext,
  decideCreate,
  decideTransition,
  nextTransition,
  type PaymentChange,
} from '../../domain/decision.ts';
import { toAmount } from '../../domain/json.ts';
import { hasRate, isSupported, toUnits } from '../../domain/money.ts';
import {
  isOpen,
  type Order,
  type Payment,
  type Status,
  statuses,
  toWirePayment,
  type Transition,
  isPaymentText,
} from '../../domain/payment.ts';
import { defaultProfile, type Profile } from '../../domain/profile.ts';
import * as s from '../../domain/schema.ts';
import {
  type AccountState,
  beginChange,
  beginCreate,
  commit,
  type State,
  transitionPayment,
} from '../../state/state.ts';
import { SandboxError } from '../../state/sandbox-error.ts';

/** An operation of `payments` that changes the status of a payment. */
type PaymentAction = Exclude<keyof PaymentControl, 'create'>;

/** A payment as a row of a table. */
export interface PaymentSummary extends ReturnType<typeof toPaymentSummary> {}

/** A payment with everything that followed from it. */
export interface PaymentDetail extends ReturnType<typeof toPaymentDetail> {}

/** Converts a payment to a row. `account` is the id of its account. */
export function toPaymentSummary(payment: Payment, account: string) {
  const { id, mode, status, next, from_currency, to_currency, purpose } = payment;
  const timeline = toTimeline(payment);
  const created_at = toText(payment.history.pending);
  return {
    id,
    /** The id of its account. */
    account,
    mode,
    status,
    /** Decimal text. */
    send_amount: toAmount(payment.send_amount).toString(),
    from_currency,
    receive_amount: toAmount(payment.receive_amount).toString(),
    to_currency,
    beneficiary: payment.beneficiary.name,
    purpose,
    /** Sandbox time, ISO 8601. */
    created_at,
    updated_at: timeline.at(-1)?.at ?? created_at,
    /** The number of statuses that it has had. */
    changes: timeline.length,
    /** The next automatic transition, or null without one. */
    next: next && { transition: next.transition, at: toText(next.at) },
    /** The manual transitions that its status allows. */
    actions: listActions(payment),
  };
}

/** Converts a payment to its detailed view. */
export function toPaymentDetail(payment: Payment, accountState: AccountState) {
  const { entries, events, deliveries } = createFindEffects()(accountState, payment.id);
  return {
    ...toPaymentSummary(payment, accountState.account),
    /** As the service shows it. */
    payment: { ...toWirePayment(payment, accountState.profile) } as Readonly<Record<string, unknown>>,
    fee: toAmount(payment.fee).toString(),
    timeline: toTimeline(payment),
    entries,
    events,
    deliveries,
  };
}

function toTimeline({ history }: Payment) {
  return (Object.entries(history) as [Status, number][]).map(([status, at]) => ({ status, at: toText(at) }));
}

function listActions(payment: Payment): PaymentAction[] {
  if (payment.status === 'completed') return ['return'];
  if (!isOpen(payment)) return [];
  return [...(nextTransition(payment) === undefined ? [] : ['advance' as const]), 'complete', 'fail'];
}

function toText(instant: number): string {
  return new Date(instant).toISOString();
}

/** A payment to create without a request. */
export interface PaymentOptions extends AccountModeRef {
  /** The currency of the debited wallet. */
  readonly from_currency: string;
  /** The currency of the beneficiary. */
  readonly to_currency: string;
  /** The amount to send: a number or decimal text from 0.01 to 999999999.99. */
  readonly amount: number | string;
  /** The name of the beneficiary: 1 to 255 characters. */
  readonly beneficiary_name: string;
  /**
   * The name of the bank, at most 255 characters.
   *
   * @default null
   */
  readonly beneficiary_bank?: string;
  /**
   * The IBAN or account number, or a magic value such as `'SIM-HOOK-DUP'`, in at most 255 characters.
   *
   * @default null
   */
  readonly beneficiary_account?: string;
  /**
   * The country, as any text of at most 255 characters.
   *
   * @default null
   */
  readonly beneficiary_country?: string;
  /**
   * The purpose, which is the reference of its transactions.
   *
   * @default null
   */
  readonly purpose?: string;
  /**
   * The status of the payment. It stays in that status until another operation changes it.
   *
   * @default 'pending'
   */
  readonly status?: Status;
}

/**
 * Payments in any status, and manual transitions. Each transition cancels the next automatic one and returns the
 * changed payment.
 */
export interface PaymentControl {
  /**
   * Creates a payment and runs its transitions up to a status, with their events, without waiting. The payment then
   * has no automatic transition. Magic values have no effect on its create.
   *
   * @throws {SandboxError} without a change if the balance is too low or the profile lacks the status
   * @example sandbox.payments.create({ from_currency: 'USD', to_currency: 'EUR', amount: 250, beneficiary_name: 'Acme', status: 'completed' });
   */
  readonly create: (payment: PaymentOptions) => components['schemas']['Payment'];
  /** Runs the next transition: pending to processing, or processing to completed. */
  readonly advance: (payment: PaymentRef) => components['schemas']['Payment'];
  /**
   * Completes a payment. From pending it also runs the transition to processing, with both events. If the
   * profile debits late and the balance is too low, the payment fails instead.
   */
  readonly complete: (payment: PaymentRef) => components['schemas']['Payment'];
  /** Fails a pending or processing payment and refunds it according to its terms. */
  readonly fail: (payment: PaymentRef) => components['schemas']['Payment'];
  /** Returns a completed payment: the bank sends it back, it fails and is refunded. */
  readonly return: (payment: PaymentRef) => components['schemas']['Payment'];
}

const control = '\\x00-\\x1f\\x7f-\\x9f';
const paymentText = s.accept<string>(
  'text of 1 to 255 characters without control characters',
  (value) => isPaymentText(value, defaultProfile),
  {
    type: 'string',
    minLength: 1,
    maxLength: defaultProfile.texts.limit,
    pattern: `^[^${control}]*[^\\s${control}][^${control}]*$`,
  },
);

/** The fields of a new payment. */
export const newPayment = {
  from_currency: currency,
  to_currency: currency,
  amount: positiveAmount,
  beneficiary_name: paymentText,
  beneficiary_bank: s.optional(paymentText),
  beneficiary_account: s.optional(paymentText),
  beneficiary_country: s.optional(paymentText),
  purpose: s.optional(paymentText),
  status: s.optional(s.oneOf(statuses)),
};

/** Operations on payments. */
export const payments: Operations<PaymentControl> = {
  /**
   * @example { from_currency: 'USD', to_currency: 'EUR', amount: '250.00',
   * beneficiary_name: 'Acme Supplies Ltd', status: 'completed' }
   */
  create: operation('createPayment', 'POST /payments', {
    status: 201,
    input: { ...accountMode, ...newPayment },
    run({ state }, { status: wanted = 'pending', ...input }) {
      const accountState = findAccountState(state, input);
      const order = readOrder(input, accountState.profile);
      const context = beginCreate(state, accountState, order.from_currency);
      const steps = decideSteps(order, wanted, context);
      for (const step of steps) void commit(state, accountState, step);
      return steps.map(({ payment }) => toWirePayment(payment, defaultProfile)).at(-1) as WirePayment;
    },
  }),
  advance: defineTransition('advance', runNext),
  complete: defineTransition('complete', (owned) => {
    do runNext(owned);
    while (nextTransition(findCurrent(owned)) !== undefined);
    return findCurrent(owned);
  }),
  fail: defineTransition('fail', (owned) => runTransition(owned, 'fail')),
  return: defineTransition('return', (owned) => runTransition(owned, 'return')),
};

/** A payment, and the state that it is part of. */
type OwnedPayment = ReturnType<typeof findPayment> & { readonly state: State };

/** Defines a transition, which throws `SandboxError` if the status of the payment does not allow it. */
/* @__NO_SIDE_EFFECTS__ */
function defineTransition(name: string, run: (owned: OwnedPayment) => Payment): Operation<WirePayment> {
  return operation(`${name}Payment`, `POST /payments/{payment}/${name}`, {
    input: ownPayment,
    run: ({ state }, { payment }) =>
      toWirePayment(run({ state, ...findPayment(state, payment) }), defaultProfile),
  });
}

type PaymentFields = Omit<s.Output<typeof newPayment>, 'status'>;

/** @throws {SandboxError} for an amount or a currency that the service would reject */
function readOrder(input: PaymentFields, profile: Profile): Order {
  const { same } = profile.currencies;
  const { from_currency, to_currency } = input;
  const send_amount = readAmountOf(from_currency, input.amount, profile);
  if (!isSupported(to_currency, profile) || !hasRate(from_currency, to_currency, profile))
    throw new SandboxError(
      'invalid_argument',
      `The profile has no rate from ${from_currency} to ${to_currency}. Use a currency that it supports.`,
    );
  const { minimum, maximum } = profile.amounts;
  if (send_amount < toUnits(minimum) || send_amount > toUnits(maximum))
    throw new SandboxError('invalid_argument', `amount must be from ${minimum} to ${maximum}.`);
  if (same === 'reject' && from_currency === to_currency)
    throw new SandboxError('invalid_argument', 'to_currency must differ from from_currency in this profile.');
  const beneficiary = {
    name: input.beneficiary_name,
    bank: input.beneficiary_bank ?? null,
    account: input.beneficiary_account ?? null,
    country: input.beneficiary_country ?? null,
  };
  return { from_currency, to_currency, send_amount, beneficiary, purpose: input.purpose ?? null };
}

/**
 * Decides on a new payment and its transitions up to a status, all at one time.
 *
 * @throws {SandboxError} when the service would reject the payment, or the profile lacks the status
 */
function decideSteps(order: Order, wanted: Status, context: CreateContext): readonly PaymentChange[] {
  const created = decideCreate(order, context);
  if ('error' in created) throw new SandboxError('invalid_state', created.error.message);
  const steps = [created];
  let { payment } = created;
  while (payment.status !== wanted) {
    const following = nextTransition(payment);
    const transition = wanted === 'failed' && following !== 'process' ? 'fail' : following;
    const step =
      transition && decideTransition(payment, transition, context.now, context.available, context.nextRow);
    if (step === undefined)
      throw new SandboxError(
        'invalid_state',
        `A payment is never ${wanted} with the profile of this account.`,
      );
    steps.push(step);
    ({ payment } = step);
  }
  // Without the automatic transitions.
  return steps.map((step) => ({ ...step, payment: { ...step.payment, next: null } }));
}

function runNext(owned: OwnedPayment): Payment {
  return runTransition(owned, nextTransition(findCurrent(owned)) ?? 'complete');
}

/** Returns a payment after the automatic transitions that are due, such as those with a duration of 0. */
function findCurrent({ state, accountState, payment }: OwnedPayment): Payment {
  beginChange(state, accountState);
  return accountState.payments.get(payment.id) ?? payment;
}

function runTransition(owned: OwnedPayment, transition: Transition): Payment {
  const { state, accountState, payment } = owned;
  const changed = transitionPayment(state, accountState, payment.id, transition);
  if (changed !== undefined) return changed;
  const { status } = findCurrent(owned);
  throw new SandboxError('invalid_state', `A payment that is ${status} cannot ${transition}.`);
}
