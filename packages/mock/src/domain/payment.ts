import { toAmount, toRate } from './money.ts';
import type { NextMove } from './plan.ts';
import type { Exchange, Quote } from './quote.ts';
import { type Instant, toTimestamp, type Written } from './wire.ts';
import type { Beneficiary, Mode, PaymentStatus, Payment as WirePayment } from '@service/contract';

/** Holds what a caller orders: an exchange, and whom to pay. */
export interface Order extends Exchange {
  readonly beneficiary: Beneficiary;
  readonly purpose: string | null;
}

/** Holds a payment as the sandbox knows it; money in minor units, times as instants. */
export interface Payment extends Order, Quote {
  readonly id: string;
  readonly mode: Mode;
  readonly status: PaymentStatus;
  readonly created_at: Instant;
  /** The move that it makes by itself, or null when it stays where it is. */
  readonly next: NextMove | null;
}

/** Shows a payment as it stands on the wire (spec §2). */
export function toWirePayment(payment: Payment): Written<WirePayment> {
  const { name, bank, account, country } = payment.beneficiary;
  return {
    id: payment.id,
    status: payment.status,
    from_currency: payment.from_currency,
    to_currency: payment.to_currency,
    send_amount: toAmount(payment.send_amount),
    rate: toRate(payment.rate),
    receive_amount: toAmount(payment.receive_amount),
    beneficiary: { name, bank, account, country },
    purpose: payment.purpose,
    created_at: toTimestamp(payment.created_at),
  };
}
