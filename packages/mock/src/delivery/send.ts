import { sign } from '@service/webhooks/edge';
import type { AttemptResult } from '../domain/delivery.ts';
import type { Endpoint } from '../world/books.ts';

/** Sends one event body to an endpoint, once; never throws. */
export type Send = (body: string, endpoint: Endpoint) => Promise<AttemptResult>;

/** Takes a request to where it is addressed, as the global `fetch` does. */
export type Fetch = (request: Request) => Promise<Response>;

/** How long a receiver has to answer, in milliseconds of real time (contract.md 5). */
export const IO_TIMEOUT = 10_000;

// Kept from load time, so that fake timers installed later cannot freeze a delivery.
const { setTimeout, clearTimeout } = globalThis;

/** Creates the sender: it signs the very bytes that it sends, follows no redirect and takes 200 alone as a yes. */
export function createSend(fetch: Fetch, timeout: number): Send {
  return async (body, endpoint) => {
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      deadline.abort();
      reject(deadline.signal.reason);
    }, timeout);
    try {
      const request = await buildRequest(body, endpoint, deadline.signal);
      // The deadline holds even for a `fetch` that does not heed its signal.
      const response = await Promise.race([fetch(request), expired]);
      await response.body?.cancel();
      return { outcome: response.status === 200 ? 'acknowledged' : 'refused', httpStatus: response.status };
    } catch {
      return { outcome: 'failed', reason: deadline.signal.aborted ? 'timeout' : 'network' };
    } finally {
      clearTimeout(timer);
    }
  };
}

async function buildRequest(body: string, { url, secret }: Endpoint, signal: AbortSignal): Promise<Request> {
  const bytes = new TextEncoder().encode(body);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'service-webhooks/1',
    'X-Service-Signature': await sign(bytes, secret),
  };
  return new Request(url, { method: 'POST', headers, body: bytes, redirect: 'manual', signal });
}
