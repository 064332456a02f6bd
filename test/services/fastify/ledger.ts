import { createHmac, randomBytes } from 'node:crypto';

// The tables of one account, and the worker that completes payments and sends webhooks. Amounts are cents.

export type PaymentStatus = 'pending' | 'processing' | 'completed' | 'failed';

export interface PaymentRow {
  readonly id: string;
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly sendCents: number;
  readonly feeCents: number;
  readonly rate: number;
  readonly receiveCents: number;
  readonly beneficiary: { name: string; bank: string | null; account: string | null; country: string | null };
  readonly purpose: string | null;
  /** Every status with the time of its commit, oldest first. Reads with a lag use it. */
  readonly history: { readonly status: PaymentStatus; readonly at: number }[];
}

export interface EntryRow {
  readonly id: number;
  readonly type: 'top_up' | 'supplier_payment' | 'fee' | 'refund';
  readonly paymentId: string | null;
  readonly description: string;
  readonly currency: string;
  /** Negative for a debit. */
  readonly cents: number;
  readonly at: number;
}

interface OutboxRow {
  readonly body: string;
  attempt: number;
  /** Infinity during an attempt. */
  dueAt: number;
  isDone: boolean;
}

export interface LedgerOptions {
  readonly now: () => number;
  /** Milliseconds from `pending` to `processing`, and from there to the final status. */
  readonly steps: readonly [number, number];
  readonly webhook?: { readonly url: string; readonly secret: string };
  /** Milliseconds before each retry of a webhook. */
  readonly retryDelays: readonly number[];
  /** Whether every acknowledged webhook is sent a second time, as if the acknowledgment was lost. */
  readonly duplicates: boolean;
}

const baseRates: Readonly<Record<string, number>> = { USD: 1, EUR: 0.923077, GBP: 0.79, NGN: 1500 };
const WORKER_INTERVAL = 10;

export function findRate(from: string, to: string): number | undefined {
  const [source, target] = [baseRates[from], baseRates[to]];
  return source && target ? Math.round((target / source) * 1e6) / 1e6 : undefined;
}

/** Returns the fee, 1 % on top of the amount, and the received amount. */
export function price(sendCents: number, rate: number): { feeCents: number; receiveCents: number } {
  return { feeCents: Math.round(sendCents / 100), receiveCents: Math.round(sendCents * rate) };
}

export function lastStatus(payment: PaymentRow): PaymentStatus {
  return payment.history.at(-1)?.status ?? 'pending';
}

export class Ledger {
  readonly payments: PaymentRow[] = [];
  readonly entries: EntryRow[] = [];
  readonly outbox: OutboxRow[] = [];
  readonly savedCreates = new Map<string, { readonly body: string; readonly payment: PaymentRow }>();
  readonly options: LedgerOptions;
  #jobs: { readonly at: number; readonly run: () => void }[] = [];
  #timer = setInterval(() => this.runJobs(), WORKER_INTERVAL);

  constructor(options: LedgerOptions) {
    this.options = options;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  balance(currency: string): number {
    return this.entries.filter((row) => row.currency === currency).reduce((sum, row) => sum + row.cents, 0);
  }

  /** Balance minus the pending payments, which are debited when their processing starts. */
  available(currency: string): number {
    return this.payments
      .filter((row) => row.fromCurrency === currency && lastStatus(row) === 'pending')
      .reduce((rest, row) => rest - row.sendCents - row.feeCents, this.balance(currency));
  }

  topUp(currency: string, cents: number, at?: number): void {
    this.#post({ type: 'top_up', paymentId: null, description: 'Top-up', currency, cents }, at);
  }

  insertPayment(values: Omit<PaymentRow, 'id' | 'history'>): PaymentRow {
    const { now, steps } = this.options;
    const history: PaymentRow['history'] = [{ status: 'pending', at: now() }];
    const payment = { ...values, id: `pay_test_${randomBytes(10).toString('hex')}`, history };
    this.payments.push(payment);
    this.#jobs.push({ at: now() + steps[0], run: () => this.#startProcessing(payment) });
    return payment;
  }

  #startProcessing(payment: PaymentRow): void {
    const { id: paymentId, fromCurrency: currency, purpose } = payment;
    const entry = { paymentId, currency, description: purpose ?? 'Supplier payment' };
    this.#post({ ...entry, type: 'supplier_payment', cents: -payment.sendCents });
    this.#post({ ...entry, type: 'fee', cents: -payment.feeCents });
    this.#setStatus(payment, 'processing');
    this.#jobs.push({
      at: this.options.now() + this.options.steps[1],
      run: () => this.#finish(payment, entry),
    });
  }

  #finish(payment: PaymentRow, entry: Pick<EntryRow, 'paymentId' | 'currency' | 'description'>): void {
    const isRejected = payment.beneficiary.account?.endsWith('0000') === true;
    if (isRejected) this.#post({ ...entry, type: 'refund', cents: payment.sendCents + payment.feeCents });
    this.#setStatus(payment, isRejected ? 'failed' : 'completed');
  }

  #setStatus(payment: PaymentRow, status: PaymentStatus): void {
    const { now, webhook } = this.options;
    payment.history.push({ status, at: now() });
    if (!webhook) return;
    const data = {
      id: payment.id,
      status,
      from_currency: payment.fromCurrency,
      to_currency: payment.toCurrency,
      send_amount: payment.sendCents / 100,
      receive_amount: payment.receiveCents / 100,
      mode: 'test',
    };
    const event = { event: `payment.${status}`, created_at: new Date(now()).toISOString(), data };
    this.outbox.push({ body: JSON.stringify(event), attempt: 0, dueAt: now(), isDone: false });
  }

  #post(entry: Omit<EntryRow, 'id' | 'at'>, at: number = this.options.now()): void {
    this.entries.push({ ...entry, id: this.entries.length + 1, at });
  }

  /** Runs the jobs and sends the webhooks that are due. */
  runJobs(): void {
    const now = this.options.now();
    const due = this.#jobs.filter((job) => job.at <= now);
    this.#jobs = this.#jobs.filter((job) => job.at > now);
    for (const job of due) job.run();
    for (const row of this.outbox.filter((waiting) => waiting.dueAt <= now)) void this.#deliver(row);
  }

  async #deliver(row: OutboxRow): Promise<void> {
    const { webhook, retryDelays, duplicates, now } = this.options;
    if (!webhook) return;
    row.dueAt = Infinity;
    row.attempt += 1;
    const signature = createHmac('sha256', webhook.secret).update(row.body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-service-signature': signature };
    const status = await fetch(webhook.url, { method: 'POST', headers, body: row.body }).then(
      async (response) => (await response.arrayBuffer(), response.status),
      () => 0,
    );
    const delay =
      status === 200 ? (duplicates && row.attempt === 1 ? 0 : undefined) : retryDelays[row.attempt - 1];
    row.isDone = delay === undefined;
    if (delay !== undefined) row.dueAt = now() + delay;
  }
}
