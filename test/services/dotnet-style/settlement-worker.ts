import type { DbContext } from './db-context.ts';
import type { Payment } from './entities.ts';
import type { Random } from './random.ts';
import { getSandboxScenario } from './sandbox.ts';
import type { Settings } from './settings.ts';
import type { Ticks, TimeProvider } from './time.ts';

export interface SettlementWorkerOptions {
  readonly db: DbContext;
  readonly time: TimeProvider;
  readonly random: Random;
  readonly settings: Settings['settlement'];
}

/** Hosted service that polls for due payments and moves them to the next status. */
export class SettlementWorker {
  readonly #options: SettlementWorkerOptions;

  constructor(options: SettlementWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    const { time, settings } = this.#options;
    time.createTimer(() => this.#advanceDuePayments(), settings.period);
  }

  #advanceDuePayments(): void {
    const { db, time } = this.#options;
    const now = time.getUtcNow();
    for (const payment of db.payments.values()) {
      if (payment.dueAt !== null && payment.dueAt <= now) this.#advance(payment, now);
    }
  }

  #advance(payment: Payment, now: Ticks): void {
    const { db, settings } = this.#options;
    const scenario = getSandboxScenario(payment.environment.mode, payment.beneficiaryAccount);
    if (payment.status === 'pending') {
      payment.dueAt = now + this.#getProcessingTime();
      db.changeStatus(payment, 'processing');
    } else if (payment.status === 'completed') {
      this.#fail(payment, 'returned_by_beneficiary_bank');
    } else if (scenario === 'failing') {
      this.#fail(payment, 'beneficiary_account_closed');
    } else {
      payment.dueAt = scenario === 'returning' ? now + settings.returnDelay : null;
      db.changeStatus(payment, 'completed');
    }
  }

  #fail(payment: Payment, reason: string): void {
    payment.dueAt = null;
    payment.failureReason = reason;
    this.#options.db.changeStatus(payment, 'failed');
    this.#options.db.post({
      environment: payment.environment,
      type: 'reversal',
      currency: payment.fromCurrency,
      amount: payment.amount + payment.fee,
      payment,
      description: 'Reversal of a failed payment',
    });
  }

  #getProcessingTime(): Ticks {
    const { minimumProcessing, maximumProcessing } = this.#options.settings;
    const spread = Number(maximumProcessing - minimumProcessing);
    return minimumProcessing + BigInt(this.#options.random.next(spread + 1));
  }
}
