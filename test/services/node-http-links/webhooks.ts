import { createHmac } from 'node:crypto';
import { type Payment } from './account.ts';
import { toEasternTime } from './http.ts';

const GAPS = [1_500, 4_500, 12_000];

export class WebhookSender {
  readonly #url: string;
  readonly #secret: string;
  readonly #speed: number;

  constructor(url: string, secret: string, speed: number) {
    this.#url = url;
    this.#secret = secret;
    this.#speed = speed;
  }

  send({ id, status, sent, received }: Payment): void {
    const event = {
      api_version: '2026-01',
      event: `payment.${status}`,
      created_at: toEasternTime(new Date()),
      data: {
        id,
        status,
        from_currency: sent.currency,
        to_currency: received.currency,
        send_amount: sent.toNumber(),
        receive_amount: received.toNumber(),
        mode: 'test',
      },
    };
    void this.#attempt(JSON.stringify(event), 0);
  }

  async #attempt(body: string, retries: number): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      'x-service-signature': createHmac('sha256', this.#secret).update(body).digest('hex'),
      'x-service-timestamp': String(Math.floor(Date.now() / 1_000)),
    };
    try {
      const response = await fetch(this.#url, { method: 'POST', headers, body });
      await response.arrayBuffer();
      if (response.ok) return;
    } catch {
      // No response is handled like a refusal.
    }
    const gap = GAPS[retries];
    if (gap !== undefined) setTimeout(() => void this.#attempt(body, retries + 1), gap / this.#speed);
  }
}
