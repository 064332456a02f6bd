import type { KeyReservation, Change, View } from './change.ts';
import { paymentEntries } from './payment-entries.ts';
import { eventsOf } from './event.ts';
import type { Order, Payment } from './payment.ts';
import { planTransition, readPreset } from './plan.ts';
import { debitAmount, type Quote, quoteExchange } from './quote.ts';
import { type Decision, reject, invalidFields } from './api-error.ts';

/** The result of a create: a new payment with its change, or an error. */
export type Creation = Decision<{ readonly payment: Payment; readonly change: Change }>;

/**
 * Decides on a new payment. Rejects a payment that would pay out 0 and one that exceeds the available balance
 * (docs/contract.md#payments).
 */
export function decideCreate(order: Order, view: View, reservation?: KeyReservation): Creation {
  const quote = quoteExchange(order, view.terms);
  if (quote.receive_amount === 0n) {
    const problem = `is too small: the beneficiary would receive 0 ${order.to_currency}`;
    return { ok: false, error: invalidFields(new Map([['amount', problem]])) };
  }
  if (debitAmount(quote, view.terms) > view.availableOf(order.from_currency)) {
    return reject('insufficient_funds', `The ${order.from_currency} balance is too low for this payment.`);
  }
  const payment = openPayment(order, quote, view);
  const change = { payment, entries: paymentEntries(payment), events: eventsOf(payment) };
  return {
    ok: true,
    payment,
    change: reservation === undefined ? change : { ...change, reservation },
  };
}

function openPayment(order: Order, quote: Quote, view: View): Payment {
  const { mode, now, terms } = view;
  const { plan } = readPreset(mode, order.beneficiary.account);
  return {
    id: view.drawPaymentId(),
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
    debit_row: terms.debitAt === 'create' ? view.nextRow() : null,
    next: planTransition({ plan, terms }, 'pending', now),
  };
}
