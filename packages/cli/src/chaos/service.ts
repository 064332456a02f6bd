import { createHmac } from 'node:crypto';
import type { JsonObject, RunClock } from '@service/internal';
import { createMock, type Delivery, type Mock, type RequestView } from '@service/mock';
import { listen, type ServedRequest } from '@service/mock/node';
import { send } from './application.ts';

/** A webhook as it is sent to the application. */
export interface Webhook {
  readonly body: string;
  /** Left out to send no header. */
  readonly signature?: string;
}

/** One attempt to send a webhook to the application. */
export interface WebhookAttempt {
  readonly at: number;
  readonly event: string;
  /** What is wrong with a forged one. Undefined for a genuine one. */
  readonly forgery?: string | undefined;
  /** The status of the response. Undefined without one. */
  readonly status: number | undefined;
}

/** A payment as the ledger has it. */
export interface LedgerPayment {
  readonly id: string;
  readonly status: string;
  readonly send_amount: string;
  readonly from_currency: string;
  readonly purpose: string | null;
  readonly created_at: string;
}

/** How webhooks reach the application. Reset before each scenario. */
export interface WebhookRoute {
  /** Whether genuine webhooks wait for `deliver`. */
  isHeld: boolean;
  /** Changes a genuine webhook. */
  alter: ((webhook: Webhook) => Webhook) | undefined;
  /** Called when the application has acknowledged an event. */
  onAcknowledged: ((event: string) => void) | undefined;
}

/** The mock, its ledger, and the route of its webhooks. */
export interface ChaosService extends AsyncDisposable {
  readonly mock: Mock;
  readonly baseUrl: string;
  /** The signing secret of the endpoint. */
  readonly secret: string;
  /** Signs a body, by default with the secret of the endpoint (docs/contract.md#webhooks). */
  readonly sign: (body: string, key?: string) => string;
  /** Replaces the secret of the endpoint. */
  readonly rotateSecret: () => void;
  readonly route: WebhookRoute;
  readonly attempts: readonly WebhookAttempt[];
  /** Sends a webhook past the mock, such as a forged one. */
  readonly post: (webhook: Webhook, forgery?: string) => Promise<number | undefined>;
  readonly listPayments: () => Promise<readonly LedgerPayment[]>;
  readonly listCreates: (since: Date) => readonly RequestView[];
  readonly listDeliveries: () => readonly Delivery[];
  /** Sets the balance of all wallets. */
  readonly setBalances: (amount: string) => Promise<void>;
  /** Waits until a check holds. Returns false if there is neither a create nor a webhook for the settle time. */
  readonly waitUntil: (check: () => boolean | Promise<boolean>, settle?: number) => Promise<boolean>;
}

/** The options of `openService`. */
export interface ChaosServiceOptions {
  readonly profile: JsonObject;
  readonly seed: string;
  /** The URL of the webhook route. Undefined without webhooks. */
  readonly webhookUrl: string | undefined;
  readonly settle: number;
  readonly clock: RunClock;
  readonly signal: AbortSignal;
  readonly onDefect: (error: unknown) => void;
}

const CHECK_DELAY = 10;
const SIGNATURE = 'x-service-signature';

/** Starts the mock at a free port. */
export async function openService(options: ChaosServiceOptions): Promise<ChaosService> {
  const { profile, seed, webhookUrl, settle, clock, signal, onDefect } = options;
  const route: WebhookRoute = { isHeld: true, alter: undefined, onAcknowledged: undefined };
  const attempts: WebhookAttempt[] = [];
  let creates = 0;
  const post = async ({ body, signature }: Webhook, forgery?: string): Promise<number | undefined> => {
    const event = /"event"\s*:\s*"([^"]*)"/.exec(body)?.[1] ?? '';
    const headers = {
      'Content-Type': 'application/json',
      ...(signature !== undefined && { [SIGNATURE]: signature }),
    };
    const request = { url: webhookUrl ?? '', method: 'POST', headers, body };
    const status = await send(request).then(
      (response) => response.status,
      () => undefined,
    );
    attempts.push({ at: clock.now(), event, forgery, status });
    if (status === 200) route.onAcknowledged?.(event);
    return status;
  };
  const sendGenuine = async (request: Request): Promise<Response> => {
    if (route.isHeld) throw new Error('held until the scenario delivers');
    const webhook = { body: await request.text(), signature: request.headers.get(SIGNATURE) ?? '' };
    const status = await post(route.alter?.(webhook) ?? webhook);
    if (status === undefined) throw new Error('no response');
    return new Response(null, { status });
  };
  const mock = createMock({ profile, seed, fetch: sendGenuine, onDefect });
  const { sandbox } = mock;
  let { secret = '' } = webhookUrl === undefined ? {} : sandbox.webhooks.setEndpoint({ url: webhookUrl });
  const onResponse = ({ method, path }: ServedRequest): void => {
    // Not reads: an application can poll for as long as it runs.
    if (method === 'POST' && path.endsWith('/payments')) creates += 1;
  };
  // At the same port in each run, because a store of intents belongs to a base URL.
  const server = await listen(mock, { onResponse }).catch(() => listen(mock, { port: 0, onResponse }));
  const readControl = async <Body>(path: string): Promise<Body> => {
    const { body } = await send({ url: `${server.url}/_sandbox${path}`, method: 'GET' });
    return JSON.parse(body) as Body;
  };
  const countEvents = (): string =>
    [creates, attempts.length, ...sandbox.faults.list().map(({ fired }) => fired)].join();
  return {
    mock,
    baseUrl: server.baseUrl,
    get secret() {
      return secret;
    },
    rotateSecret: () => void ({ secret } = sandbox.webhooks.rotateSecret()),
    sign: (body, key = secret) => createHmac('sha256', key).update(body).digest('hex'),
    route,
    attempts,
    post,
    listPayments: async () => (await readControl<{ rows: LedgerPayment[] }>('/payments?limit=1000')).rows,
    listCreates: (since) => sandbox.requests.list({ operation: 'createPayment', since }),
    listDeliveries: () => sandbox.webhooks.deliveries(),
    async setBalances(amount) {
      const { wallets } = await readControl<{ wallets: { currency: 'USD' }[] }>('/wallets');
      for (const { currency } of wallets) sandbox.wallets.set({ currency, amount });
    },
    async waitUntil(check, limit = settle) {
      let seen = countEvents();
      let changedAt = clock.now();
      while (!signal.aborted) {
        if (await check()) return true;
        const events = countEvents();
        if (events !== seen) changedAt = clock.now();
        seen = events;
        if (clock.now() - changedAt > limit) return false;
        await clock.sleep(CHECK_DELAY, signal);
      }
      return false;
    },
    async [Symbol.asyncDispose]() {
      sandbox.faults.clear();
      await server.close();
      await mock.close();
    },
  };
}
