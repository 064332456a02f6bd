import { isRecord, parseJson, type RunClock, toRecord } from '@service/internal';
import type { Delivery } from './seen.ts';

/** The destination of the webhooks that a listener receives during a run. */
export interface WebhookSink {
  /** Records the raw body of a webhook with a valid signature. Returns the status of the response to send. */
  readonly record: (body: Uint8Array) => number;
  /** Counts a webhook with an invalid signature. */
  readonly reject: () => void;
}

/**
 * Starts to pass the webhooks of the account to a sink, and returns a function that stops this. A run calls it
 * once, before its first payment.
 */
export type WebhookSource = (sink: WebhookSink) => Promise<() => Promise<void>>;

/** Records webhooks and determines the responses to them. */
export interface WebhookRecorder extends WebhookSink {
  /** Number of deliveries with an invalid signature. */
  readonly rejected: () => number;
}

/** The payments, in the order of their first events, whose first event gets a failure: the retries of two must agree. */
const failing: readonly number[] = [2, 5];

/** Creates a recorder that adds each valid delivery to a list. */
export function createWebhookRecorder(now: RunClock['now'], deliveries: Delivery[]): WebhookRecorder {
  const ids = new Set<string>();
  let rejected = 0;
  return {
    rejected: () => rejected,
    record: (bytes) => {
      const body = parseJson(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      const { event, data } = toRecord(body);
      const { id, status: named } = toRecord(data);
      const [, status = named] = /^payment\.(.+)$/.exec(String(event)) ?? [];
      // A valid delivery that is not a payment event has no effect on the findings.
      if (!isRecord(body) || typeof id !== 'string' || typeof status !== 'string') return 200;
      const own = deliveries.filter((one) => one.id === id);
      const [first] = own;
      ids.add(id);
      const isRefused = first === undefined ? failing.includes(ids.size) : first.status === status;
      const answer = isRefused ? (first?.answer ?? 500) : 200;
      const attempt = own.filter((one) => one.status === status).length + 1;
      deliveries.push({ id, status, body, attempt, at: now(), answer });
      return answer;
    },
    reject: () => void (rejected += 1),
  };
}
