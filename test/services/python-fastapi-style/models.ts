import type { JsonValue } from './json.ts';
import type { Currency, Quote } from './quotes.ts';

export type Mode = 'test' | 'live';

export const paymentStatuses = ['pending', 'processing', 'completed', 'failed'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const transactionTypes = ['deposit', 'payment', 'fee', 'refund'] as const;
export type TransactionType = (typeof transactionTypes)[number];

/** The recipient and the reference of a payment. */
export interface PaymentOrder {
  readonly beneficiary: {
    readonly name: string;
    readonly bank: string | null;
    readonly account: string | null;
    readonly country: string | null;
  };
  readonly purpose: string | null;
}

export interface Payment {
  readonly id: string;
  readonly quote: Quote;
  readonly order: PaymentOrder;
  readonly createdAt: number;
  status: PaymentStatus;
  failureReason: string | null;
  updatedAt: number;
}

/** An entry of the ledger. Debits are negative. */
export interface Transaction {
  readonly id: string;
  readonly type: TransactionType;
  readonly currency: Currency;
  readonly amount: bigint;
  readonly balanceAfter: bigint;
  readonly payment: Payment | undefined;
  readonly description: string;
  readonly createdAt: number;
}

/** The response that a repeated idempotency key gets. */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  readonly data: JsonValue;
  readonly createdAt: number;
}

export interface WebhookEndpoint {
  readonly url: string;
  readonly secret: string;
}

/** All state of one account in one mode. */
export interface Environment {
  readonly mode: Mode;
  readonly apiKey: string;
  readonly endpoint: WebhookEndpoint | undefined;
  readonly wallets: Map<Currency, bigint>;
  readonly payments: Map<string, Payment>;
  /** Entries, oldest first. */
  readonly transactions: Transaction[];
  readonly idempotencyRecords: Map<string, IdempotencyRecord>;
}
