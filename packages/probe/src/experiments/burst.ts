import type { ProbeContext } from '../context.ts';
import type { RawResponse } from '../raw-client.ts';

/** A request that a limit counts, and the method if it counts no other requests. */
export interface Target {
  readonly request: () => Promise<RawResponse>;
  readonly method?: 'POST';
}

/** Requests until the limit. */
export interface Burst extends Target {
  /** The response that reveals most about the limit. */
  readonly response: RawResponse;
  readonly sent: number;
  /** Number of requests that were accepted. */
  readonly accepted: number;
}

/** Returns the method that a limit is restricted to, for its finding. */
export function methodOf({ method }: Target): { readonly method?: 'POST' } {
  return method === undefined ? {} : { method };
}

/** Sends requests at once, up to the burst of the plan, until a response reveals the limit. */
export async function sendUntilLimited({ plan }: ProbeContext, target: Target): Promise<Burst> {
  const { request } = target;
  const first = await request();
  let burst: Burst = { ...target, response: first, sent: 1, accepted: first.accepted ? 1 : 0 };
  const isWithout429 = (): boolean => burst.response.accepted;
  while (burst.sent < plan.burst && isWithout429()) {
    const count = Math.min(plan.burst - burst.sent, LARGEST_BURST);
    const { response, accepted } = await sendBurst(request, count);
    burst = { ...target, response, sent: burst.sent + count, accepted: burst.accepted + accepted };
  }
  return burst;
}

/**
 * Number of requests sent at once. More can exhaust the sockets of this machine before the limit is reached.
 */
const LARGEST_BURST = 100;

/**
 * Sends requests at once, to reach a limit per second. Returns the response that reveals most about the limit.
 */
async function sendBurst(
  send: () => Promise<RawResponse>,
  count: number,
): Promise<Pick<Burst, 'response' | 'accepted'>> {
  const requests = Array.from({ length: count }, () => send());
  const settled = await Promise.allSettled(requests);
  const responses = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const accepted = responses.filter((one) => one.accepted).length;
  const revealing =
    responses.find(({ status }) => status === 429) ??
    responses.find((one) => !one.accepted) ??
    responses.find((one) => listHeaders(one).length > 0);
  if (revealing !== undefined) return { response: revealing, accepted };
  // A failed connection counts only if no response reveals a limit.
  const [first] = await Promise.all(requests);
  return { response: first as RawResponse, accepted };
}

/** Returns the names of the rate limit headers of a response. */
export function listHeaders({ headers }: RawResponse): string[] {
  return [...headers.keys()].filter((name) => /^(x-)?ratelimit/.test(name));
}
