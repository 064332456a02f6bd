import { setTimeout as delay } from 'node:timers/promises';
import {
  findRows,
  type Observation,
  observePage,
  observeResponse,
  parseJson,
  type RawResponse,
} from './observation.ts';
import type { InProcessReceiver } from './receiver.ts';

/** A running service, or a mock that plays its profile. */
export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** A payment of another account. */
  readonly foreignPayment: string;
}

/** Test data that the documentation of a service names. */
export interface TestAccounts {
  /** Beneficiary account whose payments fail. */
  readonly failing: string;
  /** Beneficiary account whose payments fail after they completed. */
  readonly returning?: string;
  /** Beneficiary account for which the gateway reports an outage. */
  readonly unavailable?: string;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** Body that is sent as it is. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default the Bearer token of the account */
  readonly authorization?: Readonly<Record<string, string>>;
}

const POLL_INTERVAL = 60;
/** Maximum number of requests of one call while the service limits the rate. */
const MAX_ATTEMPTS = 20;
const finalStatuses = new Set(['completed', 'failed']);

/** The requests and the time of a run. */
export interface SessionContext {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Returns the time for durations, in milliseconds. */
  readonly now: () => number;
  /** Returns the time of HTTP dates, in milliseconds since 1970. */
  readonly date: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const systemContext: SessionContext = {
  fetch: async (url, init) => fetch(url, init),
  now: () => performance.now(),
  date: () => Date.now(),
  sleep: async (milliseconds) => delay(milliseconds),
};

/** The connection of one run, and the ids of its payments for later calls. */
export class Session {
  readonly target: Target;
  readonly accounts: TestAccounts;
  readonly receiver: InProcessReceiver;
  /** Ids of the created payments by label. */
  readonly payments = new Map<string, string>();
  /** Balances before the payments of some labels. */
  readonly balancesBefore = new Map<string, ReadonlyMap<string, number>>();
  /** Rate at the start of the run. */
  firstRate: unknown;
  readonly #context: SessionContext;
  readonly #sent = new Set<string>();
  #history: Promise<readonly object[]> | undefined;

  constructor(
    target: Target,
    accounts: TestAccounts,
    receiver: InProcessReceiver,
    context: SessionContext = systemContext,
  ) {
    this.#context = context;
    this.target = target;
    this.accounts = accounts;
    this.receiver = receiver;
  }

  /** Sends a request, again when the service limits the rate. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<RawResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.sendOnce(method, path, options);
      if (response.status !== 429 || attempt === MAX_ATTEMPTS) return response;
      const retryAfter = response.headers.get('retry-after') ?? '1';
      const wait = /^\d+$/.test(retryAfter)
        ? Number(retryAfter) * 1_000
        : Date.parse(retryAfter) - this.#context.date();
      await this.#context.sleep(Math.max(50, wait || 1_000));
    }
  }

  async sendOnce(method: string, path: string, options: RequestOptions = {}): Promise<RawResponse> {
    const { body, text = JSON.stringify(body), headers, authorization } = options;
    if (typeof body === 'object' && body !== null) this.#remember(body);
    const url = path.startsWith('http') ? path : this.target.baseUrl + path;
    const response = await this.#context.fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(authorization ?? { authorization: `Bearer ${this.target.apiKey}` }),
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  #remember(body: object): void {
    for (const value of Object.values(body) as unknown[])
      if (typeof value === 'string') this.#sent.add(value);
  }

  async call(method: string, path: string, options?: RequestOptions): Promise<Observation> {
    return this.observe(await this.send(method, path, options));
  }

  observe(response: RawResponse): Observation {
    return observeResponse(response, this.#sent);
  }

  get sent(): ReadonlySet<string> {
    return this.#sent;
  }

  /** Creates a payment and keeps its id under its purpose. */
  async pay(
    label: string,
    fields: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawResponse> {
    const body = {
      from_currency: 'USD',
      to_currency: 'EUR',
      beneficiary_name: 'Alder Ltd',
      purpose: label,
      ...fields,
    };
    const response = await this.send('POST', '/payments', { body, headers });
    const id = findPaymentId(response);
    if (id !== undefined) this.payments.set(label, id);
    return response;
  }

  /** Reads a payment until its status is final. */
  async watch(
    label: string,
  ): Promise<{ readonly statuses: readonly string[]; readonly last: RawResponse | undefined }> {
    const id = this.payments.get(label);
    const statuses = ['pending'];
    const isReturning = label === 'returning';
    let last: RawResponse | undefined;
    const end = this.#context.now() + 25_000;
    if (id === undefined) return { statuses: [], last };
    while (this.#context.now() < end) {
      last = await this.send('GET', `/payments/${id}`);
      const { data } = (parseJson(last.text) ?? {}) as { data?: { status?: string } };
      const status = data?.status;
      if (status !== undefined && status !== statuses.at(-1)) statuses.push(status);
      if (status !== undefined && (isReturning ? status === 'failed' : finalStatuses.has(status))) break;
      await this.#context.sleep(POLL_INTERVAL);
    }
    return { statuses, last };
  }

  /** Reads balances by currency, in hundredths. */
  async readBalances(): Promise<ReadonlyMap<string, number>> {
    const { text } = await this.send('GET', '/balance');
    const { data } = (parseJson(text) ?? {}) as {
      data?: { balances?: { currency: string; balance: unknown }[] };
    };
    const balances = data?.balances ?? [];
    return new Map(balances.map(({ currency, balance }) => [currency, Math.round(Number(balance) * 100)]));
  }

  async list(query: string): Promise<Observation> {
    const response = await this.send('GET', `/transactions${query}`);
    return observePage(response, { sent: this.#sent, isOwn: (row) => this.isOwn(row) });
  }

  /** Returns whether a row of the history belongs to a payment of this run. */
  isOwn(row: object, label?: string): boolean {
    const text = JSON.stringify(row);
    const payments = [...this.payments].filter(([name]) => label === undefined || name === label);
    return payments.some(([name, id]) => text.includes(`"${id}"`) || text.includes(`"${name}"`));
  }

  /** Returns all rows when the history stays the same, so that lagging reads show every write. */
  async readHistory(): Promise<readonly object[]> {
    this.#history ??= this.#waitForHistory();
    return this.#history;
  }

  async #waitForHistory(): Promise<readonly object[]> {
    let last = '';
    let unchangedSince = this.#context.now();
    const end = this.#context.now() + 15_000;
    while (this.#context.now() - unchangedSince < 1_500 && this.#context.now() < end) {
      const rows = JSON.stringify(
        findRows(parseJson((await this.send('GET', '/transactions?per_page=100')).text)),
      );
      if (rows !== last) unchangedSince = this.#context.now();
      last = rows;
      await this.#context.sleep(POLL_INTERVAL);
    }
    return JSON.parse(last) as object[];
  }

  /** Waits until no webhook comes for some time. */
  async waitForWebhooks(quiet = 2_500): Promise<void> {
    const start = this.#context.now();
    const lastAt = (): number => Math.max(start, this.receiver.deliveries.at(-1)?.at ?? 0);
    while (this.#context.now() - lastAt() < quiet) await this.#context.sleep(POLL_INTERVAL);
  }

  /** Waits for a second delivery of the refused webhook. Returns the gap in seconds, or undefined if there is none. */
  async waitForRetry(label: string): Promise<number | undefined> {
    const id = this.payments.get(label);
    for (
      const end = this.#context.now() + 12_000;
      this.#context.now() < end;
      await this.#context.sleep(POLL_INTERVAL)
    ) {
      const all = this.receiver.deliveries.filter(({ paymentId }) => paymentId === id);
      const [first] = all;
      const again = all.find((delivery) => delivery !== first && delivery.event === first?.event);
      if (first && again) return (again.at - first.at) / 1_000;
    }
    return undefined;
  }
}

export function findPaymentId({ text }: RawResponse): string | undefined {
  const { data } = (parseJson(text) ?? {}) as { data?: { id?: unknown } };
  return typeof data?.id === 'string' ? data.id : undefined;
}
