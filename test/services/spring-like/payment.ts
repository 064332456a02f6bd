import type { BigDecimal } from './big-decimal.ts';
import type { Corridor, Price } from './pricing.ts';
import type { Beneficiary } from './requests.ts';
import type { Mode } from './settings.ts';
import { formatLocal, type Instant, nextBusinessDay } from './timestamps.ts';
import type { LedgerEntry, Wallets } from './wallet.ts';

export type PaymentStatus = 'pending' | 'processing' | 'completed' | 'failed';

/** Reason code of ISO 20022 and its meaning. */
export interface Failure {
  readonly code: string;
  readonly reason: string;
}

/** How a payment ends. */
export type Outcome = 'completed' | 'refused' | 'rejected' | 'returned';

export interface Account {
  readonly name: string;
  readonly webhookUrl: string | undefined;
  readonly wallets: Readonly<Record<Mode, Wallets>>;
}

export interface Payment {
  readonly id: string;
  readonly account: Account;
  readonly mode: Mode;
  readonly corridor: Corridor;
  readonly price: Price;
  readonly beneficiary: Beneficiary;
  readonly purpose: string | undefined;
  readonly createdAt: Instant;
  readonly outcome: Outcome;
  /** Durations of the coming steps in milliseconds: screening, clearing and a return. */
  readonly steps: number[];
  readonly entries: { readonly payout: LedgerEntry; readonly fee: LedgerEntry };
  status: PaymentStatus;
  updatedAt: Instant;
  completedAt: Instant | undefined;
  failure: Failure | undefined;
  /** Time of the next step, if there is one. */
  dueAt: Instant | undefined;
}

interface PaymentResponse {
  readonly id: string;
  readonly status: PaymentStatus;
  readonly from_currency: string;
  readonly to_currency: string;
  readonly send_amount: BigDecimal;
  readonly rate: BigDecimal;
  readonly receive_amount: BigDecimal;
  /** Fields without a value are null here, and absent from the payment. */
  readonly beneficiary: Beneficiary;
  readonly purpose: string | undefined;
  readonly created_at: string;
  readonly updated_at: string;
  readonly estimated_arrival: string | undefined;
  readonly completed_at: string | undefined;
  readonly failure: Failure | undefined;
}

export function toPaymentResponse(payment: Payment): PaymentResponse {
  const { id, status, corridor, price, beneficiary, purpose, createdAt, completedAt, failure } = payment;
  const isOpen = status === 'pending' || status === 'processing';
  return {
    id,
    status,
    from_currency: corridor.from,
    to_currency: corridor.to,
    send_amount: price.sendAmount,
    rate: price.rate,
    receive_amount: price.receiveAmount,
    beneficiary,
    purpose,
    created_at: formatLocal(createdAt),
    updated_at: formatLocal(payment.updatedAt),
    estimated_arrival: isOpen ? nextBusinessDay(createdAt) : undefined,
    completed_at: completedAt === undefined ? undefined : formatLocal(completedAt),
    failure,
  };
}
