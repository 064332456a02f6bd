import type { Currency, Mode } from '@service/contract';
import { nextTransition } from '../domain/decision.ts';
import type { Delivery } from '../domain/delivery.ts';
import { toJson } from '../domain/json.ts';
import { toAmount } from '../domain/money.ts';
import { isOpen, type Payment, toWirePayment } from '../domain/payment.ts';

import type { Status, Transition } from '../domain/status.ts';
import type { AccountState } from '../state/account-state.ts';
import { createFindEffects, type EntryView, type EventView } from './effects.ts';

/** The operations of `payments` that change the status of a payment. */
export const paymentActions = ['advance', 'complete', 'fail', 'return'] as const;

/** An operation of `payments` that changes the status of a payment. */
export type PaymentAction = (typeof paymentActions)[number];

/** A payment as a row of a table. */
export interface PaymentSummary {
  readonly id: string;
  /** The id of its account. */
  readonly account: string;
  readonly mode: Mode;
  readonly status: Status;
  /** Decimal text. */
  readonly send_amount: string;
  readonly from_currency: Currency;
  readonly receive_amount: string;
  readonly to_currency: Currency;
  readonly beneficiary: string;
  readonly purpose: string | null;
  /** Sandbox time, ISO 8601. */
  readonly created_at: string;
  readonly updated_at: string;
  /** The number of statuses that it has had. */
  readonly changes: number;
  /** The next automatic transition, or null without one. */
  readonly next: { readonly transition: Transition; readonly at: string } | null;
  /** The manual transitions that its status allows. */
  readonly actions: readonly PaymentAction[];
}

/** A payment with everything that followed from it. */
export interface PaymentDetail extends PaymentSummary {
  /** As the service shows it. */
  readonly payment: Readonly<Record<string, unknown>>;
  readonly fee: string;
  readonly timeline: readonly { readonly status: Status; readonly at: string }[];
  readonly entries: readonly EntryView[];
  readonly events: readonly EventView[];
  readonly deliveries: readonly Delivery[];
}

/** Converts a payment to a row. `account` is the id of its account. */
export function toPaymentSummary(payment: Payment, account: string): PaymentSummary {
  const { next } = payment;
  const timeline = toTimeline(payment);
  const created_at = toText(payment.history.pending);
  return {
    id: payment.id,
    account,
    mode: payment.mode,
    status: payment.status,
    send_amount: toAmount(payment.send_amount).toString(),
    from_currency: payment.from_currency,
    receive_amount: toAmount(payment.receive_amount).toString(),
    to_currency: payment.to_currency,
    beneficiary: payment.beneficiary.name,
    purpose: payment.purpose,
    created_at,
    updated_at: timeline.at(-1)?.at ?? created_at,
    changes: timeline.length,
    next: next === null ? null : { transition: next.transition, at: toText(next.at) },
    actions: listActions(payment),
  };
}

/** Converts a payment to its detailed view. */
export function toPaymentDetail(payment: Payment, accountState: AccountState): PaymentDetail {
  const { entries, events, deliveries } = createFindEffects()(accountState, payment.id);
  return {
    ...toPaymentSummary(payment, accountState.account),
    payment: JSON.parse(toJson(toWirePayment(payment, accountState.profile))) as Readonly<
      Record<string, unknown>
    >,
    fee: toAmount(payment.fee).toString(),
    timeline: toTimeline(payment),
    entries,
    events,
    deliveries,
  };
}

function toTimeline({ history }: Payment): { readonly status: Status; readonly at: string }[] {
  return Object.entries(history).map(([status, at]) => ({ status, at: toText(at) }));
}

function listActions(payment: Payment): PaymentAction[] {
  if (payment.status === 'completed') return ['return'];
  if (!isOpen(payment)) return [];
  return [...(nextTransition(payment) === undefined ? [] : ['advance' as const]), 'complete', 'fail'];
}

function toText(instant: number): string {
  return new Date(instant).toISOString();
}
