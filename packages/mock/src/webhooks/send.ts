import { sign } from '@service/webhooks/edge';
import type { AttemptResult } from '../domain/delivery.ts';
import type { Profile } from '../domain/profile.ts';
import { tamperBody } from '../domain/delivery-fault.ts';

/** Holds what one attempt is to say, where, and the secret that signs it. */
export interface OutgoingWebhook {
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  /** Which statuses acknowledge it. */
  readonly ack: Profile['ack'];
  /** Changes a byte of the body after it was signed. */
  readonly isTampered?: boolean;
}

/** Holds a request as it goes out: the very bytes that were signed. */
export interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Posts a parcel, follows no redirect, and returns the status of the answer; rejects when there is none. */
export type WebhookSender = (signed: SignedRequest, signal: AbortSignal) => Promise<number>;

/** Takes a request to where it is addressed, as the global `fetch` does. */
export type Fetch = (request: Request) => Promise<Response>;

/** Signs a letter and sends it once; never throws. */
export type Send = (webhook: OutgoingWebhook, sender: WebhookSender) => Promise<AttemptResult>;

/** Tells that a host leads to an address that nothing is delivered to. */
export class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed' as const;
}

/** How long a receiver has to answer, in milliseconds of real time (contract.md 5). */
export const IO_TIMEOUT = 10_000;

// Kept from load time, so that fake timers installed later cannot freeze a delivery.
const { setTimeout, clearTimeout } = globalThis;

/** Creates the sender: it signs the very bytes that it sends and takes 200 alone as a yes, or any 2xx where the letter says so. */
export function createSend(timeout: number): Send {
  return async (webhook, sender) => {
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort();
      reject(deadline.signal.reason);
    }, timeout);
    try {
      const signed = await signRequest(webhook);
      // The deadline holds even for a carrier that does not heed its signal.
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

/** Makes a carrier of a `fetch`, which reaches whatever that one reaches. */
export function sendWith(fetch: Fetch): WebhookSender {
  return async ({ url, headers, body }, signal) => {
    const response = await fetch(
      new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal }),
    );
    // Nobody reads it; one that was read already cannot be cancelled, and need not be.
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
