import { toAmount, toRate } from './money.ts';
import { formatTimestamp } from './timeline.ts';

export type Mode = 'test' | 'live';

export const paymentStatuses = ['pending', 'processing', 'completed', 'failed'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export interface FailureReason {
  readonly code: string;
  readonly message: string;
}

export interface Payment {
  readonly id: string;
  readonly mode: Mode;
  status: PaymentStatus;
  readonly from: string;
  readonly to: string;
  /** Amounts in hundredths. */
  readonly sendAmount: bigint;
  readonly fee: bigint;
  readonly receiveAmount: bigint;
  /** Rate in millionths. */
  readonly rate: bigint;
  readonly quoteId: string | null;
  readonly beneficiary: {
    readonly name: string;
    readonly bank: string | null;
    readonly account: string | null;
    readonly country: string | null;
  };
  readonly purpose: string | null;
  failureReason: FailureReason | null;
  readonly createdAt: number;
  updatedAt: number;
}

export function presentPayment(payment: Payment): object {
  return {
    id: payment.id,
    status: payment.status,
    from_currency: payment.from,
    to_currency: payment.to,
    send_amount: toAmount(payment.sendAmount),
    fee: toAmount(payment.fee),
    rate: toRate(payment.rate),
    receive_amount: toAmount(payment.receiveAmount),
    quote_id: payment.quoteId,
    beneficiary: payment.beneficiary,
    purpose: payment.purpose,
    failure_reason: payment.failureReason,
    created_at: formatTimestamp(payment.createdAt),
    updated_at: formatTimestamp(payment.updatedAt),
  };
}
