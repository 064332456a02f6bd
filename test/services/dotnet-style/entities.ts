import type { Money } from './decimal.ts';
import type { Ticks } from './time.ts';

export const paymentStatuses = ['pending', 'processing', 'completed', 'failed'] as const;
export const transactionTypes = ['deposit', 'payment', 'fee', 'reversal'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];
export type TransactionType = (typeof transactionTypes)[number];
export type Mode = 'test' | 'live';

/** One mode of an account: its API key, wallets and webhook endpoint. */
export interface AccountEnvironment {
  readonly id: number;
  readonly mode: Mode;
  readonly apiKey: string;
  readonly webhook: WebhookEndpoint | undefined;
  readonly wallets: Map<string, Money>;
}

export interface WebhookEndpoint {
  readonly url: string;
  readonly secret: string;
}

/** Fields of a valid request to create a payment. */
export interface PaymentOrder {
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly amount: Money;
  readonly beneficiaryName: string;
  readonly beneficiaryBank: string | null;
  readonly beneficiaryAccount: string | null;
  readonly beneficiaryCountry: string | null;
  readonly purpose: string | null;
}

export interface Payment extends PaymentOrder {
  readonly id: string;
  readonly environment: AccountEnvironment;
  readonly idempotencyKey: string | null;
  readonly fee: Money;
  readonly rate: bigint;
  readonly receiveAmount: Money;
  readonly createdAt: Ticks;
  status: PaymentStatus;
  failureReason: string | null;
  updatedAt: Ticks;
  /** Time of the next status change; null in a final status. */
  dueAt: Ticks | null;
}

export interface Transaction {
  readonly id: number;
  readonly environment: AccountEnvironment;
  readonly type: TransactionType;
  readonly currency: string;
  readonly amount: Money;
  readonly balanceAfter: Money;
  readonly payment: Payment | null;
  readonly description: string;
  readonly createdAt: Ticks;
}

/** Webhook notification that is committed together with the status change. */
export interface OutboxMessage {
  readonly id: string;
  readonly endpoint: WebhookEndpoint;
  readonly body: string;
  attempts: number;
  nextAttemptAt: Ticks;
  isLocked: boolean;
}
