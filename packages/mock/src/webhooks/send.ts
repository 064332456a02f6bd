import { sign } from '@service/webhooks/edge';
import type { AttemptResult } from '../domain/delivery.ts';
import type { Profile } from '../domain/profile.ts';
import { tamperBody } from '../domain/delivery-fault.ts';

/** The content, endpoint and signing secret of one attempt. */
export interface OutgoingWebhook {
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  /** The statuses that acknowledge the event. */
  readonly ack: Profile['ack'];
  /** Changes the body after signing. */
  readonly isTampered?: boolean;
}

/** A signed request. The body is the exact bytes that were signed. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Sends a request without following redirects and returns the status. Rejects without a response. */
export type WebhookSender = (signed: SignedRequest, signal: AbortSignal) => Promise<number>;

/** Sends a request, like the global `fetch`. */
export type FetchRequest = (request: Request) => Promise<Response>;

/** Signs and sends a webhook once. Never throws. */
export type Send = (webhook: OutgoingWebhook, sender: WebhookSender) => Promise<AttemptResult>;

/** A host resolves to an address that is not allowed. */
export class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed' as const;
}

/** Timeout of a receiver, in milliseconds of real time (docs/contract.md#webhooks). */
export const IO_TIMEOUT = 10_000;

// Captured at load time: fake timers that a test installs later must not stop a delivery.
const { setTimeout, clearTimeout } = globalThis;

/**
 * Creates a function that signs and sends webhooks. `ack` decides whether only 200 or any 2xx acknowledges an
 * event.
 */
export function createSend(timeout: number): Send {
  return async (webhook, sender) => {
    const { promise: expired, reject } = Promise.withResolvers<never>();
    // After a suspension of the process, the timer fires before the race below handles the rejection.
    expired.catch(() => {});
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort();
      reject(deadline.signal.reason);
    }, timeout);
    try {
      const signed = await signRequest(webhook);
      // The timeout applies even if the sender ignores its signal.
      const httpStatus = await Promise.race([sender(signed, deadline.signal), expired]);
      return { outcome: isAcknowledged(httpStatus, webhook.ack) ? 'acknowledged' : 'refused', httpStatus };
    } catch (error) {
      if (error instanceof AddressNotAllowed) return { outcome: 'failed', reason: 'address' };
      return { outcome: 'failed', reason: deadline.signal.aborted ? 'timeout' : 'network' };
    } finally {
      clearTimeout(timer);
    }
  };
}

function isAcknowledged(status: number, ack: Profile['ack']): boolean {
  return ack === 200 ? status === 200 : status >= 200 && status < 300;
}

/** Creates a sender that uses a `fetch` function. */
export function sendWith(fetch: FetchRequest): WebhookSender {
  return async ({ url, headers, body }, signal) => {
    const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    // Node references the source of a request signal weakly: without this, a `fetch` function that keeps only
    // `request.signal` can miss the timeout after a garbage collection.
    signal.addEventListener('abort', () => request, { once: true });
    const response = await fetch(request);
    // Frees the connection. A body that was already read cannot be canceled.
    response.body?.cancel().catch(() => {});
    return response.status;
  };
}

async function signRequest({
  url,
  body,
  secret,
  isTampered = false,
}: OutgoingWebhook): Promise<SignedRequest> {
  const bytes = new TextEncoder().encode(body);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'service-webhooks/1',
    'X-Service-Signature': await sign(bytes, secret),
  };
  return { url, headers, body: isTampered ? new TextEncoder().encode(tamperBody(body)) : bytes };
}
