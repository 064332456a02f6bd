import { createHmac, randomUUID } from 'node:crypto';

export interface Account {
  readonly apiKey: string;
  readonly webhookUrl: string | undefined;
  readonly balances: Map<string, number>;
  readonly held: Map<string, number>;
  readonly entries: Entry[];
}

export interface Entry {
  readonly id: number;
  readonly kind: 'DEPOSIT' | 'PAYOUT' | 'PAYOUT_REVERSAL';
  readonly amountMinor: number;
  readonly currency: string;
  readonly payment: Payment | undefined;
  readonly createdAt: Date;
}

export interface Price {
  readonly from: string;
  readonly to: string;
  /** In hundredths. */
  readonly sent: number;
  readonly fee: number;
  readonly rate: number;
  readonly received: number;
}

export interface Payment extends Price {
  readonly id: string;
  readonly account: Account;
  readonly name: string;
  readonly bank: string | undefined;
  readonly iban: string | undefined;
  readonly country: string | undefined;
  readonly purpose: string | undefined;
  readonly createdAt: Date;
  status: string;
  updatedAt: Date;
}

const rates: Readonly<Record<string, number>> = { EUR: 1, USD: 1.0931, GBP: 0.8427, CHF: 0.9514, SEK: 11.31 };
export const currencies: readonly string[] = Object.keys(rates);

/** Bands of the sent amount: the smallest amount and the share in basis points, from the largest amount on. */
const bands = [
  [10_000_00, 35],
  [1_000_00, 80],
  [0, 120],
] as const;
const LEAST_FEE = 75;

/** Prices an amount. The fee is charged on top: a share that depends on the amount, at least 0.75. */
export function price(from: string, to: string, sent: number): Price {
  const rate = Math.round(((rates[to] ?? 1) / (rates[from] ?? 1)) * 10_000) / 10_000;
  const [, share] = bands.find(([least]) => sent >= least) ?? bands[2];
  const fee = Math.max(LEAST_FEE, Math.round((sent * share) / 10_000));
  // Exact, unlike a product of doubles.
  const exact = BigInt(sent) * BigInt(Math.round(rate * 10_000));
  return { from, to, sent, fee, rate, received: Number(exact / 10_000n) };
}

const retries = [1_500, 4_500, 13_500];

/** Payments that are debited when they are processed, and reserve the money until then. */
export class Bank {
  readonly payments = new Map<string, Payment>();
  readonly #options: { readonly speed: number; readonly secret: string };
  #entries = 0;

  constructor(options: { readonly speed: number; readonly secret: string }) {
    this.#options = options;
  }

  deposit(account: Account, currency: string, amount: number): void {
    this.#book(account, { kind: 'DEPOSIT', amountMinor: amount, currency, payment: undefined });
  }

  /** Returns undefined if the wallet has too little money that is not reserved. */
  pay(order: Omit<Payment, 'id' | 'status' | 'createdAt' | 'updatedAt'>): Payment | undefined {
    const { account, from, sent, fee } = order;
    const held = account.held.get(from) ?? 0;
    if ((account.balances.get(from) ?? 0) - held < sent + fee) return undefined;
    account.held.set(from, held + sent + fee);
    const now = new Date();
    const id = `pay_test_${randomUUID().replaceAll('-', '')}`;
    const payment: Payment = { ...order, id, status: 'pending', createdAt: now, updatedAt: now };
    this.payments.set(id, payment);
    this.#later(1_600, () => this.#change(payment, 'processing'));
    return payment;
  }

  #change(payment: Payment, status: string): void {
    const { account, from, sent, fee, iban } = payment;
    payment.status = status;
    payment.updatedAt = new Date();
    if (status === 'processing') {
      account.held.set(from, (account.held.get(from) ?? 0) - sent - fee);
      this.#book(account, { kind: 'PAYOUT', amountMinor: -(sent + fee), currency: from, payment });
      this.#later(2_400, () =>
        this.#change(payment, iban?.endsWith('9999') === true ? 'failed' : 'completed'),
      );
    } else if (status === 'failed')
      this.#book(account, { kind: 'PAYOUT_REVERSAL', amountMinor: sent, currency: from, payment });
    const body = JSON.stringify({
      deliveryId: randomUUID(),
      event: `payment.${status}`,
      created_at: payment.updatedAt.toISOString(),
      data: {
        id: payment.id,
        status,
        from_currency: from,
        to_currency: payment.to,
        send_amount: sent / 100,
        receive_amount: payment.received / 100,
        mode: 'test',
        paymentReference: payment.purpose ?? null,
      },
    });
    void this.#deliver(account, body, 0);
  }

  #book(account: Account, entry: Omit<Entry, 'id' | 'createdAt'>): void {
    this.#entries += 1;
    account.entries.push({ ...entry, id: this.#entries, createdAt: new Date() });
    account.balances.set(entry.currency, (account.balances.get(entry.currency) ?? 0) + entry.amountMinor);
  }

  async #deliver(account: Account, body: string, attempt: number): Promise<void> {
    const { webhookUrl } = account;
    if (webhookUrl === undefined) return;
    const signature = createHmac('sha256', this.#options.secret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-service-signature': signature };
    const isReceived = await fetch(webhookUrl, { method: 'POST', headers, body }).then(
      async (response) => (await response.arrayBuffer(), response.status === 200),
      () => false,
    );
    const delay = retries[attempt];
    if (!isReceived && delay !== undefined)
      this.#later(delay, () => void this.#deliver(account, body, attempt + 1));
  }

  #later(milliseconds: number, job: () => void): void {
    setTimeout(job, milliseconds / this.#options.speed);
  }
}
