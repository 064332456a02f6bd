import { isRecord, parseJson, toRecord } from '@service/internal';
import type { Delivery } from './seen.ts';

/** The destination of the webhooks that a listener receives during a run. */
export interface WebhookSink {
  /** Records the raw body of a webhook with a valid signature. Respond 200. */
  readonly record: (body: Uint8Array) => void;
}

/**
 * Starts to pass the webhooks of the account to a sink, and returns a function that stops this. A run calls it
 * once, before its first payment.
 */
export type WebhookSource = (sink: WebhookSink) => Promise<() => Promise<void>>;

/** Creates a sink that adds each delivery to a list. */
export function createWebhookSink(deliveries: Delivery[]): WebhookSink {
  return {
    record: (bytes) => {
      const body = parseJson(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      const { event, data } = toRecord(body);
      const { id, status: named } = toRecord(data);
      const [, status = named] = /^payment\.(.+)$/.exec(String(event)) ?? [];
      // A valid delivery that is not a payment event has no effect on the findings.
      if (isRecord(body) && typeof id === 'string' && typeof status === 'string')
        deliveries.push({ id, status, body });
    },
  };
}
