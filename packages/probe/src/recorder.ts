import { parseJson, toRecord } from '@service/internal';
import type { Delivery } from './seen.ts';

/** The destination of the webhooks that a listener receives during a run. */
export interface WebhookSink {
  /** Records the raw body of a webhook with a valid signature. Returns the status of the response: a few are refused with 500 to see when they come again. */
  readonly record: (body: Uint8Array) => 200 | 500;
}

/**
 * Starts to pass the webhooks of the account to a sink, and returns a function that stops this. A run calls it
 * once, before its first payment.
 */
export type WebhookSource = (sink: WebhookSink) => Promise<() => Promise<void>>;

/** The number of webhooks that are refused. */
const MAX_REFUSED = 2;

/** Creates a sink that adds each delivery to a list. It refuses the first events of completed payments once. */
export function createWebhookSink(deliveries: Delivery[], now: () => number): WebhookSink {
  return {
    record: (bytes) => {
      const body = toRecord(parseJson(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)));
      const { id, status: named } = toRecord(body.data);
      const [, status = named] = /^payment\.(.+)$/.exec(String(body.event)) ?? [];
      // A valid delivery that is not a payment event has no effect on the findings.
      if (typeof id !== 'string' || typeof status !== 'string') return 200;
      const isFirst = !deliveries.some((one) => one.id === id && one.status === status);
      const refused = deliveries.filter((one) => one.isRefused).length;
      const isRefused = status === 'completed' && isFirst && refused < MAX_REFUSED;
      deliveries.push({ id, status, body, at: now(), isRefused });
      return isRefused ? 500 : 200;
    },
  };
}
