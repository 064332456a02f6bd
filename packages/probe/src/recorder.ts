import { type RunClock, parseJson, toRecord } from '@service/internal';
import { Inconclusive } from './finding.ts';

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

/** A valid delivery of a payment event. */
export interface RecordedWebhook {
  /** The id of the payment. */
  readonly id: string;
  /** The status in the event; the payment may have another one meanwhile. */
  readonly status: string;
  readonly text: string;
  /** The headers of the request; undefined if they were not recorded. */
  readonly headers: Headers | undefined;
  /** The number of this attempt to deliver the event, from 1. */
  readonly attempt: number;
  /** Time of the delivery, in milliseconds. */
  readonly at: number;
  /** The status of the response to the delivery. */
  readonly responseStatus: number;
  /** Number of further deliveries within a second: copies, or retries without a delay. */
  readonly copies: number;
}

/** Records webhooks and determines the responses to them. */
export interface WebhookRecorder extends WebhookSink {
  /** The deliveries in their order, without copies: a second delivery within a second is not a retry. */
  readonly webhooks: readonly RecordedWebhook[];
  /** Number of deliveries with an invalid signature. */
  readonly rejected: number;
  /** Sets the status of the response to the first event of each payment that is new from now on. */
  readonly respondToNew: (status: number) => void;
  /** Responds with a status to the first event of a payment and to its further deliveries. All others get 200. */
  readonly respondTo: (id: string, status: number) => void;
}

/**
 * Times within which a second delivery of an event is a copy, in milliseconds: in general, and for an event without
 * acknowledgement of a service that has not sent copies of others.
 */
const [COPY_WINDOW, RETRY_WINDOW] = [1_000, 200];

/** Returns whether the service has sent copies of webhooks that were acknowledged. */
function hasCopies(webhooks: readonly RecordedWebhook[]): boolean {
  return webhooks.some((one) => one.responseStatus === 200 && one.copies > 0);
}

/** Returns whether an event is the first one of its payment, or that one again. */
function isFirstEvent(
  webhooks: readonly RecordedWebhook[],
  { id, status }: Pick<RecordedWebhook, 'id' | 'status'>,
): boolean {
  const first = webhooks.find((one) => one.id === id);
  return first === undefined || first.status === status;
}

export function createWebhookRecorder(now: RunClock['now']): WebhookRecorder {
  const webhooks: (RecordedWebhook & { copies: number })[] = [];
  const statusOf = new Map<string, number>();
  let statusForNew = 200;
  let rejected = 0;
  return {
    webhooks,
    get rejected() {
      return rejected;
    },
    record: (body, headers) => {
      const event = parseEvent(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body));
      if (event === undefined) return 200;
      const { id, status } = event;
      const isSame = (one: RecordedWebhook): boolean => one.id === id && one.status === status;
      const last = webhooks.findLast(isSame);
      const at = now();
      const window = last?.responseStatus === 200 || hasCopies(webhooks) ? COPY_WINDOW : RETRY_WINDOW;
      if (last !== undefined && at - last.at < window) {
        last.copies += 1;
        return last.responseStatus;
      }
      const responseStatus = isFirstEvent(webhooks, event)
        ? (statusOf.get(id) ?? (webhooks.some((one) => one.id === id) ? 200 : statusForNew))
        : 200;
      webhooks.push({
        ...event,
        headers,
        attempt: webhooks.filter(isSame).length + 1,
        at,
        responseStatus,
        copies: 0,
      });
      return responseStatus;
    },
    reject: () => void (rejected += 1),
    respondToNew: (status) => void (statusForNew = status),
    respondTo: (id, status) => void statusOf.set(id, status),
  };
}

/** Explains why no webhook was recorded. */
export function explainMissingWebhook({ rejected }: WebhookRecorder): string {
  if (rejected === 0) return 'no webhook was received; check the URL and the secret of the endpoint';
  return `no valid webhook was received, and ${rejected} rejected; check that the signing secret is the secret of the endpoint`;
}

function parseEvent(text: string): Pick<RecordedWebhook, 'id' | 'status' | 'text'> | undefined {
  const { event, data } = toRecord(parseJson(text));
  const { id } = toRecord(data);
  const [, status] = /^payment\.(.+)$/.exec(typeof event === 'string' ? event : '') ?? [];
  // A valid delivery that is not a payment event has no effect on the experiments.
  return typeof id === 'string' && status !== undefined ? { id, status, text } : undefined;
}

/**
 * Returns the webhook recorder.
 *
 * @throws {Inconclusive} when this process receives no webhooks.
 */
export function requireRecorder({
  recorder,
}: {
  readonly recorder: WebhookRecorder | undefined;
}): WebhookRecorder {
  if (recorder !== undefined) return recorder;
  throw new Inconclusive('requires webhooks: pass `webhooks`');
}
