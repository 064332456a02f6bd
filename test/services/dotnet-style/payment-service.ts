import type { DbContext } from './db-context.ts';
import { formatMoney } from './decimal.ts';
import type { AccountEnvironment, Payment, PaymentOrder } from './entities.ts';
import { ApiProblem } from './problems.ts';
import { createQuote } from './quotes.ts';
import { createGuid, type Random } from './random.ts';
import { getSandboxScenario } from './sandbox.ts';
import type { Settings } from './settings.ts';
import { toSeconds, type TimeProvider } from './time.ts';

export interface PaymentServiceOptions {
  readonly db: DbContext;
  readonly time: TimeProvider;
  readonly random: Random;
  readonly settings: Settings;
}

export interface CreatedPayment {
  readonly payment: Payment;
  readonly isReplayed: boolean;
}

/** Creates and finds payments. */
export class PaymentService {
  readonly #options: PaymentServiceOptions;

  constructor(options: PaymentServiceOptions) {
    this.#options = options;
  }

  /**
   * Creates a payment, or returns the payment that the idempotency key has created before.
   *
   * @throws {ApiProblem} when the payment cannot be created.
   */
  create(
    environment: AccountEnvironment,
    order: PaymentOrder,
    idempotencyKey: string | null,
  ): CreatedPayment {
    const existing = this.#findByKey(environment, idempotencyKey);
    if (existing !== undefined) {
      if (!isSameOrder(existing, order)) {
        throw new ApiProblem(
          422,
          'idempotency_key_reused',
          'The Idempotency-Key was already used for a request with a different body.',
        );
      }
      return { payment: existing, isReplayed: true };
    }
    const quote = createQuote(order);
    this.#ensureProviderAvailable(environment, order);
    const { db, time, random, settings } = this.#options;
    const total = quote.amount + quote.fee;
    const balance = environment.wallets.get(order.fromCurrency) ?? 0n;
    if (balance < total) {
      throw new ApiProblem(
        422,
        'insufficient_funds',
        `The ${order.fromCurrency} wallet balance of ${formatMoney(balance)} is too low: the payment requires ${formatMoney(total)} including the fee.`,
      );
    }
    const now = time.getUtcNow();
    const payment: Payment = {
      ...order,
      id: `pay_${environment.mode}_${createGuid(random, now)}`,
      environment,
      idempotencyKey,
      fee: quote.fee,
      rate: quote.rate,
      receiveAmount: quote.receiveAmount,
      createdAt: now,
      status: 'pending',
      failureReason: null,
      updatedAt: now,
      dueAt: now + settings.settlement.pendingDelay,
    };
    db.payments.set(payment.id, payment);
    const entry = { environment, currency: order.fromCurrency, payment };
    const description = `Payment to ${order.beneficiaryName}`;
    db.post({ ...entry, type: 'payment', amount: -quote.amount, description });
    db.post({ ...entry, type: 'fee', amount: -quote.fee, description: 'Payment fee' });
    return { payment, isReplayed: false };
  }

  get(environment: AccountEnvironment, id: string): Payment {
    const payment = this.#options.db.payments.get(id);
    if (payment?.environment !== environment) {
      throw new ApiProblem(404, 'not_found', `The payment '${id}' was not found.`);
    }
    return payment;
  }

  #findByKey(environment: AccountEnvironment, key: string | null): Payment | undefined {
    if (key === null) return undefined;
    return [...this.#options.db.payments.values()].find(
      (payment) => payment.environment === environment && payment.idempotencyKey === key,
    );
  }

  #ensureProviderAvailable(environment: AccountEnvironment, order: PaymentOrder): void {
    if (getSandboxScenario(environment.mode, order.beneficiaryAccount) !== 'unavailable') return;
    throw new ApiProblem(
      503,
      'provider_unavailable',
      'The payout provider is temporarily unavailable. No payment was created.',
      { headers: { 'Retry-After': String(toSeconds(this.#options.settings.circuitBreak)) } },
    );
  }
}

function isSameOrder(payment: Payment, order: PaymentOrder): boolean {
  return (Object.keys(order) as (keyof PaymentOrder)[]).every((key) => payment[key] === order[key]);
}
