import { clearTimeout, createDeferred, setTimeout, toHex, toMilliseconds } from '@service/internal';
import type { Attempt, AttemptResult, Delivery } from '../domain/delivery.ts';
import { type AccountState, type Changes, storeDelivery } from '../state/state.ts';
import type { Clock } from '../state/clock.ts';
import { deriveText, HEX } from '../domain/ids.ts';
import type { AddressPolicy } from './address.ts';
import { AddressNotAllowed, type FetchRequest, type WebhookSender } from './sender.ts';
import { COLLECT, type InProcessEndpoints } from './in-process-endpoint.ts';
import { tamperBody } from '../domain/fault.ts';
import type { Profile } from '../domain/profile.ts';
import { mergeHeaders } from '../domain/response.ts';

/** Timeout of a receiver, in milliseconds of real time (docs/contract.md#webhooks). */
export const IO_TIMEOUT = 10_000;

/** The clock, senders and address policy of delivery attempts. */
export interface AttemptOptions {
  readonly clock: Clock;
  readonly changes: Changes;
  readonly addresses: AddressPolicy;
  readonly inProcessEndpoints: InProcessEndpoints;
  readonly sender: WebhookSender;
}

/**
 * Attempts a delivery with the current endpoint and secret, and records the result. Returns the changed
 * delivery, or undefined without an attempt. Never throws.
 */
export async function attemptDelivery(
  accountState: AccountState,
  id: string,
  isManual: boolean,
  options: AttemptOptions,
): Promise<Delivery | undefined> {
  const { changes, clock, addresses, inProcessEndpoints } = options;
  const confirmed = changes.recorder?.confirmEventually();
  if (confirmed !== undefined) await confirmed;
  const { endpoint, deliveries, mode, profile, source } = accountState;
  const delivery = deliveries.get(id);
  if (delivery === undefined || accountState.isReplaced) return undefined;
  if (endpoint === null) {
    stopDelivery(changes, accountState, delivery);
    return undefined;
  }
  const at = clock.now();
  const { url } = endpoint;
  // An injected fault affects only the first attempt.
  const fault = delivery.attempts.length === 0 ? delivery.fault : null;
  const isCollected = url === COLLECT;
  let result: AttemptResult;
  if (fault === 'drop') result = { outcome: 'failed', reason: 'dropped' };
  else if (!isCollected && !addresses.allows(url, mode)) result = { outcome: 'failed', reason: 'address' };
  else {
    const webhook = {
      url,
      body: delivery.body,
      secret: fault === 'wrong_secret' ? deriveText(source, 'wrong secret', 64, HEX) : endpoint.secret,
      ack: profile.ack,
      headers: profile.headers.event as Readonly<Record<string, string>> | undefined,
      isTampered: fault === 'tamper',
    };
    const sender = isCollected ? inProcessEndpoints.senderOf(accountState, delivery) : options.sender;
    result = await sendWebhook(webhook, sender, IO_TIMEOUT);
  }
  // Another attempt can have ended in the meantime.
  const latest = deliveries.get(id);
  if (latest === undefined) return undefined;
  const attempt = { at, url, result, ...(isManual && { isManual: true as const }) };
  const changed = recordAttempt(latest, attempt, accountState.profile);
  storeDelivery(changes, accountState, changed);
  return changed;
}

/** Records an attempt and schedules the next one, unless the result is final or the schedule has ended. */
function recordAttempt(delivery: Delivery, attempt: Attempt, { retrySchedule }: Profile): Delivery {
  const attempts = [...delivery.attempts, attempt];
  const { result } = attempt;
  if (result.outcome === 'acknowledged')
    return { ...delivery, attempts, state: 'acknowledged', next_at: null };
  if (result.outcome === 'refused' && result.httpStatus === 410)
    return { ...delivery, attempts, state: 'stopped', next_at: null };
  const isScheduled = delivery.state === 'queued' || delivery.state === 'retrying';
  if (attempt.isManual || !isScheduled) return { ...delivery, attempts };
  const delay = retrySchedule[attempts.filter(({ isManual }) => !isManual).length - 1];
  if (delay === undefined) return { ...delivery, attempts, state: 'exhausted', next_at: null };
  return { ...delivery, attempts, state: 'retrying', next_at: attempt.at + toMilliseconds(delay) };
}

/** Stops a delivery that has no endpoint. */
export function stopDelivery(changes: Changes, accountState: AccountState, delivery: Delivery): void {
  storeDelivery(changes, accountState, { ...delivery, state: 'stopped', next_at: null });
}

/** Signs and sends a webhook once. Never throws. */
export async function sendWebhook(
  webhook: OutgoingWebhook,
  sender: WebhookSender,
  timeout: number,
): Promise<AttemptResult> {
  const { promise: expired, reject } = createDeferred<never>();
  // After a suspension of the process, the timer fires before the race below handles the rejection.
  expired.catch(() => {});
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort();
    reject(deadline.signal.reason);
  }, timeout);
  try {
    const { url, body, secret, isTampered = false } = webhook;
    const bytes = encoder.encode(body);
    const own = { 'Content-Type': 'application/json', 'User-Agent': 'service-webhooks/1' };
    const signature = { 'X-Service-Signature': await computeSignature(bytes, secret) };
    const headers = webhook.headers
      ? mergeHeaders(own, webhook.headers, signature)
      : { ...own, ...signature };
    const signed = { url, headers, body: isTampered ? encoder.encode(tamperBody(body)) : bytes };
    // The timeout applies even if the sender ignores its signal.
    const httpStatus = await Promise.race([sender(signed, deadline.signal), expired]);
    const isSuccess = httpStatus >= 200 && httpStatus < 300;
    const isAcknowledged = webhook.ack === 200 ? httpStatus === 200 : isSuccess;
    return { outcome: isAcknowledged ? 'acknowledged' : 'refused', httpStatus };
  } catch (error) {
    if (error instanceof AddressNotAllowed) return { outcome: 'failed', reason: 'address' };
    if (deadline.signal.aborted) return { outcome: 'failed', reason: 'timeout' };
    // A `fetch` has the error of the connection as its cause.
    const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
    const detail = networkErrors[String(code ?? cause?.code)];
    return { outcome: 'failed', reason: 'network', ...(detail !== undefined && { detail }) };
  } finally {
    clearTimeout(timer);
  }
}

/** The failures of a connection in words, by the error code of the runtime. */
const networkErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed without a response',
  EPIPE: 'connection closed without a response',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
};

/** Creates a sender that uses a `fetch` function. */
export function sendWith(fetch: FetchRequest): WebhookSender {
  return async ({ url, headers, body }, signal) => {
    const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    // Node references the source of a request signal weakly: without this, a `fetch` function that keeps only
    // `request.signal` can miss the timeout after a garbage collection.
    const keepRequest = (): Request => request;
    signal.addEventListener('abort', keepRequest, { once: true });
    try {
      const response = await fetch(request);
      // Frees the connection. A body that was already read cannot be canceled.
      response.body?.cancel().catch(() => {});
      return response.status;
    } finally {
      // Node keeps the signal until the request is collected: with the listener, neither ever is.
      signal.removeEventListener('abort', keepRequest);
    }
  };
}

/** The content, endpoint and signing secret of one attempt. */
export interface OutgoingWebhook {
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  /** The statuses that acknowledge the event. */
  readonly ack: Profile['ack'];
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Changes the body after signing. */
  readonly isTampered?: boolean;
}

const encoder = new TextEncoder();

/**
 * Computes the HMAC-SHA256 of a body, in hexadecimal (docs/contract.md#webhooks). Synchronous in Node: the threads of
 * `crypto.subtle` end in any order, and the order of attempts must be the same in every run.
 */
function computeSignature(body: Uint8Array<ArrayBuffer>, secret: string): string | Promise<string> {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  return node?.createHmac('sha256', secret).update(body).digest('hex') ?? signInBrowser(body, secret);
}

async function signInBrowser(body: Uint8Array<ArrayBuffer>, secret: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  return toHex(new Uint8Array(await subtle.sign('HMAC', key, body)));
}
