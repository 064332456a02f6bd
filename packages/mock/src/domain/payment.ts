import {
  type Beneficiary,
  type Mode,
  type Payment as WirePayment,
  type PaymentStatus,
  paymentStatuses,
} from '@service/contract';
import { documentedPayment } from '@service/internal';
import { type Fact, type Facts, type Instant, toAmount, toJson, toRate, fill } from './json.ts';
import type { PaymentPlan } from './outcome.ts';
import type { Exchange, Minor, Quote } from './money.ts';
import type { Profile, Terms } from './profile.ts';
import { deriveEventKey } from './ids.ts';

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

/** The time of each status that a payment has had, oldest first, with those that a profile adds. */
type History = Readonly<Record<string, Instant>> & {
  /** The time of the create. */
  readonly pending: Instant;
  readonly processing?: Instant;
  readonly completed?: Instant;
  readonly failed?: Instant;
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
  /** Its outcome and added statuses. */
  readonly plan: PaymentPlan;
  /** The index of its debit in the transaction history, or null before the debit. */
  readonly debit_row: number | null;
  /** The next automatic transition, or null without one. */
  readonly next: NextTransition | null;
}

/** Returns whether the status of a payment is not final. */
export function isOpen({ status }: Payment): boolean {
  return status !== 'completed' && status !== 'failed';
}

/** Returns the values of a payment for templates. */
export function paymentFacts(payment: Payment, { absent }: Pick<Profile, 'absent'>): Record<string, Fact> {
  const format = (text: string | null): string | null | undefined => formatOptional(text, absent);
  const { name, bank, account, country } = payment.beneficiary;
  const { history } = payment;
  const timeOf = (status: string): Date | null => {
    const at = history[status];
    return at === undefined ? null : new Date(at);
  };
  return {
    id: payment.id,
    status: payment.status,
    mode: payment.mode,
    beneficiary_name: name,
    beneficiary_bank: format(bank),
    beneficiary_account: format(account),
    beneficiary_country: format(country),
    purpose: format(payment.purpose),
    created_at: new Date(history.pending),
    processing_at: timeOf('processing'),
    completed_at: timeOf('completed'),
    failed_at: timeOf('failed'),
    updated_at: new Date(Math.max(...Object.values(history))),
    previous_status: Object.keys(history).at(-2) ?? null,
    ...quoteFacts(payment),
  };
}

/** Returns a payment as it was at a time. Undefined before its create. */
export function paymentAt(payment: Payment, time: Instant): Payment | undefined {
  return keepStatuses(payment, ([, at]) => at <= time);
}

/** Returns a payment as it was after the last of some statuses. */
function keepStatuses(
  payment: Payment,
  isKept: (entry: readonly [status: string, at: Instant]) => boolean,
): Payment | undefined {
  const entries = Object.entries(payment.history);
  const kept = entries.slice(0, entries.findLastIndex(isKept) + 1);
  const status = kept.at(-1)?.[0];
  if (status === undefined) return undefined;
  return { ...payment, status, history: Object.fromEntries(kept) as unknown as History };
}

/** Returns a payment in its documented JSON shape, in the forms of a profile. */
export function toWirePayment(payment: Payment, profile: Profile): WirePayment {
  const filled = fill(documentedPayment, paymentFacts(payment, profile), { profile });
  return JSON.parse(toJson(filled)) as WirePayment;
}

/** The documented payment statuses, in order. */
export const statuses: readonly PaymentStatus[] = paymentStatuses;

/** The name of an event: that of a payment status. */
export type EventName = `payment.${Status}`;

/** The names of the events, except those of statuses that a profile adds. */
export const eventNames: readonly EventName[] = statuses.map((status) => `payment.${status}` as const);

/**
 * Serializes the body of the event of a status: the compact JSON text that is signed and sent (docs/contract.md#webhooks).
 */
export function writeEvent(payment: Payment, status: Status, profile: Profile, renewedAt?: Instant): string {
  const { eventShape, numbers } = profile;
  const isLatest = payment.status === status;
  const atStatus = isLatest ? payment : keepStatuses(payment, ([name]) => name === status);
  const at = payment.history[status] ?? payment.history.pending;
  const facts = paymentFacts(atStatus ?? payment, profile);
  facts.event_key = deriveEventKey(payment.id, status);
  facts.status = status;
  facts.at = new Date(at);
  facts.renewed_at = new Date(renewedAt ?? at);
  return toJson(fill(eventShape, facts, { profile, numbers }), numbers);
}

/** Formats an optional text field in the form that the profile selects for absent fields. Undefined omits the field. */
export function formatOptional(text: string | null, absent: Profile['absent']): string | null | undefined {
  if (text !== null || absent === 'null') return text;
  return absent === 'empty' ? '' : undefined;
}

/** Returns the values of a quote for templates. */
export function quoteFacts(quote: Quote): Facts {
  return {
    from_currency: quote.from_currency,
    to_currency: quote.to_currency,
    send_amount: toAmount(quote.send_amount),
    fee: toAmount(quote.fee),
    debit: toAmount(quote.debit),
    rate: toRate(quote.rate),
    receive_amount: toAmount(quote.receive_amount),
    net: toAmount(quote.send_amount - quote.fee),
  };
}

/** Returns the values of a payment that exceeds the available balance. */
export function fundsFacts(quote: Quote, available: Minor): Facts {
  return {
    ...quoteFacts(quote),
    available: toAmount(available),
    shortfall: toAmount(quote.debit - available),
  };
}

/** A payment status: one of the contract, or one that a profile adds. */
export type Status = 'pending' | 'processing' | 'completed' | 'failed' | (string & {});

/** The transitions between payment statuses. */
export const transitions = ['process', 'review', 'complete', 'fail', 'return'] as const;

/** A transition between payment statuses. */
export type Transition = (typeof transitions)[number];
