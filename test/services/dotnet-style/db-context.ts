import { writeJson } from './json-writer.ts';
import { toNotificationDto } from './contracts.ts';
import type {
  AccountEnvironment,
  Mode,
  OutboxMessage,
  Payment,
  PaymentStatus,
  Transaction,
  WebhookEndpoint,
} from './entities.ts';
import type { Money } from './decimal.ts';
import { createGuid, createHex, type Random } from './random.ts';
import type { TimeProvider } from './time.ts';

type NewTransaction = Omit<Transaction, 'id' | 'balanceAfter' | 'createdAt'>;

/** In-memory database of the service. */
export class DbContext {
  readonly environments: AccountEnvironment[] = [];
  readonly payments = new Map<string, Payment>();
  readonly transactions: Transaction[] = [];
  readonly outbox = new Set<OutboxMessage>();
  readonly #time: TimeProvider;
  readonly #random: Random;

  constructor(time: TimeProvider, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  addEnvironment(
    mode: Mode,
    deposits: Readonly<Record<string, Money>>,
    webhook?: WebhookEndpoint,
  ): AccountEnvironment {
    const environment: AccountEnvironment = {
      id: this.environments.length + 1,
      mode,
      apiKey: `service_${mode}_${createHex(this.#random, 40)}`,
      webhook,
      wallets: new Map(),
    };
    this.environments.push(environment);
    for (const [currency, amount] of Object.entries(deposits)) {
      const description = 'Initial deposit';
      this.post({ environment, type: 'deposit', currency, amount, payment: null, description });
    }
    return environment;
  }

  /** Books an amount on the wallet and records the transaction. */
  post(transaction: NewTransaction): void {
    const { wallets } = transaction.environment;
    const balanceAfter = (wallets.get(transaction.currency) ?? 0n) + transaction.amount;
    wallets.set(transaction.currency, balanceAfter);
    const id = this.transactions.length + 1;
    this.transactions.push({
      ...transaction,
      id,
      balanceAfter,
      createdAt: this.#time.getUtcNow(),
    });
  }

  /** Changes the status of a payment and adds the webhook notification to the outbox. */
  changeStatus(payment: Payment, status: PaymentStatus): void {
    const now = this.#time.getUtcNow();
    payment.status = status;
    payment.updatedAt = now;
    const endpoint = payment.environment.webhook;
    if (endpoint === undefined) return;
    this.outbox.add({
      id: createGuid(this.#random, now),
      endpoint,
      body: writeJson(toNotificationDto(payment)),
      attempts: 0,
      nextAttemptAt: now,
      isLocked: false,
    });
  }
}
