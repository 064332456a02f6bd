import { toAmount, toRate } from './money.ts';
import type { NextTransition } from './plan.ts';
import type { Profile, Terms } from './profile.ts';
import type { Exchange, Quote } from './quote.ts';
import type { Status } from './status.ts';
import { type Instant, toTimestamp } from './timestamp.ts';
import { formatOptional } from './profile.ts';
import type { WithDecimals } from './json.ts';
import type { Beneficiary, Mode, PaymentStatus, Payment as WirePayment } from '@service/contract';

/** Holds what a caller orders: an exchange, and whom to pay. */
export interface Order extends Exchange {
  readonly beneficiary: Beneficiary;
  readonly purpose: string | null;
}

/** Says when a payment took each of its statuses; one that it never took is left out. */
export type History = { readonly pending: Instant } & { readonly [Taken in Status]?: Instant };

/**
 * Holds all that there is to know of a payment; its bookings and its events follow from it. Money in minor units, times as
 * instants.
 */
export interface Payment extends Order, Quote {
  readonly id: string;
  readonly mode: Mode;
  readonly status: Status;
  readonly history: History;
  /** What it was made under, whatever the profile says later. */
  readonly terms: Terms;
  /** The place of its debit in the transaction history, or null while the wallet has not been debited. */
  readonly debit_row: number | null;
  /** The move that it makes by itself, or null when it stays where it is. */
  readonly next: NextTransition | null;
}

/** Shows a payment as it stands on the wire (spec §2), in the forms of a profile. */
export function toWirePayment(payment: Payment, profile: Profile): WithDecimals<WirePayment> {
  const show = (text: string | null): string | null => formatOptional(text, profile.absent);
  const { name, bank, account, country } = payment.beneficiary;
  return {
    id: payment.id,
    // A profile can invent a status that the contract does not know.
    status: payment.status as PaymentStatus,
    from_currency: payment.from_currency,
    to_currency: payment.to_currency,
    send_amount: toAmount(payment.send_amount),
    rate: toRate(payment.rate),
    receive_amount: toAmount(payment.receive_amount),
    beneficiary: { name, bank: show(bank), account: show(account), country: show(country) },
    purpose: show(payment.purpose),
    created_at: toTimestamp(payment.history.pending, profile.timestamps),
  };
}
