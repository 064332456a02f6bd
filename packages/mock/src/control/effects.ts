import type { Currency } from '@service/contract';
import type { Delivery } from '../domain/delivery.ts';
import { deriveEventKey } from '../state/ids.ts';
import { type EventName, eventsOf, type Payment, type PaymentEvent, writeEvent } from '../domain/payment.ts';
import { type Entry, type EntryKind, type LedgerAccount, paymentEntries } from '../domain/ledger.ts';
import { toAmount } from '../domain/money.ts';
import type { AccountState } from '../state/account-state.ts';
import { redactKeys } from '@service/internal';

/** A ledger entry. Its postings add up to 0 in every currency. */
export interface EntryView {
  /** The reason for the entry: a create debits (`payment`), a completion pays out, a failure refunds. */
  readonly kind: EntryKind;
  /** Sandbox time, ISO 8601. */
  readonly at: string;
  /** Amounts are signed decimal text. */
  readonly postings: readonly {
    /** The ledger account, such as `'wallet'` or `'fees'`. */
    readonly account: LedgerAccount;
    /** The ISO 4217 code, such as `'USD'`. */
    readonly currency: Currency;
    /** Signed decimal text; negative for a debit. */
    readonly amount: string;
  }[];
}

/** An event, with or without an endpoint to send it to. */
export interface EventView {
  /** The name of the event, such as `'payment.completed'`. */
  readonly event: EventName;
  /** Sandbox time, ISO 8601. */
  readonly at: string;
  /** The text that is signed and sent. */
  readonly body: string;
}

/** The effects of a request so far. Empty unless the request created a payment. */
export interface Effects {
  /** The id of the created payment (`pay_test_…`), or null. */
  readonly payment_id: string | null;
  /** The ledger entries of the payment, oldest first. */
  readonly entries: readonly EntryView[];
  /** The events of the payment, oldest first. */
  readonly events: readonly EventView[];
  /** The webhook deliveries of the payment; empty without an endpoint. */
  readonly deliveries: readonly Delivery[];
}

/** Returns the effects of the payment that a request created. */
export type FindEffects = (accountState: AccountState | null, payment_id: string | null) => Effects;

const noEffects: Effects = { payment_id: null, entries: [], events: [], deliveries: [] };

/** Creates a lookup of effects. It indexes the deliveries of each account once. */
export function createFindEffects(): FindEffects {
  const indexes = new Map<AccountState, (payment_id: string) => Effects>();
  return (accountState, payment_id) => {
    if (accountState === null || payment_id === null) return noEffects;
    const find = indexes.get(accountState) ?? indexAccountState(accountState);
    indexes.set(accountState, find);
    return find(payment_id);
  };
}

function indexAccountState(accountState: AccountState): (payment_id: string) => Effects {
  const deliveries = groupByPayment([...accountState.deliveries.values()]);
  return (payment_id) => {
    const payment = accountState.payments.get(payment_id);
    if (payment === undefined) return noEffects;
    return {
      payment_id,
      entries: paymentEntries(payment).map(toEntryView),
      events: eventsOf(payment).map((event) => toEventView(payment, event, accountState)),
      deliveries: (deliveries.get(payment_id) ?? []).map(redactDelivery),
    };
  };
}

function groupByPayment(deliveries: readonly Delivery[]): Map<string, Delivery[]> {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const group = groups.get(delivery.payment_id);
    if (group === undefined) groups.set(delivery.payment_id, [delivery]);
    else group.push(delivery);
  }
  return groups;
}

function toEntryView({ kind, at, postings }: Entry): EntryView {
  return {
    kind,
    at: new Date(at).toISOString(),
    postings: postings.map(({ account, currency, amount }) => ({
      account,
      currency,
      amount: toAmount(amount).toString(),
    })),
  };
}

function toEventView(payment: Payment, event: PaymentEvent, { profile }: AccountState): EventView {
  const { status, at } = event;
  const body = writeEvent(payment, { ...event, event_key: deriveEventKey(event) }, profile);
  return { event: `payment.${status}`, at: new Date(at).toISOString(), body };
}

function redactDelivery(delivery: Delivery): Delivery {
  const attempts = delivery.attempts.map((attempt) => ({ ...attempt, url: redactKeys(attempt.url) }));
  return { ...delivery, attempts };
}
