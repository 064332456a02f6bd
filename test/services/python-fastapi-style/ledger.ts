import type { Clock } from './clock.ts';
import type { Environment, Mode, Payment, Transaction, TransactionType, WebhookEndpoint } from './models.ts';
import type { Currency } from './quotes.ts';
import { createUuidHex, type Random } from './random.ts';
import { getTransactionStatus } from './schemas.ts';

const testDeposits: readonly (readonly [Currency, bigint])[] = [
  ['USD', 10_000_000n],
  ['EUR', 5_000_000n],
  ['GBP', 2_500_000n],
];

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly pages: number;
}

export interface TransactionFilter {
  readonly page: number;
  readonly per_page: number;
  readonly status: Payment['status'] | null;
  readonly type: TransactionType | null;
}

/** A change of a wallet. Debits are negative. */
export interface Posting {
  readonly type: TransactionType;
  readonly currency: Currency;
  readonly amount: bigint;
  readonly description: string;
  readonly payment?: Payment;
}

/** Writes wallets and entries together. */
export class Ledger {
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Creates the state of an account in one mode. Only test wallets start with money. */
  createEnvironment(mode: Mode, endpoint?: WebhookEndpoint): Environment {
    const environment: Environment = {
      mode,
      apiKey: `service_${mode}_${this.#random.hex(40)}`,
      endpoint,
      wallets: new Map(),
      payments: new Map(),
      transactions: [],
      idempotencyRecords: new Map(),
    };
    for (const [currency, amount] of testDeposits) {
      environment.wallets.set(currency, 0n);
      if (mode === 'test')
        this.post(environment, {
          type: 'deposit',
          currency,
          amount,
          description: 'Sandbox starting balance',
        });
    }
    return environment;
  }

  post(environment: Environment, { type, currency, amount, description, payment }: Posting): void {
    const balanceAfter = (environment.wallets.get(currency) ?? 0n) + amount;
    environment.wallets.set(currency, balanceAfter);
    environment.transactions.push({
      id: `txn_${createUuidHex(this.#random)}`,
      type,
      currency,
      amount,
      balanceAfter,
      payment,
      description,
      createdAt: this.#clock.now(),
    });
  }
}

/** Returns a page of the entries, newest first. */
export function listTransactions(
  { transactions }: Environment,
  { page, per_page: size, status, type }: TransactionFilter,
): Page<Transaction> {
  const matches = transactions
    .toReversed()
    .filter(
      (transaction) =>
        (status === null || getTransactionStatus(transaction) === status) &&
        (type === null || transaction.type === type),
    );
  return {
    items: matches.slice((page - 1) * size, page * size),
    total: matches.length,
    pages: Math.ceil(matches.length / size),
  };
}
