import { type Clock, formatTime } from './clock.ts';
import type { Charge, Ledger } from './ledger.ts';
import { toNumber } from './money.ts';
import type { Price } from './pricing.ts';
import type { RandomStream } from './random.ts';
import { findTestOutcome, type Outcome } from './test-accounts.ts';
import type { WebhookSender } from './webhooks.ts';

export type Mode = 'test' | 'live';

export interface Beneficiary {
  readonly name: string;
  readonly bank: string | null;
  readonly account: string | null;
  readonly country: string | null;
}

/** A checked order of a caller. */
export interface PaymentOrder {
  readonly price: Price;
  readonly quoteId: string | null;
  readonly beneficiary: Beneficiary;
  readonly purpose: string | null;
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

export interface Payment extends PaymentOrder {
  readonly id: string;
  readonly createdAt: Date;
  status: 'pending' | 'processing' | 'completed' | 'failed';
  updatedAt: Date;
  completedAt: Date | null;
  failure: Failure | null;
}

const failures = {
  closed: { code: 'beneficiary_account_closed', message: 'The account of the beneficiary is closed.' },
  screened: { code: 'screening_rejected', message: 'The beneficiary did not pass the screening.' },
  returned: { code: 'returned_by_bank', message: 'The bank of the beneficiary returned the money.' },
} as const;

/** Ranges of the seconds that a payment stays in a status. */
const durations = {
  pending: [2, 3],
  processing: [4, 6],
  return: [5, 7],
} as const;

export interface ProcessorOptions {
  readonly mode: Mode;
  readonly clock: Clock;
  readonly random: RandomStream;
  readonly ledger: Ledger;
  readonly webhooks: WebhookSender;
}

/** Moves payments through their statuses, with their money. */
export class PaymentProcessor {
  readonly #options: ProcessorOptions;

  constructor(options: ProcessorOptions) {
    this.#options = options;
  }

  /**
   * Reserves the money and starts the payment.
   *
   * @throws {ApiError} when the wallet has too little
   */
  start(payment: Payment): void {
    const outcome = findTestOutcome(this.#options.mode, payment.beneficiary.account);
    this.#options.ledger.reserve(toCharge(payment));
    this.#after('pending', () => this.#process(payment, outcome));
  }

  #process(payment: Payment, outcome: Outcome): void {
    const { ledger } = this.#options;
    if (outcome === 'screened') {
      ledger.release(toCharge(payment));
      this.#fail(payment, failures.screened);
      return;
    }
    ledger.post(toCharge(payment));
    this.#change(payment, 'processing');
    this.#after('processing', () => this.#finish(payment, outcome));
  }

  #finish(payment: Payment, outcome: Outcome): void {
    const { sendMinor, feeMinor } = payment.price;
    if (outcome === 'closed') {
      this.#options.ledger.refund(toCharge(payment), sendMinor + feeMinor);
      this.#fail(payment, failures.closed);
      return;
    }
    payment.completedAt = new Date();
    this.#change(payment, 'completed');
    if (outcome !== 'returned') return;
    this.#after('return', () => {
      this.#options.ledger.refund(toCharge(payment), sendMinor);
      this.#fail(payment, failures.returned);
    });
  }

  #fail(payment: Payment, failure: Failure): void {
    payment.failure = failure;
    this.#change(payment, 'failed');
  }

  #change(payment: Payment, status: Payment['status']): void {
    payment.status = status;
    payment.updatedAt = new Date();
    const { mode, webhooks } = this.#options;
    const { id, from_currency, to_currency, send_amount, fee, receive_amount } = presentPayment(payment);
    const amounts = { from_currency, to_currency, send_amount, fee, receive_amount };
    webhooks.send(`payment.${status}`, { id, status, ...amounts, failure: payment.failure, mode });
  }

  #after(name: keyof typeof durations, task: () => void): void {
    const { clock, random } = this.#options;
    const [shortest, longest] = durations[name];
    clock.after(random.between(shortest, longest), task);
  }
}

function toCharge({ id, price, purpose, beneficiary }: Payment): Charge {
  const { fromCurrency, sendMinor, feeMinor } = price;
  const description = purpose ?? `Payment to ${beneficiary.name}`;
  return { paymentId: id, currency: fromCurrency, sendMinor, feeMinor, description };
}

export interface PresentedPrice {
  readonly from_currency: string;
  readonly to_currency: string;
  readonly send_amount: number;
  readonly fee: number;
  readonly rate: number;
  readonly receive_amount: number;
}

export interface PresentedPayment extends PresentedPrice {
  readonly id: string;
  readonly status: Payment['status'];
  readonly quote_id: string | null;
  readonly beneficiary: Beneficiary;
  readonly purpose: string | null;
  readonly failure: Failure | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
}

export function presentPrice(price: Price): PresentedPrice {
  return {
    from_currency: price.fromCurrency,
    to_currency: price.toCurrency,
    send_amount: toNumber(price.sendMinor, price.fromCurrency),
    fee: toNumber(price.feeMinor, price.fromCurrency),
    rate: Number(price.rateMicro) / 1_000_000,
    receive_amount: toNumber(price.receiveMinor, price.toCurrency),
  };
}

export function presentPayment(payment: Payment): PresentedPayment {
  const { id, status, price, quoteId, beneficiary, purpose, failure } = payment;
  const times = {
    created_at: formatTime(payment.createdAt),
    updated_at: formatTime(payment.updatedAt),
    completed_at: payment.completedAt && formatTime(payment.completedAt),
  };
  return { id, status, ...presentPrice(price), quote_id: quoteId, beneficiary, purpose, failure, ...times };
}
