import { sign } from '@service/webhooks/edge';
import type { Endpoint } from '../world/books.ts';

/** Says how a receiver answered, or why it did not. */
export type AttemptResult =
  | { readonly outcome: 'acknowledged' | 'refused'; readonly httpStatus: number }
  | { readonly outcome: 'failed'; readonly reason: 'timeout' | 'network' };

/** Sends one event body to an endpoint, once; never throws. */
export type Send = (body: string, endpoint: Endpoint) => Promise<AttemptResult>;

/** Takes a request to where it is addressed, as the global `fetch` does. */
export type Fetch = (request: Request) => Promise<Response>;

/** How long a receiver has to answer, in milliseconds of real time (contract.md 5). */
export const IO_TIMEOUT = 10_000;

/** Creates the sender: it signs the very bytes that it sends, follows no redirect and takes 200 alone as a yes. */
export function createSend(fetch: Fetch, timeout: number): Send {
  return async (body, { url, secret }) => {
    const bytes = new TextEncoder().encode(body);
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'service-webhooks/1',
      'X-Service-Signature': await sign(bytes, secret),
    };
    const signal = AbortSignal.timeout(timeout);
    try {
      const request = new Request(url, { method: 'POST', headers, body: bytes, redirect: 'manual', signal });
      const response = await withDeadline(fetch(request), signal);
      await response.body?.cancel();
      return { outcome: response.status === 200 ? 'acknowledged' : 'refused', httpStatus: response.status };
    } catch {
      return { outcome: 'failed', reason: signal.aborted ? 'timeout' : 'network' };
    }
  };
}

/** Gives up at the deadline even on a `fetch` that does not heed its signal. */
async function withDeadline<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const expire = (): void => reject(signal.reason);
  signal.addEventListener('abort', expire, { once: true });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    signal.removeEventListener('abort', expire);
  }
}
