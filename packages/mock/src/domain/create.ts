import type { Binding, Change, Slice } from './change.ts';
import { recordEvent } from './event.ts';
import { bookPayment } from './ledger.ts';
import type { Order, Payment } from './payment.ts';
import { planNext, readMagic } from './plan.ts';
import { type Quote, quoteExchange } from './quote.ts';
import { type Decision, refuse, refuseFields } from './refusal.ts';

/** Holds a new payment, or why there is none. */
export type Creation = Decision<{ readonly payment: Payment; readonly change: Change }>;

/**
 * Decides on a new payment: refuses one that would pay nothing out or that the wallet cannot bear (contract.md 3). The
 * binding of an idempotency key becomes part of the change.
 */
export function decideCreate(order: Order, slice: Slice, binding?: Binding): Creation {
  const quote = quoteExchange(order, slice.minorUnits);
  if (quote.receive_amount === 0n) {
    const problem = `is too small: the beneficiary would receive 0 ${order.to_currency}`;
    return { ok: false, refusal: refuseFields(new Map([['amount', problem]])) };
  }
  if (order.send_amount > slice.balanceOf(order.from_currency)) {
    return refuse('insufficient_funds', `The ${order.from_currency} balance is too low for this payment.`);
  }
  const payment = openPayment(order, quote, slice);
  const { now } = slice;
  const change = { payment, entries: [bookPayment(payment, now)], events: [recordEvent(payment, now)] };
  return { ok: true, payment, change: binding === undefined ? change : { ...change, binding } };
}

function openPayment(order: Order, quote: Quote, slice: Slice): Payment {
  const status = 'pending';
  const magic = readMagic(slice.mode, order.beneficiary.account);
  return {
    ...order,
    ...quote,
    id: slice.drawPaymentId(),
    mode: slice.mode,
    status,
    created_at: slice.now,
    next: planNext(magic, status, slice.now),
  };
}
