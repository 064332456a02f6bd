import { formatLocalTime } from './clock.ts';
import { centsNumber, rateNumber } from './decimal.ts';
import type { Price } from './pricing.ts';
import type { Tenant } from './tenants.ts';

export type PaymentStatus = 'pending' | 'processing' | 'completed' | 'failed';

/** Strings are empty where the client sent none, as in Go. */
export interface Beneficiary {
  readonly name: string;
  readonly bank: string;
  readonly account: string;
  readonly country: string;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
}

export interface Payment {
  readonly id: string;
  readonly tenant: Tenant;
  readonly price: Price;
  readonly beneficiary: Beneficiary;
  readonly purpose: string;
  readonly createdAt: number;
  status: PaymentStatus;
  /** Reference of the bank rail, from `processing`. */
  railReference: string | undefined;
  completedAt: number | undefined;
  failure: Failure | undefined;
}

export function formatPayment(payment: Payment): object {
  const { price, completedAt } = payment;
  return {
    id: payment.id,
    status: payment.status,
    from_currency: price.from,
    to_currency: price.to,
    send_amount: centsNumber(price.send),
    rate: rateNumber(price.rate),
    receive_amount: centsNumber(price.receive),
    beneficiary: payment.beneficiary,
    purpose: payment.purpose,
    created_at: formatLocalTime(payment.createdAt),
    rail_reference: payment.railReference,
    completed_at: completedAt === undefined ? undefined : formatLocalTime(completedAt),
    failure: payment.failure,
  };
}

/** Body of the webhook about the present status of a payment. */
export function formatEvent(payment: Payment, now: number): object {
  const { price } = payment;
  return {
    event: `payment.${payment.status}`,
    created_at: formatLocalTime(now),
    data: {
      id: payment.id,
      status: payment.status,
      from_currency: price.from,
      to_currency: price.to,
      send_amount: centsNumber(price.send),
      receive_amount: centsNumber(price.receive),
      mode: payment.tenant.mode,
      failure_code: payment.failure?.code,
    },
  };
}
