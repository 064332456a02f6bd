import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatTimestamp } from './ids.ts';
import type { Payment } from './payments.ts';

export interface WebhookEndpoint {
  readonly url: string;
  readonly secret: string;
  /** Factor by which every duration is shorter. */
  readonly speed: number;
}

/** Delays before each retry, in milliseconds. */
const RETRY_DELAYS = [1000, 3000, 9000];
const TIMEOUT = 5000;

/** Sends the status of a payment, and retries until the endpoint acknowledges it with 200. */
export async function deliverEvent(payment: Payment, endpoint: WebhookEndpoint): Promise<void> {
  const body = formatEvent(payment);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Service-Webhooks/1.4',
    'X-Service-Delivery': randomUUID(),
    'X-Service-Event': `payment.${payment.status}`,
    'X-Service-Signature': createHmac('sha256', endpoint.secret).update(body).digest('hex'),
  };
  for (const delay of [0, ...RETRY_DELAYS]) {
    await sleep(delay / endpoint.speed);
    const status = await post(endpoint, headers, body);
    // A receiver answers 410 to drop an event for good.
    if (status === 200 || status === 410) return;
  }
}

async function post(
  { url, speed }: WebhookEndpoint,
  headers: Record<string, string>,
  body: string,
): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT / speed);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}

function formatEvent({ id, status, mode, price }: Payment): string {
  return JSON.stringify({
    event: `payment.${status}`,
    created_at: formatTimestamp(new Date()),
    data: {
      id,
      status,
      from_currency: price.from,
      to_currency: price.to,
      send_amount: price.send / 100,
      receive_amount: price.receive / 100,
      mode,
    },
  });
}
