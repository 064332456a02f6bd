import type { Payment } from '@service/sdk';
import { toFields } from './table.ts';

/** Lays out a payment in the order of its document (spec §2); what else the service sent follows. */
export function toPaymentLines(payment: Payment): string[] {
  const { id, status, from_currency, to_currency, send_amount, rate, receive_amount, ...more } = payment;
  const { beneficiary, purpose, created_at, ...rest } = more;
  const figures = { id, status, from_currency, to_currency, send_amount, rate, receive_amount };
  // A service that leaves the beneficiary out, against its document, still has its payment shown.
  const { name, bank, account, country } = (beneficiary ?? {}) as Partial<Payment['beneficiary']>;
  const whom = { name, bank, account, country };
  return toFields({ ...figures, beneficiary: whom, purpose, created_at, ...rest });
}
