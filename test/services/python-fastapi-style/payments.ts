import { createHash } from 'node:crypto';
import type { Clock } from './clock.ts';
import { formatMinorUnits } from './decimal.ts';
import { ApiError } from './errors.ts';
import type { JsonValue } from './json.ts';
import type { Ledger } from './ledger.ts';
import type { Environment, Payment, PaymentOrder, PaymentStatus } from './models.ts';
import { createQuote, type Quote, type QuoteOrder } from './quotes.ts';
import { createUuidHex, type Random } from './random.ts';
import { toPaymentJson } from './schemas.ts';
import type { WebhookDispatcher } from './webhooks.ts';

/** Accounts with a special outcome in test mode. */
export const testAccounts = {
  failing: '000111111116',
  returning: '000111111113',
  unavailable: '000111111119',
};

/** Ranges of durations, in seconds. */
const PROCESSING_DELAY = [1, 1.6] as const;
const COMPLETION_DELAY = [1.5, 2.5] as const;
const RETURN_DELAY = [2, 3] as const;
const IDEMPOTENCY_LIFETIME = 24 * 60 * 60;

/** A validated request. */
export interface PaymentRequest extends QuoteOrder {
  readonly beneficiary_name: string;
  readonly beneficiary_bank: string | null;
  readonly beneficiary_account: string | null;
  readonly beneficiary_country: string | null;
  readonly purpose: string | null;
}

export interface CreatedPayment {
  readonly data: JsonValue;
  readonly isReplayed: boolean;
}

export interface PaymentContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly webhooks: WebhookDispatcher;
}

/** Creates payments and changes their status over time. */
export class PaymentService {
  readonly #context: PaymentContext;

  constructor(context: PaymentContext) {
    this.#context = context;
  }

  /** @throws {ApiError} when the wallet, the gateway or the idempotency key refuses the request. */
  create(environment: Environment, request: PaymentRequest, idempotencyKey: string | null): CreatedPayment {
    const { clock } = this.#context;
    const fingerprint = hashRequest(request);
    if (idempotencyKey !== null) {
      const data = this.#findReplay(environment, idempotencyKey, fingerprint);
      if (data !== undefined) return { data, isReplayed: true };
    }
    if (isTestAccount(environment, request, testAccounts.unavailable)) {
      const message = 'The payout provider is temporarily unavailable, please try again later';
      throw new ApiError(503, 'service_unavailable', message, { 'retry-after': '5' });
    }
    const quote = createQuote(request);
    checkFunds(environment, quote);
    const data = toPaymentJson(this.#insert(environment, request, quote));
    // Only created payments are stored: a request that failed may succeed with the same key later.
    if (idempotencyKey !== null)
      environment.idempotencyRecords.set(idempotencyKey, { fingerprint, data, createdAt: clock.now() });
    return { data, isReplayed: false };
  }

  #findReplay(environment: Environment, key: string, fingerprint: string): JsonValue | undefined {
    const { clock } = this.#context;
    const stored = environment.idempotencyRecords.get(key);
    if (!stored || clock.secondsBetween(stored.createdAt, clock.now()) > IDEMPOTENCY_LIFETIME)
      return undefined;
    if (stored.fingerprint !== fingerprint) {
      const message = 'Idempotency-Key has already been used with a different request body';
      throw new ApiError(409, 'idempotency_conflict', message);
    }
    return stored.data;
  }

  #insert(environment: Environment, request: PaymentRequest, quote: Quote): Payment {
    const { clock, random, ledger } = this.#context;
    const createdAt = clock.now();
    const payment: Payment = {
      id: `pay_${environment.mode}_${createUuidHex(random)}`,
      quote,
      order: toOrder(request),
      createdAt,
      status: 'pending',
      failureReason: null,
      updatedAt: createdAt,
    };
    environment.payments.set(payment.id, payment);
    const { fromCurrency: currency, sendAmount, fee } = quote;
    const description = `Payment to ${request.beneficiary_name}`;
    ledger.post(environment, { type: 'payment', currency, amount: -sendAmount, description, payment });
    ledger.post(environment, { type: 'fee', currency, amount: -fee, description: 'Payment fee', payment });
    this.#schedule(environment, payment, request);
    return payment;
  }

  #schedule(environment: Environment, payment: Payment, request: PaymentRequest): void {
    const { clock, random } = this.#context;
    const isFailing = isTestAccount(environment, request, testAccounts.failing);
    const isReturning = isTestAccount(environment, request, testAccounts.returning);
    const { sendAmount, fee } = payment.quote;
    const finish = (): void => {
      if (isFailing) {
        this.#fail(environment, payment, 'account_closed', sendAmount + fee);
        return;
      }
      this.#changeStatus(environment, payment, 'completed');
      if (isReturning)
        clock.after(random.between(...RETURN_DELAY), () =>
          // The bank did its work, so that the fee of a returned payment is kept.
          this.#fail(environment, payment, 'returned_by_bank', sendAmount),
        );
    };
    clock.after(random.between(...PROCESSING_DELAY), () => {
      this.#changeStatus(environment, payment, 'processing');
      clock.after(random.between(...COMPLETION_DELAY), finish);
    });
  }

  #fail(environment: Environment, payment: Payment, reason: string, amount: bigint): void {
    payment.failureReason = reason;
    const description = `Refund of ${payment.id}`;
    const currency = payment.quote.fromCurrency;
    this.#context.ledger.post(environment, { type: 'refund', currency, amount, description, payment });
    this.#changeStatus(environment, payment, 'failed');
  }

  #changeStatus(environment: Environment, payment: Payment, status: PaymentStatus): void {
    const { clock, webhooks } = this.#context;
    payment.status = status;
    payment.updatedAt = clock.now();
    webhooks.dispatch(environment, payment);
  }
}

/** @throws {ApiError} when the wallet cannot pay the amount and the fee. */
function checkFunds({ wallets }: Environment, { fromCurrency, sendAmount, fee }: Quote): void {
  const available = wallets.get(fromCurrency) ?? 0n;
  const required = sendAmount + fee;
  if (required <= available) return;
  const amounts = `${formatMinorUnits(required)} required, ${formatMinorUnits(available)} available`;
  throw new ApiError(422, 'insufficient_funds', `Insufficient ${fromCurrency} balance: ${amounts}`);
}

function isTestAccount({ mode }: Environment, request: PaymentRequest, account: string): boolean {
  return mode === 'test' && request.beneficiary_account === account;
}

function hashRequest({ amount, ...fields }: PaymentRequest): string {
  const text = JSON.stringify({ ...fields, amount: formatMinorUnits(amount) });
  return createHash('sha256').update(text).digest('hex');
}

function toOrder(request: PaymentRequest): PaymentOrder {
  return {
    beneficiary: {
      name: request.beneficiary_name,
      bank: request.beneficiary_bank,
      account: request.beneficiary_account,
      country: request.beneficiary_country,
    },
    purpose: request.purpose,
  };
}
