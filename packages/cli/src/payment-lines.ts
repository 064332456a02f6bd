import type { Payment } from '@service/sdk';
import { toFields } from './table.ts';

/** Formats a payment in the documented order of its fields (docs/contract.md#payments). Other fields follow. */
export function toPaymentLines(payment: Payment): string[] {
  const { id, status, from_currency, to_currency, send_amount, rate, receive_amount, ...more } = payment;
  const { beneficiary, purpose, created_at, ...rest } = more;
  const figures = { id, status, from_currency, to_currency, send_amount, rate, receive_amount };
  // A service may omit the documented beneficiary; the payment must be printed anyway.
  const { name, bank, account, country } = (beneficiary ?? {}) as Partial<Payment['beneficiary']>;
  const beneficiaryFields = { name, bank, account, country };
  return toFields({ ...figures, beneficiary: beneficiaryFields, purpose, created_at, ...rest });
}
