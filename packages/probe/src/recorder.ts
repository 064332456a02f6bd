import { isRecord, parseJson, toRecord } from '@service/internal';
import type { Delivery } from './seen.ts';

/** The destination of the webhooks that a listener receives during a run. */
export interface WebhookSink {
  /** Records the raw body of a webhook with a valid signature. Respond 200. */
  readonly record: (body: Uint8Array) => void;
  /** Counts a webhook with an invalid signature. */
  readonly reject: () => void;
}

/**
 * Starts to pass the webhooks of the account to a sink, and returns a function that stops this. A run calls it
 * once, before its first payment.
 */
export type WebhookSource = (sink: WebhookSink) => Promise<() => Promise<void>>;

/** Records webhooks. */
export interface WebhookRecorder extends WebhookSink {
  /** Number of deliveries with an invalid signature. */
  readonly rejected: () => number;
}

/** Creates a recorder that adds each valid delivery to a list. */
export function createWebhookRecorder(deliveries: Delivery[]): WebhookRecorder {
  let rejected = 0;
  return {
    rejected: () => rejected,
    record: (bytes) => {
      const body = parseJson(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      const { event, data } = toRecord(body);
      const { id, status: named } = toRecord(data);
      const [, status = named] = /^payment\.(.+)$/.exec(String(event)) ?? [];
      // A valid delivery that is not a payment event has no effect on the findings.
      if (isRecord(body) && typeof id === 'string' && typeof status === 'string')
        deliveries.push({ id, status, body });
    },
    reject: () => void (rejected += 1),
  };
}
