import { createHmac } from 'node:crypto';
import { toAmount } from './money.ts';
import type { Payment } from './payment.ts';
import type { RandomStream } from './random.ts';
import { durations, MIN_WEBHOOK_TIMEOUT, WEBHOOK_TIMEOUT, webhookRetries } from './settings.ts';
import { formatTimestamp, type Timeline } from './timeline.ts';

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

interface WebhooksOptions {
  readonly url: string | undefined;
  readonly secret: string;
  readonly random: RandomStream;
  readonly timeline: Timeline;
}

/** Sends the status changes of an account to its endpoint, again until the endpoint acknowledges them. */
export class WebhookDispatcher {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  notify(payment: Payment): void {
    const { url, random, timeline } = this.#options;
    if (url === undefined) return;
    const id = random.uuid();
    const event = `payment.${payment.status}`;
    const body = JSON.stringify({
      id,
      event,
      created_at: formatTimestamp(payment.updatedAt),
      data: {
        id: payment.id,
        status: payment.status,
        from_currency: payment.from,
        to_currency: payment.to,
        send_amount: toAmount(payment.sendAmount),
        fee: toAmount(payment.fee),
        receive_amount: toAmount(payment.receiveAmount),
        purpose: payment.purpose,
        failure_reason: payment.failureReason,
        mode: payment.mode,
      },
    });
    timeline.after(durations.webhookDispatch, () => void this.#deliver(url, { id, event, body }, 1));
  }

  async #deliver(url: string, delivery: Delivery, attempt: number): Promise<void> {
    if (await this.#send(url, delivery, attempt)) return;
    const delay = webhookRetries[attempt - 1];
    if (delay === undefined) return;
    this.#options.timeline.after(delay, () => void this.#deliver(url, delivery, attempt + 1));
  }

  /** Returns whether the endpoint acknowledged the delivery. */
  async #send(url: string, { id, event, body }: Delivery, attempt: number): Promise<boolean> {
    const { secret, timeline } = this.#options;
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Service-Webhooks/2.0',
      'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
      'x-service-event': event,
      'x-service-delivery': id,
      'x-service-attempt': String(attempt),
    };
    const signal = AbortSignal.timeout(
      Math.max(MIN_WEBHOOK_TIMEOUT, Math.ceil(timeline.scale(WEBHOOK_TIMEOUT))),
    );
    try {
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }
}
