import { createHash } from 'node:crypto';
import type { Clock } from './clock.ts';
import { ApiError, notFound, type ProblemSource, validationError } from './errors.ts';
import { Ledger } from './ledger.ts';
import { type Mode, type Payment, type PaymentOrder, PaymentProcessor } from './payments.ts';
import type { Price } from './pricing.ts';
import type { IdFactory, RandomStream } from './random.ts';
import { findTestOutcome } from './test-accounts.ts';
import type { WebhookSender } from './webhooks.ts';

/** Seconds for which the price of a quote holds. */
const QUOTE_LIFETIME = 90;
const KEY_LIFETIME = 86_400;
/** Seconds after which a caller may try again during an outage. */
const OUTAGE_PAUSE = 30;

export interface Quote {
  readonly id: string;
  readonly price: Price;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  isUsed: boolean;
}

interface StoredAnswer {
  readonly fingerprint: string;
  readonly answer: object;
  readonly expiresAt: number;
}

export interface WorkspaceOptions {
  readonly mode: Mode;
  readonly clock: Clock;
  readonly ids: IdFactory;
  readonly random: RandomStream;
  readonly webhooks: WebhookSender;
}

/** Everything that one account has in one mode. */
export class Workspace {
  readonly mode: Mode;
  readonly ledger: Ledger;
  readonly #options: WorkspaceOptions;
  readonly #processor: PaymentProcessor;
  readonly #payments = new Map<string, Payment>();
  readonly #quotes = new Map<string, Quote>();
  readonly #answers = new Map<string, StoredAnswer>();

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.mode = options.mode;
    this.ledger = new Ledger(options.ids);
    this.#processor = new PaymentProcessor({ ...options, ledger: this.ledger });
  }

  addQuote(price: Price): Quote {
    const { ids, clock } = this.#options;
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + clock.scale(QUOTE_LIFETIME));
    const quote: Quote = { id: ids.next('quo'), price, createdAt, expiresAt, isUsed: false };
    this.#quotes.set(quote.id, quote);
    return quote;
  }

  /** @throws {ApiError} when there is no such quote, or its price does not hold any more */
  getUsableQuote(id: string): Quote {
    const source = { pointer: '/quote_id' };
    const quote = this.#quotes.get(id);
    if (!quote) throw validationError([{ code: 'unknown_quote', detail: `No quote ${id} exists.`, source }]);
    if (quote.isUsed) throw unusableQuote('quote_already_used', `Quote ${id} was used by a payment.`, source);
    if (quote.expiresAt.getTime() <= Date.now())
      throw unusableQuote('quote_expired', `Quote ${id} is no longer valid.`, source);
    return quote;
  }

  /** @throws {ApiError} when the payment network is down or the wallet has too little */
  pay(order: PaymentOrder): Payment {
    const { ids, mode, clock } = this.#options;
    if (findTestOutcome(mode, order.beneficiary.account) === 'unavailable')
      throw outage(Math.ceil(clock.scale(OUTAGE_PAUSE) / 1_000));
    const createdAt = new Date();
    const payment: Payment = {
      ...order,
      id: ids.next(`pay_${mode}`),
      createdAt,
      status: 'pending',
      updatedAt: createdAt,
      completedAt: null,
      failure: null,
    };
    this.#processor.start(payment);
    this.#payments.set(payment.id, payment);
    const quote = this.#quotes.get(order.quoteId ?? '');
    if (quote) quote.isUsed = true;
    return payment;
  }

  /** @throws {ApiError} when there is no such payment */
  getPayment(id: string): Payment {
    const payment = this.#payments.get(id);
    if (!payment) throw notFound('payment_not_found', `No payment ${id} exists.`);
    return payment;
  }

  /**
   * Returns the first answer to a request with the same key.
   *
   * @throws {ApiError} when the key was used for another request
   */
  findAnswer(key: string, request: object): object | undefined {
    const stored = this.#answers.get(key);
    if (!stored || stored.expiresAt <= performance.now()) return undefined;
    if (stored.fingerprint === fingerprint(request)) return stored.answer;
    const detail = 'The idempotency key was used before with other parameters.';
    const problem = { code: 'parameters_differ', detail, source: { header: 'Idempotency-Key' } };
    throw new ApiError({ status: 409, type: 'idempotency_conflict', problems: [problem] });
  }

  storeAnswer(key: string, request: object, answer: object): void {
    const expiresAt = performance.now() + this.#options.clock.scale(KEY_LIFETIME);
    this.#answers.set(key, { fingerprint: fingerprint(request), answer, expiresAt });
  }
}

function fingerprint(request: object): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}

function unusableQuote(code: string, detail: string, source: ProblemSource): ApiError {
  return new ApiError({ status: 409, type: 'quote_unusable', problems: [{ code, detail, source }] });
}

function outage(seconds: number): ApiError {
  const detail = 'The payment network of the beneficiary is not available. Nothing was charged.';
  return new ApiError({
    status: 503,
    type: 'service_unavailable',
    problems: [{ code: 'payment_network_unavailable', detail }],
    headers: { 'Retry-After': String(seconds) },
  });
}
