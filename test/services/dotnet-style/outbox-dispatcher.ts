import { createHmac } from 'node:crypto';
import type { DbContext } from './db-context.ts';
import type { OutboxMessage } from './entities.ts';
import type { Settings } from './settings.ts';
import type { TimeProvider } from './time.ts';

export interface OutboxDispatcherOptions {
  readonly db: DbContext;
  readonly time: TimeProvider;
  readonly settings: Settings['outbox'];
  readonly fetch: typeof fetch;
}

/** Hosted service that sends webhook notifications from the outbox, with exponential backoff. */
export class OutboxDispatcher {
  readonly #options: OutboxDispatcherOptions;

  constructor(options: OutboxDispatcherOptions) {
    this.#options = options;
  }

  start(): void {
    const { time, settings } = this.#options;
    time.createTimer(() => this.#sendDueMessages(), settings.period);
  }

  #sendDueMessages(): void {
    const { db, time, settings } = this.#options;
    const now = time.getUtcNow();
    const due = [...db.outbox].filter((message) => !message.isLocked && message.nextAttemptAt <= now);
    for (const message of due.slice(0, settings.batchSize)) void this.#process(message);
  }

  async #process(message: OutboxMessage): Promise<void> {
    const { db, time, settings } = this.#options;
    message.isLocked = true;
    const isAcknowledged = await this.#send(message);
    message.attempts += 1;
    if (isAcknowledged || message.attempts > settings.maxRetryAttempts) {
      db.outbox.delete(message);
      return;
    }
    const factor = 2n ** BigInt(message.attempts - 1);
    message.nextAttemptAt = time.getUtcNow() + settings.baseDelay * factor;
    message.isLocked = false;
  }

  /** Sends one attempt. Returns whether the endpoint acknowledged it; never throws. */
  async #send({ id, endpoint, body }: OutboxMessage): Promise<boolean> {
    try {
      const response = await this.#options.fetch(endpoint.url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          'User-Agent': 'Payments-Webhooks/1.0',
          'X-Service-Delivery': id,
          'X-Service-Signature': createHmac('sha256', endpoint.secret).update(body).digest('hex'),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#options.settings.timeout),
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }
}
