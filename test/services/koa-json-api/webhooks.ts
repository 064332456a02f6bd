import { createHmac } from 'node:crypto';
import { type Clock, formatTime } from './clock.ts';
import type { IdFactory } from './random.ts';

/** Seconds from one attempt to the next. */
const RETRY_DELAYS = [4, 20, 60, 300, 1_800];
const TIMEOUT_MILLISECONDS = 10_000;

export interface WebhookOptions {
  readonly url: string | undefined;
  readonly secret: string;
  readonly clock: Clock;
  readonly ids: IdFactory;
}

interface Delivery {
  readonly id: string;
  readonly body: string;
}

/** Sends signed events to the endpoint of an account, again until it answers with 200. */
export class WebhookSender {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  send(event: string, data: object): void {
    const { url, ids } = this.#options;
    if (url === undefined) return;
    const id = ids.next('evt');
    const body = JSON.stringify({ id, event, created_at: formatTime(new Date()), data });
    void this.#attempt(url, { id, body }, 1);
  }

  async #attempt(url: string, delivery: Delivery, attempt: number): Promise<void> {
    const isAccepted = await this.#post(url, delivery, attempt);
    const delay = RETRY_DELAYS[attempt - 1];
    if (isAccepted || delay === undefined) return;
    this.#options.clock.after(delay, () => void this.#attempt(url, delivery, attempt + 1));
  }

  async #post(url: string, { id, body }: Delivery, attempt: number): Promise<boolean> {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Service-Notifications/1.0',
      'x-service-signature': createHmac('sha256', this.#options.secret).update(body).digest('hex'),
      'x-service-event-id': id,
      'x-service-delivery-attempt': String(attempt),
    };
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    try {
      const response = await fetch(url, { method: 'POST', redirect: 'manual', headers, body, signal });
      await response.body?.cancel();
      return response.status === 200;
    } catch {
      return false;
    }
  }
}
