import { IdempotencyStore } from './idempotency.ts';
import { Ledger } from './ledger.ts';
import type { RateTable } from './money.ts';
import type { Mode } from './payment.ts';
import { PaymentsService } from './payments.ts';
import { QuotesService } from './quotes.ts';
import { RandomStream } from './random.ts';
import type { Timeline } from './timeline.ts';
import type { WebhookDispatcher } from './webhooks.ts';

export interface EnvironmentOptions {
  /** Name of the account, for ids that differ between accounts. */
  readonly account: string;
  readonly mode: Mode;
  readonly seed: number;
  readonly rates: RateTable;
  readonly timeline: Timeline;
  readonly webhooks: WebhookDispatcher;
  /** Balances in hundredths. */
  readonly balances: Readonly<Record<string, bigint>>;
}

const DAY = 86_400_000;

/** One account in one mode, opened by one API key. */
export class Environment {
  readonly mode: Mode;
  readonly apiKey: string;
  readonly ledger: Ledger;
  readonly quotes: QuotesService;
  readonly payments: PaymentsService;
  readonly idempotency: IdempotencyStore;

  constructor({ account, mode, seed, rates, timeline, webhooks, balances }: EnvironmentOptions) {
    const random = (use: string): RandomStream => new RandomStream(seed, `${account}.${mode}.${use}`);
    this.mode = mode;
    this.apiKey = `service_${mode}_${random('key').hex(40)}`;
    const firstId = 10_000_000 + Math.floor(random('transactions').next() * 80_000_000);
    this.ledger = new Ledger({ now: () => timeline.now(), firstId });
    const openedAt = timeline.now() - 3 * DAY;
    for (const [index, [currency, amount]] of Object.entries(balances).entries())
      this.ledger.deposit({ currency, amount, createdAt: openedAt + index * 60_000 });
    this.quotes = new QuotesService(rates, random('quotes'), timeline);
    this.payments = new PaymentsService({
      mode,
      timeline,
      ledger: this.ledger,
      quotes: this.quotes,
      random: random('payments'),
      onChange: (payment) => webhooks.notify(payment),
    });
    this.idempotency = new IdempotencyStore(timeline);
  }
}
