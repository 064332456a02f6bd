import { createHmac } from 'node:crypto';
import { toFloat } from './decimals.ts';
import type { Pricing } from './pricing.ts';
import type { PaymentInput } from './serializers.ts';

export type Status = 'pending' | 'processing' | 'completed' | 'failed';

export interface Payment extends PaymentInput, Pricing {
  readonly id: string;
  readonly wallets: Wallets;
  status: Status;
  readonly createdAt: Date;
}

/** A movement of money in one wallet. */
export interface Movement {
  readonly id: number;
  readonly kind: 'payment' | 'fee' | 'deposit';
  readonly direction: 'debit' | 'credit';
  readonly amount: bigint;
  readonly currency: string;
  readonly payment: Payment | undefined;
  readonly postedAt: Date;
}

interface WebhookEndpoint {
  readonly url: string;
  readonly secret: string;
}

export interface Wallets {
  readonly movements: Movement[];
  readonly endpoint: WebhookEndpoint | undefined;
}

export interface Settings {
  readonly random: () => number;
  /** Factor by which delays are shorter. */
  readonly speed: number;
}

const PENDING = 1_600;
const PROCESSING = 2_800;
const RETRY_INTERVAL = 5_000;
const MAX_ATTEMPTS = 4;

export function balanceOf({ movements }: Wallets, currency: string): bigint {
  return movements
    .filter((row) => row.currency === currency)
    .reduce((sum, row) => (row.direction === 'credit' ? sum + row.amount : sum - row.amount), 0n);
}

export class Payments {
  readonly #rows = new Map<string, Payment>();
  readonly #settings: Settings;
  #nextMovement = 1001;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  find(id: string): Payment | undefined {
    return this.#rows.get(id);
  }

  deposit(wallets: Wallets, currency: string, amount: bigint): void {
    const postedAt = new Date(Date.now() - 86_400_000);
    this.#post(wallets, {
      kind: 'deposit',
      direction: 'credit',
      amount,
      currency,
      payment: undefined,
      postedAt,
    });
  }

  create(wallets: Wallets, values: PaymentInput & Pricing): Payment {
    const payment: Payment = {
      ...values,
      id: this.#newId(),
      wallets,
      status: 'pending',
      createdAt: new Date(),
    };
    this.#rows.set(payment.id, payment);
    this.#notify(payment);
    this.#after(PENDING, () => this.#process(payment));
    return payment;
  }

  #process(payment: Payment): void {
    this.#setStatus(payment, 'processing');
    this.#after(PROCESSING, () => this.#settle(payment));
  }

  /** Books the payment when it completes. Nothing is reserved before, so the balance can be too low by then. */
  #settle(payment: Payment): void {
    const { wallets, fromCurrency: currency, amount, fee, beneficiary } = payment;
    const isDeclined = beneficiary.account?.startsWith('FAIL') === true;
    if (isDeclined || balanceOf(wallets, currency) < amount + fee) return this.#setStatus(payment, 'failed');
    const movement = { direction: 'debit', currency, payment, postedAt: new Date() } as const;
    this.#post(wallets, { ...movement, kind: 'payment', amount });
    this.#post(wallets, { ...movement, kind: 'fee', amount: fee });
    this.#setStatus(payment, 'completed');
  }

  #setStatus(payment: Payment, status: Status): void {
    payment.status = status;
    this.#notify(payment);
  }

  #post(wallets: Wallets, movement: Omit<Movement, 'id'>): void {
    wallets.movements.push({ ...movement, id: this.#nextMovement });
    this.#nextMovement += 1;
  }

  /** Returns an id of 26 characters in groups, like a ULID. */
  #newId(): string {
    const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    const groups = [10, 8, 8].map((length) =>
      Array.from({ length }, () => alphabet[Math.floor(this.#settings.random() * 32)]).join(''),
    );
    return `pay_test_${groups.join('-')}`;
  }

  #notify({ id, status, wallets, ...payment }: Payment): void {
    if (!wallets.endpoint) return;
    const data = {
      id,
      status,
      from_currency: payment.fromCurrency,
      to_currency: payment.toCurrency,
      send_amount: toFloat(payment.amount),
      receive_amount: toFloat(payment.received),
      mode: 'test',
    };
    const event = { event: `payment.${status}`, created_at: toIso(new Date()), data };
    void this.#send(wallets.endpoint, JSON.stringify(event), 1);
  }

  async #send(endpoint: WebhookEndpoint, body: string, attempt: number): Promise<void> {
    const signature = createHmac('sha256', endpoint.secret).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-service-signature': signature,
      'x-service-attempt': String(attempt),
    };
    const status = await fetch(endpoint.url, { method: 'POST', headers, body }).then(
      async (response) => (await response.arrayBuffer(), response.status),
      () => 0,
    );
    if (status === 200 || attempt === MAX_ATTEMPTS) return;
    this.#after(RETRY_INTERVAL, () => void this.#send(endpoint, body, attempt + 1));
  }

  #after(milliseconds: number, job: () => void): void {
    setTimeout(job, milliseconds / this.#settings.speed);
  }
}

/** Returns a timestamp without a fraction of a second. */
export function toIso(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, '+00:00');
}
