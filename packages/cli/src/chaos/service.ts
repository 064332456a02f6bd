import { createHmac } from 'node:crypto';
import type { RunClock } from '@service/internal';
import { createMock, type Mock, type ProfileChoice, type RequestView } from '@service/mock';
import { listen, type MockServer } from '@service/mock/node';
import { send } from './application.ts';

/** A webhook to the application. */
export interface Webhook {
  /** The same for all attempts of an event. */
  readonly id: string;
  readonly event: string;
  readonly body: string;
  readonly instance?: number;
  /** What is forged in it. Undefined for a genuine one. */
  readonly forgery?: string | undefined;
  /** Null for none. By default the genuine one. */
  readonly signature?: string | null;
}

/** One attempt to send a webhook. */
export interface WebhookAttempt extends Webhook {
  readonly at: number;
  /** The status of the response. Undefined without one. */
  readonly status: number | undefined;
  readonly isAcknowledged: boolean;
}

/** A payment as the ledger has it. */
export interface LedgerPayment {
  readonly id: string;
  readonly status: string;
  readonly send_amount: string;
  readonly from_currency: string;
  readonly beneficiary: string;
  readonly purpose: string | null;
}

/** The options of a run. Those of the command have its help. Times are in milliseconds. */
export interface ChaosOptions {
  readonly command: readonly string[];
  readonly trigger?: string | undefined;
  readonly handled?: string | undefined;
  readonly webhooks?: string | undefined;
  readonly instances: number;
  readonly clientTimeout: number;
  readonly settle: number;
  readonly lease?: number | undefined;
  readonly kill?: string | undefined;
  readonly only?: readonly string[] | undefined;
  /** The variables of all instances except `PORT`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The port of each instance. */
  readonly ports: readonly number[];
  /** Whether the instances must accept connections at their ports. False for workers. */
  readonly hasPorts: boolean;
  /** The settings of the profile. */
  readonly settings: ProfileChoice;
  readonly seed: string;
  readonly clock: RunClock;
  /** Ends all processes. */
  readonly signal: AbortSignal;
  readonly onDefect: (error: unknown) => void;
}

const CHECK_DELAY = 15;
/** Maximum wait for an application that never stops paying, in milliseconds. */
const MAX_WAIT = 60_000;
/** An application that polls is settled after this multiple of the quiet time, although it sends requests. */
const POLLING = 3;
/** Creates that can arrive between two reads of the request log, of which each response causes one. */
const MAX_NEW = 100;
/** The rows of one page of the ledger. */
const PAGE = 1_000;

/** Signs a body (docs/contract.md#webhooks). */
export function sign(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** The mock, its ledger, and its webhooks, which only scenarios send. */
export class ChaosService {
  readonly mock: Mock;
  /** The signing secret of the endpoint. Empty without webhooks. */
  secret = '';
  readonly #options: ChaosOptions;
  #server: MockServer | undefined;
  /** All creates of the run, by id. The request log of the mock forgets them. */
  readonly #creates = new Map<string, RequestView>();
  /** The requests of any kind, and the webhooks so far. */
  #requests = 0;
  #webhooks = 0;

  constructor(options: ChaosOptions) {
    const { settings, seed, webhooks, onDefect } = options;
    this.#options = options;
    this.mock = createMock({
      profile: settings,
      seed,
      onDefect,
      fetch: () => Promise.reject(new Error('held until a scenario sends it')),
    });
    if (webhooks !== undefined) this.rotateSecret();
  }

  #webhookUrl(instance: number): string {
    const { ports, webhooks } = this.#options;
    return `http://localhost:${ports[instance] ?? ports[0]}${webhooks}`;
  }

  /** Serves the mock, and returns its base URL: the same in each run, because a store of intents belongs to a base URL. */
  async listen(): Promise<string> {
    const onResponse = ({ method, path }: { readonly method: string; readonly path: string }): void => {
      this.#requests += 1;
      if (method === 'POST' && path.endsWith('/payments')) this.creates();
    };
    this.#server = await listen(this.mock, { onResponse }).catch(() =>
      listen(this.mock, { port: 0, onResponse }),
    );
    return this.#server.baseUrl;
  }

  /** Returns all creates since the start of the run, oldest first. */
  creates(): readonly RequestView[] {
    const all = [...this.#creates.values()];
    // From the oldest create without a response on, the log can have changed.
    const open = all.findIndex(({ response }) => response === null);
    const limit = Math.min(1_000, MAX_NEW + (open === -1 ? 0 : all.length - open));
    for (const create of this.mock.sandbox.requests.list({ operation: 'createPayment', limit }))
      this.#creates.set(create.id, create);
    return [...this.#creates.values()];
  }

  /** Replaces the secret of the endpoint. */
  rotateSecret(): void {
    ({ secret: this.secret } = this.mock.sandbox.webhooks.setEndpoint({ url: this.#webhookUrl(0) }));
  }

  /** Sends a webhook to the application once. */
  async post(webhook: Webhook): Promise<WebhookAttempt> {
    const { body, instance = 0, signature = sign(body, this.secret) } = webhook;
    const headers = {
      'Content-Type': 'application/json',
      ...(signature !== null && { 'X-Service-Signature': signature }),
    };
    const url = this.#webhookUrl(instance);
    const response = await send(url, { method: 'POST', headers, body }).catch(() => undefined);
    await response?.body?.cancel();
    this.#webhooks += 1;
    const { status, ok = false } = response ?? {};
    const { ack } = this.mock.sandbox.profile.get();
    const isAcknowledged = status === 200 || (ack !== 200 && ok);
    return { ...webhook, at: this.#options.clock.now(), status, isAcknowledged };
  }

  async #readControl<Body>(path: string): Promise<Body> {
    const response = await send(`${this.#server?.url}/_sandbox${path}`, {});
    return (await response.json()) as Body;
  }

  /** Returns all payments of the ledger, oldest first. */
  async listPayments(): Promise<readonly LedgerPayment[]> {
    const all: LedgerPayment[] = [];
    for (;;) {
      const path = `/payments?limit=${PAGE}&offset=${all.length}`;
      const { rows } = await this.#readControl<{ rows: LedgerPayment[] }>(path);
      all.push(...rows);
      if (rows.length < PAGE) return all.toReversed();
    }
  }

  /** Sets the balance of all wallets. */
  async setBalances(amount: string): Promise<void> {
    const { wallets } = await this.#readControl<{ wallets: { currency: 'USD' }[] }>('/wallets');
    for (const { currency } of wallets) this.mock.sandbox.wallets.set({ currency, amount });
  }

  /**
   * Waits until a check holds. Returns false once the application is settled: there is neither a create nor a webhook for
   * the quiet time, by default the settle time, and no other request, unless it sends them for much longer.
   */
  async waitUntil(
    check: () => boolean | Promise<boolean>,
    quiet: number = this.#options.settle,
    delay: number = CHECK_DELAY,
  ): Promise<boolean> {
    const { clock, signal } = this.#options;
    const startedAt = clock.now();
    let [events, requests] = [this.#countEvents(), this.#requests];
    let [changedAt, requestedAt] = [startedAt, startedAt];
    while (!signal.aborted) {
      if (await check()) return true;
      const now = clock.now();
      if (requests !== this.#requests) requestedAt = now;
      if (events !== this.#countEvents()) changedAt = now;
      [events, requests] = [this.#countEvents(), this.#requests];
      const isQuiet = now - requestedAt > quiet || now - changedAt > POLLING * quiet;
      if ((now - changedAt > quiet && isQuiet) || now - startedAt > MAX_WAIT) return false;
      await clock.sleep(delay, signal);
    }
    return false;
  }

  /** Counts creates and webhooks. Reads that fail are no events: an application that repeats them polls. */
  #countEvents(): number {
    return this.creates().length + this.#webhooks;
  }

  async close(): Promise<void> {
    this.mock.sandbox.faults.clear();
    await this.#server?.close();
    await this.mock.close();
  }
}
