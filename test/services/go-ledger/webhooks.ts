import { createHmac } from 'node:crypto';
import type { Scheduler } from './clock.ts';
import { encodeJson } from './json.ts';
import { formatEvent, type Payment } from './payment.ts';
import type { Random } from './random.ts';

const MAX_ATTEMPTS = 5;
const ATTEMPT_TIMEOUT = 6_000;
const FIRST_RETRY_DELAY = 1_500;
/** Retry delays vary by this share in both directions. */
const JITTER = 0.2;
/** Client errors that a later attempt can cure. */
const retriedClientErrors: ReadonlySet<number> = new Set([408, 425, 429]);

interface OutboxContext {
  readonly secret: string;
  readonly speed: number;
  readonly now: () => number;
  readonly nextUlid: (time: number) => string;
  readonly schedule: Scheduler;
  readonly random: Random;
}

interface Message {
  readonly id: string;
  readonly url: string;
  readonly body: string;
}

/** Sends webhooks. The events of a payment keep their order: an event waits until the one before it is settled. */
export class Outbox {
  readonly #context: OutboxContext;
  readonly #queues = new Map<string, Message[]>();

  constructor(context: OutboxContext) {
    this.#context = context;
  }

  publish(payment: Payment): void {
    const { now, nextUlid } = this.#context;
    const url = payment.tenant.webhookUrl;
    if (url === undefined) return;
    const id = `evt_${nextUlid(now())}`;
    const message = { id, url, body: encodeJson(formatEvent(payment, now())) };
    const queue = this.#queues.get(payment.id);
    if (queue !== undefined) {
      queue.push(message);
      return;
    }
    this.#queues.set(payment.id, [message]);
    void this.#drain(payment.id);
  }

  /** Sends the events of a payment, including those that arrive in the meantime. */
  async #drain(paymentId: string): Promise<void> {
    const queue = this.#queues.get(paymentId) ?? [];
    for (let message = queue[0]; message !== undefined; message = queue[0]) {
      await this.#deliver(message);
      queue.shift();
    }
    this.#queues.delete(paymentId);
  }

  async #deliver(message: Message): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const status = await this.#post(message, attempt);
      if (!isRetried(status) || attempt === MAX_ATTEMPTS) return;
      await new Promise<void>((resolve) => {
        this.#context.schedule(this.#retryDelay(attempt), resolve);
      });
    }
  }

  #retryDelay(attempt: number): number {
    const jitter = 1 + JITTER * (2 * this.#context.random.fraction() - 1);
    return FIRST_RETRY_DELAY * 2 ** (attempt - 1) * jitter;
  }

  /** Returns the status of the answer, or undefined if there is none. */
  async #post({ id, url, body }: Message, attempt: number): Promise<number | undefined> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'user-agent': 'Go-http-client/1.1',
          'content-type': 'application/json',
          'x-service-signature': createHmac('sha256', this.#context.secret).update(body).digest('hex'),
          'x-service-event-id': id,
          'x-service-delivery-attempt': attempt.toString(),
        },
        body,
        signal: AbortSignal.timeout(ATTEMPT_TIMEOUT / this.#context.speed),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return undefined;
    }
  }
}

/** Only 200 acknowledges. A client error says that the endpoint does not want the event. */
function isRetried(status: number | undefined): boolean {
  if (status === undefined || retriedClientErrors.has(status)) return true;
  return status !== 200 && (status < 400 || status > 499);
}
