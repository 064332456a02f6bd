import { ApiException } from './exceptions.ts';
import { toAmount } from './money.ts';
import type { Payment, PaymentStatus } from './payment.ts';
import { formatTimestamp } from './timeline.ts';

export const transactionTypes = ['deposit', 'payment', 'refund'] as const;
export type TransactionType = (typeof transactionTypes)[number];

export interface Transaction {
  readonly id: number;
  readonly type: TransactionType;
  status: PaymentStatus;
  readonly direction: 'credit' | 'debit';
  readonly currency: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly paymentId: string | null;
  readonly counterparty: string | null;
  readonly description: string | null;
  readonly createdAt: number;
  updatedAt: number;
}

interface Wallet {
  readonly currency: string;
  /** Money of the account, including the reserved part. */
  booked: bigint;
  reserved: bigint;
  updatedAt: number;
}

export interface Deposit {
  readonly currency: string;
  readonly amount: bigint;
  readonly createdAt: number;
}

interface LedgerOptions {
  readonly now: () => number;
  readonly firstId: number;
}

/** The wallets of one account in one mode, and every movement of their money. */
export class Ledger {
  readonly #wallets = new Map<string, Wallet>();
  readonly #transactions: Transaction[] = [];
  readonly #now: () => number;
  #nextId: number;

  constructor({ now, firstId }: LedgerOptions) {
    this.#now = now;
    this.#nextId = firstId;
  }

  deposit({ currency, amount, createdAt }: Deposit): void {
    this.#wallets.set(currency, { currency, booked: amount, reserved: 0n, updatedAt: createdAt });
    const details = { fee: 0n, paymentId: null, counterparty: null, description: 'Wallet top-up' };
    this.#add({ ...details, type: 'deposit', direction: 'credit', currency, amount }, createdAt);
  }

  /**
   * Reserves the amount and the fee of a new payment.
   *
   * @throws {ApiException} when less is available
   */
  reserve(payment: Payment): void {
    const { from: currency, sendAmount, fee } = payment;
    const wallet = this.#wallets.get(currency);
    const total = sendAmount + fee;
    const available = wallet ? wallet.booked - wallet.reserved : 0n;
    if (!wallet || available < total) {
      const amounts = `${toAmount(total).toFixed(2)} required, ${toAmount(available).toFixed(2)} available`;
      const message = `Insufficient funds in ${currency} wallet: ${amounts}`;
      throw new ApiException(422, 'insufficient_funds', message);
    }
    wallet.reserved += total;
    wallet.updatedAt = payment.createdAt;
    const details = {
      paymentId: payment.id,
      counterparty: payment.beneficiary.name,
      description: payment.purpose,
    };
    const movement = { currency, amount: sendAmount, fee, ...details };
    this.#add({ ...movement, type: 'payment', direction: 'debit', status: 'pending' }, payment.createdAt);
  }

  /** Takes the reserved money out of the wallet. */
  capture({ from, sendAmount, fee }: Payment): void {
    this.#change(from, (wallet) => {
      wallet.reserved -= sendAmount + fee;
      wallet.booked -= sendAmount + fee;
    });
  }

  /** Returns captured money to the wallet. */
  refund(payment: Payment, amount: bigint): void {
    const { from: currency, id: paymentId, beneficiary } = payment;
    this.#change(currency, (wallet) => {
      wallet.booked += amount;
    });
    const details = { paymentId, counterparty: beneficiary.name, description: `Refund of ${paymentId}` };
    this.#add({ ...details, type: 'refund', direction: 'credit', currency, amount, fee: 0n }, this.#now());
  }

  /** Copies the status of a payment to its transaction. */
  follow(payment: Payment): void {
    for (const transaction of this.#transactions)
      if (transaction.type === 'payment' && transaction.paymentId === payment.id) {
        transaction.status = payment.status;
        transaction.updatedAt = payment.updatedAt;
      }
  }

  /** Returns the transactions with a status and a type, newest first. */
  list(status: PaymentStatus | null, type: TransactionType | null): Transaction[] {
    return this.#transactions
      .filter((row) => (status === null || row.status === status) && (type === null || row.type === type))
      .toSorted((left, right) => right.createdAt - left.createdAt || right.id - left.id);
  }

  presentBalances(): object[] {
    return [...this.#wallets.values()].map(({ currency, booked, reserved, updatedAt }) => ({
      currency,
      balance: toAmount(booked),
      available: toAmount(booked - reserved),
      reserved: toAmount(reserved),
      updated_at: formatTimestamp(updatedAt),
    }));
  }

  #change(currency: string, change: (wallet: Wallet) => void): void {
    const wallet = this.#wallets.get(currency);
    if (!wallet) return;
    change(wallet);
    wallet.updatedAt = this.#now();
  }

  #add(
    movement: Omit<Transaction, 'id' | 'status' | 'createdAt' | 'updatedAt'> & { status?: PaymentStatus },
    createdAt: number,
  ): void {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#transactions.push({ status: 'completed', ...movement, id, createdAt, updatedAt: createdAt });
  }
}

export function presentTransaction(row: Transaction): object {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    direction: row.direction,
    amount: toAmount(row.amount),
    fee: toAmount(row.fee),
    currency: row.currency,
    payment_id: row.paymentId,
    counterparty: row.counterparty,
    description: row.description,
    created_at: formatTimestamp(row.createdAt),
    updated_at: formatTimestamp(row.updatedAt),
  };
}
