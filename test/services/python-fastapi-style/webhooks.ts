import { createHmac } from 'node:crypto';
import { type Clock, formatIsoTime } from './clock.ts';
import { defaultStyle, formatJson } from './json.ts';
import type { Environment, Payment, WebhookEndpoint } from './models.ts';
import { createUuidHex, type Random } from './random.ts';
import { toMoney } from './schemas.ts';

/** Delays before the second and each later attempt, in seconds. */
const RETRY_DELAYS = [2, 10, 60, 300];
/** Maximum time of an attempt, in seconds. */
const ATTEMPT_TIMEOUT = 10;

export type WebhookFetch = (url: string, init: RequestInit) => Promise<Response>;

interface Delivery {
  readonly endpoint: WebhookEndpoint;
  readonly eventId: string;
  /** Body of each attempt. */
  readonly body: string;
}

/** Sends a webhook for each status change. Events are independent tasks: a retry does not delay later events. */
export class WebhookDispatcher {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #fetch: WebhookFetch;

  constructor(clock: Clock, random: Random, fetch: WebhookFetch) {
    this.#clock = clock;
    this.#random = random;
    this.#fetch = fetch;
  }

  dispatch({ endpoint, mode }: Environment, { id, status, quote, updatedAt }: Payment): void {
    if (!endpoint) return;
    const event = {
      event: `payment.${status}`,
      created_at: formatIsoTime(updatedAt),
      data: {
        id,
        status,
        from_currency: quote.fromCurrency,
        to_currency: quote.toCurrency,
        send_amount: toMoney(quote.sendAmount),
        receive_amount: toMoney(quote.receiveAmount),
        mode,
      },
    };
    const body = formatJson(event, defaultStyle);
    void this.#deliver({ endpoint, eventId: `evt_${createUuidHex(this.#random)}`, body }, 0);
  }

  async #deliver(delivery: Delivery, retries: number): Promise<void> {
    if (await this.#attempt(delivery)) return;
    const wait = RETRY_DELAYS[retries];
    if (wait !== undefined) this.#clock.after(wait, () => void this.#deliver(delivery, retries + 1));
  }

  /** Returns whether the endpoint acknowledged the event. */
  async #attempt({ endpoint, eventId, body }: Delivery): Promise<boolean> {
    const controller = new AbortController();
    const cancel = this.#clock.after(ATTEMPT_TIMEOUT, () => controller.abort());
    try {
      const response = await this.#fetch(endpoint.url, {
        method: 'POST',
        redirect: 'manual',
        signal: controller.signal,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'python-httpx/0.28.1',
          'x-service-event-id': eventId,
          'x-service-signature': createHmac('sha256', endpoint.secret).update(body).digest('hex'),
        },
        body,
      });
      await response.body?.cancel();
      return response.status === 200;
    } catch {
      return false;
    } finally {
      cancel();
    }
  }
}
