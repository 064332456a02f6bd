import { setTimeout as delay } from 'node:timers/promises';
import { isValidSignature } from '@service/webhooks';
import {
  findRows,
  type Observation,
  observePage,
  observeResponse,
  parseJson,
  type RawResponse,
} from './observation.ts';

/** A running service, or a mock that plays its profile. */
export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** A payment of another account. */
  readonly foreignPayment: string;
  /** Of a service in another language. */
  readonly accounts?: TestAccounts;
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

interface Delivery {
  readonly at: number;
  readonly headers: Headers;
  readonly text: string;
  readonly isSigned: boolean;
  readonly event: string;
  readonly createdAt: number;
  readonly paymentId: string;
}

export interface Receiver {
  readonly deliveries: readonly Delivery[];
  /** Secret of the deliveries that come next. */
  secret: string;
  /** Records a webhook. Returns the status of the response. */
  readonly receive: (body: string, headers: Headers) => number;
}

/** Amount of the payment whose first delivery is refused. */
export const REFUSED_AMOUNT = 7.77;

/** Creates a receiver that refuses the first webhook of the payment of `REFUSED_AMOUNT`. */
export function createReceiver(now: () => number): Receiver {
  const deliveries: Delivery[] = [];
  let hasRefused = false;
  const receiver: Receiver = {
    deliveries,
    secret: '',
    receive(text, headers) {
      const { event, created_at, data } = JSON.parse(text) as {
        readonly event: string;
        readonly created_at: string;
        readonly data: { readonly id: string; readonly send_amount: unknown };
      };
      const isSigned = isValidSignature(text, headers.get('x-service-signature'), receiver.secret);
      const createdAt = Date.parse(created_at);
      deliveries.push({ at: now(), headers, text, isSigned, event, createdAt, paymentId: data.id });
      const isRefused = !hasRefused && Number(data.send_amount) === REFUSED_AMOUNT;
      hasRefused ||= isRefused;
      return isRefused ? 500 : 200;
    },
  };
  return receiver;
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
  readonly receiver: Receiver;
  /** Ids of the created payments by label. */
  readonly payments = new Map<string, string>();
  /** Balances before the payments of some labels. */
  readonly balancesBefore = new Map<string, ReadonlyMap<string, number>>();
  /** Texts that requests had, which responses repeat. */
  readonly sent = new Set<string>();
  /** Rate at the start of the run. */
  firstRate: unknown;
  readonly #context: SessionContext;
  #history: Promise<readonly object[]> | undefined;

  constructor(target: Target, accounts: TestAccounts, receiver: Receiver, context = systemContext) {
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
    for (const value of Object.values(body ?? {})) if (typeof value === 'string') this.sent.add(value);
    const response = await this.#context.fetch(path.startsWith('http') ? path : this.target.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(authorization ?? { authorization: `Bearer ${this.target.apiKey}` }),
        ...(text !== undefined && { 'content-type': 'application/json' }),
        // As the SDK and the probe do: a service can respond in another format to other requests.
        accept: 'application/json',
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async call(method: string, path: string, options?: RequestOptions): Promise<Observation> {
    return this.observe(await this.send(method, path, options));
  }

  observe(response: RawResponse): Observation {
    return observeResponse(response, this.sent);
  }

  /** Creates a payment and keeps its id under its purpose. */
  async pay(label: string, fields: object, headers: Record<string, string> = {}): Promise<RawResponse> {
    const sum = { from_currency: 'USD', to_currency: 'EUR' };
    const body = { ...sum, beneficiary_name: 'Alder Ltd', purpose: label, ...fields };
    const response = await this.send('POST', '/payments', { body, headers });
    const id = findPaymentId(response);
    if (id !== undefined) this.payments.set(label, id);
    return response;
  }

  /** Calls a function until it returns a value, or until the time is over. */
  async #poll<Value>(
    milliseconds: number,
    read: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    const end = this.#context.now() + milliseconds;
    while (this.#context.now() < end) {
      const value = await read();
      if (value !== undefined) return value;
      await this.#context.sleep(POLL_INTERVAL);
    }
    return undefined;
  }

  /** Reads a payment until its status is final. */
  async watch(
    label: string,
  ): Promise<{ readonly statuses: readonly string[]; readonly last: RawResponse | undefined }> {
    const id = this.payments.get(label);
    if (id === undefined) return { statuses: [], last: undefined };
    const finalStatuses = label === 'returning' ? ['failed'] : ['completed', 'failed'];
    const statuses = ['pending'];
    let last: RawResponse | undefined;
    await this.#poll(25_000, async () => {
      last = await this.send('GET', `/payments/${id}`);
      const { status } = readData<{ status?: string }>(last);
      if (status !== undefined && status !== statuses.at(-1)) statuses.push(status);
      return finalStatuses.find((final) => final === status);
    });
    return { statuses, last };
  }

  /** Reads balances by currency, in hundredths. */
  async readBalances(): Promise<ReadonlyMap<string, number>> {
    const { balances = [] } = readData<{ balances?: { currency: string; balance: unknown }[] }>(
      await this.send('GET', '/balance'),
    );
    return new Map(balances.map(({ currency, balance }) => [currency, Math.round(Number(balance) * 100)]));
  }

  async list(query: string): Promise<Observation> {
    const response = await this.send('GET', `/transactions${query}`);
    return observePage(response, { sent: this.sent, isOwn: (row) => this.isOwn(row) });
  }

  /** Returns whether a row of the history belongs to a payment of this run. */
  isOwn(row: object, label?: string): boolean {
    const text = JSON.stringify(row);
    const payments = [...this.payments].filter(([name]) => label === undefined || name === label);
    return payments.some(([name, id]) => text.includes(`"${id}"`) || text.includes(`"${name}"`));
  }

  /** Returns all rows when the history stays the same, so that lagging reads show every write. */
  async readHistory(): Promise<readonly object[]> {
    this.#history ??= (async () => {
      let last = '';
      let unchangedSince = this.#context.now();
      await this.#poll(15_000, async () => {
        const { text } = await this.send('GET', '/transactions?per_page=100');
        const rows = JSON.stringify(findRows(parseJson(text)));
        if (rows !== last) unchangedSince = this.#context.now();
        last = rows;
        return this.#context.now() - unchangedSince >= 1_500 ? rows : undefined;
      });
      return JSON.parse(last) as object[];
    })();
    return this.#history;
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
    return this.#poll(12_000, async () => {
      const [first, ...others] = this.receiver.deliveries.filter(({ paymentId }) => paymentId === id);
      const again = others.find(({ event }) => event === first?.event);
      return first && again && (again.at - first.at) / 1_000;
    });
  }
}

/** Returns the data of a response. */
function readData<Data>({ text }: RawResponse): Partial<Data> {
  return ((parseJson(text) ?? {}) as { data?: Partial<Data> }).data ?? {};
}

export function findPaymentId(response: RawResponse): string | undefined {
  const { id } = readData<{ id: unknown }>(response);
  return typeof id === 'string' ? id : undefined;
}
