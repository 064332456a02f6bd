import { isRecord, parseJson, type RunClock, toRecord } from '@service/internal';
import type { Exchange } from './exchange.ts';

/** The destination of the webhooks that a listener receives during a run. */
export interface WebhookSink {
  /** Records the raw body of a webhook with a valid signature. Returns the status of the response to send. */
  readonly record: (body: Uint8Array, headers?: Headers) => number;
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
  /** Sets the status of the response to the first event, or with a success to all, of each payment that is new from now on. */
  readonly respondToNew: (status: number) => void;
  /** Sets the status of the response to the first event of a payment, or with a success to all. */
  readonly respondTo: (id: string, status: number) => void;
}

/** Creates a recorder that adds each valid delivery to a list of exchanges. */
export function createWebhookRecorder(
  now: RunClock['now'],
  onExchange: (exchange: Exchange) => void,
): WebhookRecorder {
  /** The first event of each payment, and the status of the response to it. */
  const first = new Map<unknown, { readonly event: unknown; readonly status: number }>();
  const planned = new Map<unknown, number>();
  let [statusForNew, rejected] = [200, 0];
  return {
    rejected: () => rejected,
    record: (bytes, headers) => {
      const body = parseJson(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      const { event, data } = toRecord(body);
      const { id } = toRecord(data);
      // A valid delivery that is not a payment event has no effect on the findings.
      if (!isRecord(body) || typeof id !== 'string') return 200;
      const known = first.get(id) ?? { event, status: planned.get(id) ?? statusForNew };
      first.set(id, known);
      const status = known.event === event || known.status < 300 ? known.status : 200;
      onExchange({
        kind: 'webhook',
        at: new Date(now()).toISOString(),
        ms: 0,
        request: { method: 'POST', path: '/', headers: Object.fromEntries(headers ?? []), body },
        response: { status, headers: {} },
      });
      return status;
    },
    reject: () => void (rejected += 1),
    respondToNew: (status) => void (statusForNew = status),
    respondTo: (id, status) => void planned.set(id, status),
  };
}
