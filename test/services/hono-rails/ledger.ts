import { ApiError, errorKinds } from './errors.ts';
import { createUlid, formatTimestamp, type Random } from './ids.ts';

export const transactionTypes = ['deposit', 'payment', 'fee', 'refund'] as const;
export const transactionStatuses = ['pending', 'completed', 'failed'] as const;
export type TransactionType = (typeof transactionTypes)[number];
export type TransactionStatus = (typeof transactionStatuses)[number];

export interface Posting {
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly currency: string;
  /** Signed amount in hundredths: negative for a debit. */
  readonly amount: number;
  readonly paymentId: string | null;
  readonly description: string;
  readonly date?: Date;
}

export interface TransactionFilter {
  readonly status: TransactionStatus | undefined;
  readonly type: TransactionType | undefined;
}

interface Transaction extends Omit<Posting, 'status' | 'date'> {
  readonly id: string;
  readonly createdAt: string;
  readonly balanceAfter: number;
  status: TransactionStatus;
}

/** The wallets of an account in one mode, and their history. */
export class Ledger {
  readonly #wallets = new Map<string, number>();
  readonly #transactions: Transaction[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  post({ date = new Date(), ...posting }: Posting): void {
    const balanceAfter = (this.#wallets.get(posting.currency) ?? 0) + posting.amount;
    this.#wallets.set(posting.currency, balanceAfter);
    const id = `txn_${createUlid(this.#random)}`;
    this.#transactions.unshift({ ...posting, id, balanceAfter, createdAt: formatTimestamp(date) });
  }

  /** @throws {ApiError} when the wallet balance is lower than the required amount. */
  requireFunds(currency: string, required: number): void {
    const available = this.#wallets.get(currency) ?? 0;
    if (available >= required) return;
    const [has, needs] = [available, required].map((amount) => `${(amount / 100).toFixed(2)} ${currency}`);
    throw new ApiError(errorKinds.funds, `Wallet balance is too low: ${has} available, ${needs} required.`);
  }

  /** Settles the transaction that debited a payment. */
  settle(paymentId: string, status: TransactionStatus): void {
    const transaction = this.#transactions.find(
      (row) => row.paymentId === paymentId && row.type === 'payment',
    );
    if (transaction) transaction.status = status;
  }

  get balances(): readonly Record<string, unknown>[] {
    return [...this.#wallets].map(([currency, balance]) => ({ currency, balance: balance / 100 }));
  }

  /** Returns the newest transactions first. */
  list({ status, type }: TransactionFilter): readonly Record<string, unknown>[] {
    return this.#transactions
      .filter((row) => (status ?? row.status) === row.status && (type ?? row.type) === row.type)
      .map((row) => ({
        id: row.id,
        type: row.type,
        status: row.status,
        direction: row.amount < 0 ? 'debit' : 'credit',
        currency: row.currency,
        amount: Math.abs(row.amount) / 100,
        balance_after: row.balanceAfter / 100,
        payment_id: row.paymentId,
        description: row.description,
        created_at: row.createdAt,
      }));
  }
}
