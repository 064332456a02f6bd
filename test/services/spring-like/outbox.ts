import { createHmac } from 'node:crypto';
import { nameUuid } from './deterministic.ts';
import type { Payment, PaymentStatus } from './payment.ts';
import { durations } from './settings.ts';
import { formatSeconds, type Instant, now, plusMilliseconds } from './timestamps.ts';

interface OutboxRecord {
  readonly id: string;
  readonly paymentId: string;
  readonly url: string;
  readonly payload: string;
  attempts: number;
  nextAttemptAt: Instant;
  isSending: boolean;
}

interface OutboxOptions {
  readonly secret: string;
  readonly speed: number;
}

/** Client errors that a later attempt may not get: all others end the delivery. */
const retryableClientErrors = new Set([408, 425, 429]);

/** Stored webhooks. Those of one payment are sent in order: a later one waits for the retries of an earlier one. */
export class Outbox {
  readonly #secret: string;
  readonly #speed: number;
  readonly #records: OutboxRecord[] = [];

  constructor({ secret, speed }: OutboxOptions) {
    this.#secret = secret;
    this.#speed = speed;
  }

  /** Stores the webhook of a changed status. */
  add(payment: Payment, previous: PaymentStatus): void {
    const { webhookUrl } = payment.account;
    if (webhookUrl === undefined) return;
    const id = nameUuid(`${payment.id}:${payment.status}`);
    this.#records.push({
      id,
      paymentId: payment.id,
      url: webhookUrl,
      payload: JSON.stringify(toPayload(id, payment, previous)),
      attempts: 0,
      nextAttemptAt: now(),
      isSending: false,
    });
  }

  /** Sends the first webhook of each payment, if it is due. */
  sendDue(): void {
    const time = now();
    const seen = new Set<string>();
    for (const record of this.#records) {
      const isFirst = !seen.has(record.paymentId);
      seen.add(record.paymentId);
      if (isFirst && !record.isSending && record.nextAttemptAt <= time) void this.#send(record);
    }
  }

  async #send(record: OutboxRecord): Promise<void> {
    record.isSending = true;
    record.attempts += 1;
    const status = await this.#post(record);
    record.isSending = false;
    const wait = durations.webhookBackoff[record.attempts - 1];
    const isFinal = status >= 400 && status < 500 && !retryableClientErrors.has(status);
    if (status === 200 || isFinal || wait === undefined)
      this.#records.splice(this.#records.indexOf(record), 1);
    else record.nextAttemptAt = plusMilliseconds(now(), wait / this.#speed);
  }

  /** Returns the status of the answer, or 0 if there was none. */
  async #post({ id, url, payload, attempts }: OutboxRecord): Promise<number> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'Java-http-client/21.0.5',
          'X-Service-Signature': createHmac('sha256', this.#secret).update(payload).digest('hex'),
          'X-Service-Event-Id': id,
          'X-Service-Attempt': String(attempts),
        },
        body: payload,
        signal: AbortSignal.timeout(durations.webhookTimeout / this.#speed),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return 0;
    }
  }
}

function toPayload(id: string, payment: Payment, previous: PaymentStatus): object {
  const { status, updatedAt, corridor, price, mode } = payment;
  return {
    event_id: id,
    event: `payment.${status}`,
    created_at: formatSeconds(updatedAt),
    data: {
      id: payment.id,
      status,
      previous_status: previous,
      from_currency: corridor.from,
      to_currency: corridor.to,
      send_amount: price.sendAmount,
      receive_amount: price.receiveAmount,
      mode,
    },
  };
}
