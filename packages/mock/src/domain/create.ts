import type { Binding, Change, Slice } from './change.ts';
import { entriesOf } from './bookings.ts';
import { eventsOf } from './event.ts';
import type { Order, Payment } from './payment.ts';
import { planNext, readMagic } from './plan.ts';
import { debitOf, type Quote, quoteExchange } from './quote.ts';
import { type Decision, refuse, refuseFields } from './refusal.ts';

/** Holds a new payment, or why there is none. */
export type Creation = Decision<{ readonly payment: Payment; readonly change: Change }>;

/**
 * Decides on a new payment: refuses one that would pay nothing out or that the wallet cannot bear (contract.md 3). The
 * binding of an idempotency key becomes part of the change.
 */
export function decideCreate(order: Order, slice: Slice, binding?: Binding): Creation {
  const quote = quoteExchange(order, slice.terms);
  if (quote.receive_amount === 0n) {
    const problem = `is too small: the beneficiary would receive 0 ${order.to_currency}`;
    return { ok: false, refusal: refuseFields(new Map([['amount', problem]])) };
  }
  if (debitOf(quote, slice.terms) > slice.availableOf(order.from_currency)) {
    return refuse('insufficient_funds', `The ${order.from_currency} balance is too low for this payment.`);
  }
  const payment = openPayment(order, quote, slice);
  const change = { payment, entries: entriesOf(payment), events: eventsOf(payment) };
  return { ok: true, payment, change: binding === undefined ? change : { ...change, binding } };
}

function openPayment(order: Order, quote: Quote, slice: Slice): Payment {
  const { mode, now, terms } = slice;
  const magic = readMagic(mode, order.beneficiary.account);
  return {
    id: slice.drawPaymentId(),
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
    debit_row: terms.debitAt === 'create' ? slice.nextRow() : null,
    next: planNext({ magic, terms }, 'pending', now),
  };
}
