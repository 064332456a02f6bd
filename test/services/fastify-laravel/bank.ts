import { createHmac } from 'node:crypto';
import { type Price, toUnits } from './money.ts';

export interface Account {
  readonly id: number;
  readonly apiKey: string;
  readonly balances: Map<string, bigint>;
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
}

export interface Payment extends Price {
  readonly id: string;
  readonly account: Account;
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly beneficiary: Readonly<Record<'name' | 'bank' | 'account' | 'country', string | null>>;
  readonly purpose: string | null;
  status: 'pending' | 'processing' | 'completed' | 'failed';
  readonly createdAt: Date;
  updatedAt: Date;
}

export interface TopUp {
  readonly account: Account;
  readonly currency: string;
  readonly cents: bigint;
  readonly createdAt: Date;
}

/** A row of the table `transactions`: one for each payment and each top-up. */
export type Transaction = { readonly id: number } & (
  { readonly payment: Payment } | { readonly topUp: TopUp }
);

export interface BankOptions {
  readonly random: () => number;
  /** Factor by which durations are shorter. */
  readonly speed: number;
}

interface Delivery {
  readonly body: string;
  readonly eventId: string;
  readonly attempt: number;
}

const retryGaps = [2_000, 6_000, 15_000, 40_000];

export class Bank {
  readonly payments: Payment[] = [];
  readonly transactions: Transaction[] = [];
  readonly options: BankOptions;

  constructor(options: BankOptions) {
    this.options = options;
  }

  topUp(account: Account, currency: string, cents: bigint, createdAt: Date): void {
    account.balances.set(currency, (account.balances.get(currency) ?? 0n) + cents);
    const topUp = { account, currency, cents, createdAt };
    this.transactions.push({ id: this.transactions.length + 1, topUp });
  }

  /** Debits the wallet and starts the payment. Returns undefined if the balance is too low. */
  pay(order: Omit<Payment, 'id' | 'status' | 'createdAt' | 'updatedAt'>): Payment | undefined {
    const { account, fromCurrency, sent } = order;
    const balance = account.balances.get(fromCurrency) ?? 0n;
    if (balance < sent) return undefined;
    account.balances.set(fromCurrency, balance - sent);
    const now = new Date();
    const payment: Payment = {
      ...order,
      id: this.#newId(),
      status: 'pending',
      createdAt: now,
      updatedAt: now,
    };
    this.payments.push(payment);
    this.transactions.push({ id: this.transactions.length + 1, payment });
    this.#later(2_000 + 2_000 * this.options.random(), () => this.#change(payment, 'processing'));
    return payment;
  }

  #newId(): string {
    const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';
    const pick = (): string => alphabet[Math.floor(this.options.random() * alphabet.length)] ?? '0';
    return `pay_test_${Array.from({ length: 24 }, pick).join('')}`;
  }

  #change(payment: Payment, status: Payment['status']): void {
    payment.status = status;
    payment.updatedAt = new Date();
    if (status === 'processing') {
      const isRefused = payment.beneficiary.account?.endsWith('0000') === true;
      this.#later(3_000, () => this.#change(payment, isRefused ? 'failed' : 'completed'));
    } else if (status === 'failed') {
      const { balances } = payment.account;
      balances.set(payment.fromCurrency, (balances.get(payment.fromCurrency) ?? 0n) + payment.sent);
    }
    this.#notify(payment);
  }

  #notify({ id, account, status, fromCurrency, toCurrency, sent, received, updatedAt }: Payment): void {
    const data = {
      id,
      status,
      from_currency: fromCurrency,
      to_currency: toCurrency,
      send_amount: toUnits(sent),
      receive_amount: toUnits(received),
      mode: 'test',
    };
    const eventId = `evt_${Math.floor(this.options.random() * 2 ** 40).toString(36)}`;
    const created = toTimestamp(updatedAt);
    const body = JSON.stringify({ id: eventId, event: `payment.${status}`, created_at: created, data });
    void this.#deliver(account, { body, eventId, attempt: 0 });
  }

  async #deliver(account: Account, delivery: Delivery): Promise<void> {
    const { webhook } = account;
    const { body, eventId, attempt } = delivery;
    if (!webhook) return;
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Northgate-Webhooks/2.4',
      'x-service-signature': createHmac('sha256', webhook.secret).update(body).digest('hex'),
      'x-service-delivery': `${eventId}.${attempt + 1}`,
    };
    const isReceived = await fetch(webhook.url, { method: 'POST', headers, body }).then(
      async (response) => (await response.arrayBuffer(), response.ok),
      () => false,
    );
    const gap = retryGaps[attempt];
    if (!isReceived && gap !== undefined) {
      this.#later(gap, () => void this.#deliver(account, { ...delivery, attempt: attempt + 1 }));
    }
  }

  #later(milliseconds: number, job: () => void): void {
    setTimeout(job, milliseconds / this.options.speed);
  }
}

/** Returns a timestamp with six digits, as the database stores it. */
export function toTimestamp(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}
