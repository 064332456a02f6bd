import {
  type Beneficiary,
  type Mode,
  type Payment as WirePayment,
  type PaymentStatus,
  paymentStatuses,
} from '@service/contract';
import type { SimulatedOutcome } from '@service/internal';
import { type Instant, type Json, timestampOf, toAmount, toJson, toRate } from './json.ts';
import type { Exchange, Quote } from './money.ts';
import type { Profile, Terms } from './profile.ts';
import type { Status } from './status.ts';

export type { Status } from './status.ts';

const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;

/**
 * Returns whether text is valid in a field of a payment: not blank, without control characters, and within the
 * limit without the white space around it.
 */
export function isPaymentText(text: unknown, { texts: { limit } }: Pick<Profile, 'texts'>): text is string {
  if (typeof text !== 'string') return false;
  const trimmed = text.trim();
  // At most two code units per character.
  const isShort =
    trimmed.length <= limit || (trimmed.length <= 2 * limit && Array.from(trimmed).length <= limit);
  return trimmed !== '' && isShort && PRINTABLE.test(text);
}

/** The content of a payment request: an exchange and a beneficiary. */
export interface Order extends Exchange {
  /** The name and bank details of the recipient. */
  readonly beneficiary: Beneficiary;
  /** The text that transactions show as their reference, or null. */
  readonly purpose: string | null;
}

/** The time of each status that a payment has had, oldest first. */
type History = { readonly [Name in Status]?: Instant } & {
  /** The time of the create. */
  readonly pending: Instant;
};

/** The next automatic transition and its time. */
export interface NextTransition {
  /** The change of status, such as `'complete'`. */
  readonly transition: Transition;
  /** Sandbox time, in milliseconds since 1970. */
  readonly at: Instant;
}

/** The state of a payment. Its ledger entries and events follow from it. */
export interface Payment extends Order, Quote {
  /** The id (`pay_test_…` or `pay_live_…`). */
  readonly id: string;
  /** The mode of the API key of its create. */
  readonly mode: Mode;
  /** The current status: the last one in `history`. */
  readonly status: Status;
  /** The time of each status so far, in milliseconds since 1970. */
  readonly history: History;
  /** The profile settings at the time of the create. Later profile changes do not affect the payment. */
  readonly terms: Terms;
  /** Its outcome by the first rule of the profile that matches. `ok` without one, and in live mode. */
  readonly outcome: SimulatedOutcome;
  /** The index of its debit in the transaction history, or null before the debit. */
  readonly debit_row: number | null;
  /** The next automatic transition, or null without one. */
  readonly next: NextTransition | null;
}

/** Returns whether the status of a payment is not final. */
export function isOpen({ status }: Payment): boolean {
  return status !== 'completed' && status !== 'failed';
}

/** Returns a payment in its documented shape, in the forms of a profile. */
export function paymentData(payment: Payment, { absent, timestamps }: ValueForms): Json {
  const { name, ...texts } = payment.beneficiary;
  const [bank, account, country, purpose] = [texts.bank, texts.account, texts.country, payment.purpose].map(
    (text) => formatOptional(text, absent),
  );
  const { from_currency, to_currency, send_amount, rate, receive_amount } = payment;
  return {
    id: payment.id,
    status: payment.status,
    from_currency,
    to_currency,
    send_amount: toAmount(send_amount),
    rate: toRate(rate),
    receive_amount: toAmount(receive_amount),
    beneficiary: { name, bank, account, country },
    purpose,
    created_at: timestampOf(timestamps)(payment.history.pending),
  };
}

/** The forms of absent texts and of times. */
type ValueForms = Pick<Profile, 'absent' | 'timestamps'>;

/** Returns a payment as it was at a time. Undefined before its create. */
export function paymentAt(payment: Payment, time: Instant): Payment | undefined {
  const entries = Object.entries(payment.history) as [Status, Instant][];
  const kept = entries.slice(0, entries.findLastIndex(([, at]) => at <= time) + 1);
  const status = kept.at(-1)?.[0];
  if (status === undefined) return undefined;
  return { ...payment, status, history: Object.fromEntries(kept) as unknown as History };
}

/** Returns a payment in its documented JSON shape, in the forms of a profile. */
export function toWirePayment(payment: Payment, profile: Profile): WirePayment {
  return JSON.parse(toJson(paymentData(payment, profile))) as WirePayment;
}

/** The documented payment statuses, in order. */
export const statuses: readonly PaymentStatus[] = paymentStatuses;

/** The name of an event: that of a payment status. */
export type EventName = `payment.${Status}`;

/** The names of the events. */
export const eventNames: readonly EventName[] = statuses.map((status) => `payment.${status}` as const);

/**
 * Serializes the body of the event of a status: the compact JSON text that is signed and sent (docs/contract.md#webhooks).
 */
export function writeEvent(
  { id, mode, history, from_currency, to_currency, send_amount, receive_amount }: Payment,
  status: Status,
  { timestamps, numbers }: Profile,
): string {
  const created_at = timestampOf(timestamps)(history[status] ?? history.pending);
  const [sent, received] = [toAmount(send_amount), toAmount(receive_amount)];
  const amounts = { from_currency, to_currency, send_amount: sent, receive_amount: received };
  return toJson({ event: `payment.${status}`, created_at, data: { id, status, ...amounts, mode } }, numbers);
}

/** Formats an optional text field in the form that the profile selects for absent fields. Undefined omits the field. */
export function formatOptional(text: string | null, absent: Profile['absent']): string | null | undefined {
  if (text !== null || absent === 'null') return text;
  return absent === 'empty' ? '' : undefined;
}

/** Returns a quote in its documented shape. */
export function quoteData(quote: Quote): Json {
  return {
    from_currency: quote.from_currency,
    to_currency: quote.to_currency,
    send_amount: toAmount(quote.send_amount),
    fee: toAmount(quote.fee),
    rate: toRate(quote.rate),
    receive_amount: toAmount(quote.receive_amount),
  };
}

/** The transitions between payment statuses. */
export const transitions = ['process', 'complete', 'fail', 'return'] as const;

/** A transition between payment statuses. */
export type Transition = (typeof transitions)[number];
