import { ApiError, errorKinds } from './errors.ts';
import { createUlid, formatTimestamp, type Random } from './ids.ts';
import { Ledger } from './ledger.ts';
import type { Price } from './pricing.ts';

export type Mode = 'test' | 'live';
export type PaymentStatus = 'pending' | 'processing' | 'completed' | 'failed';

export interface Beneficiary {
  readonly name: string;
  readonly bank: string | null;
  readonly account: string | null;
  readonly country: string | null;
}

export interface Payment {
  readonly id: string;
  readonly mode: Mode;
  readonly price: Price;
  readonly beneficiary: Beneficiary;
  readonly purpose: string | null;
  readonly createdAt: string;
  status: PaymentStatus;
}

export type NewPayment = Pick<Payment, 'price' | 'beneficiary' | 'purpose'>;

export interface AccountOptions {
  readonly mode: Mode;
  readonly random: Random;
  /** Factor by which every duration is shorter. */
  readonly speed: number;
  readonly onStatusChange?: (payment: Payment) => void;
}

/** Beneficiary accounts with a fixed outcome in sandbox mode. */
export const magicAccounts = {
  failing: 'GB29NWBK60161300000002',
  returning: 'GB29NWBK60161300000005',
  unavailable: 'GB29NWBK60161300000009',
} as const;

/** An account in one mode. */
export class Account {
  readonly mode: Mode;
  readonly ledger: Ledger;
  readonly #payments = new Map<string, Payment>();
  readonly #options: AccountOptions;

  constructor(options: AccountOptions) {
    this.mode = options.mode;
    this.ledger = new Ledger(options.random);
    this.#options = options;
  }

  /** @throws {ApiError} when the bank is unavailable or the wallet balance is too low. */
  createPayment({ price, beneficiary, purpose }: NewPayment): Payment {
    if (this.#findMagicAccount(beneficiary) === 'unavailable') {
      const message = 'The payout partner is temporarily unavailable. No payment was created.';
      throw new ApiError(errorKinds.unavailable, message, { headers: { 'Retry-After': '5' } });
    }
    this.ledger.requireFunds(price.from, price.send + price.fee);
    const payment: Payment = {
      id: `pay_${this.mode}_${createUlid(this.#options.random)}`,
      mode: this.mode,
      price,
      beneficiary,
      purpose,
      createdAt: formatTimestamp(new Date()),
      status: 'pending',
    };
    this.#payments.set(payment.id, payment);
    this.#debit(payment);
    this.#schedule(payment);
    return payment;
  }

  /** @throws {ApiError} when the account has no such payment in this mode. */
  getPayment(id: string): Payment {
    const payment = this.#payments.get(id);
    if (!payment) throw new ApiError(errorKinds.notFound, `No such payment: '${id}'`);
    return payment;
  }

  #debit({ id, price, beneficiary }: Payment): void {
    const common = { currency: price.from, paymentId: id };
    const description = `Payment to ${beneficiary.name}`;
    this.ledger.post({ ...common, type: 'payment', status: 'pending', amount: -price.send, description });
    const fee = { amount: -price.fee, description: `Fee for payment to ${beneficiary.name}` };
    this.ledger.post({ ...common, ...fee, type: 'fee', status: 'completed' });
  }

  #schedule(payment: Payment): void {
    const kind = this.#findMagicAccount(payment.beneficiary);
    const submittedAfter = this.#randomDelay(300, 700);
    const settledAfter = submittedAfter + this.#randomDelay(800, 2200);
    const changeAfter = (delay: number, status: PaymentStatus): void => {
      setTimeout(() => this.#changeStatus(payment, status), delay);
    };
    changeAfter(submittedAfter, 'processing');
    changeAfter(settledAfter, kind === 'failing' ? 'failed' : 'completed');
    if (kind === 'returning') changeAfter(settledAfter + this.#randomDelay(1500, 2500), 'failed');
  }

  #changeStatus(payment: Payment, status: PaymentStatus): void {
    payment.status = status;
    if (status === 'completed' || status === 'failed') this.ledger.settle(payment.id, status);
    if (status === 'failed') {
      this.ledger.post({
        type: 'refund',
        status: 'completed',
        currency: payment.price.from,
        amount: payment.price.send + payment.price.fee,
        paymentId: payment.id,
        description: `Refund of payment to ${payment.beneficiary.name}`,
      });
    }
    this.#options.onStatusChange?.(payment);
  }

  #findMagicAccount({ account }: Beneficiary): keyof typeof magicAccounts | undefined {
    const normalized = account?.replaceAll(' ', '').toUpperCase();
    const kinds = ['failing', 'returning', 'unavailable'] as const;
    return this.mode === 'test' ? kinds.find((kind) => magicAccounts[kind] === normalized) : undefined;
  }

  #randomDelay(minimum: number, maximum: number): number {
    const { random, speed } = this.#options;
    return (minimum + random() * (maximum - minimum)) / speed;
  }
}

export function formatPayment(payment: Payment): Record<string, unknown> {
  const { from, to, send, rate, receive } = payment.price;
  return {
    id: payment.id,
    status: payment.status,
    from_currency: from,
    to_currency: to,
    send_amount: send / 100,
    rate,
    receive_amount: receive / 100,
    beneficiary: payment.beneficiary,
    purpose: payment.purpose,
    created_at: payment.createdAt,
  };
}
