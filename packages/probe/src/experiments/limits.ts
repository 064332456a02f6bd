import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, NoResponse, other, unknown } from '../finding.ts';
import { describeResponse, type RawResponse, readRetryAfter } from '../raw-client.ts';
import { readStatedLimit } from '../templates/limits.ts';
import { roundWithin, toDuration, toRange } from './durations.ts';

/** The experiments about latency and the rate limit. They run last, because they use the limit up. */
export const rateLimit: readonly Experiment[] = [
  { settings: ['latency'], run: evaluateLatency },
  { settings: ['rateLimitHeaders', 'retryAfter', 'rateLimit'], run: probeRateLimit },
];

/** Minimum number of responses behind a finding, and the longest time that counts as none, in milliseconds. */
const [MIN_RESPONSES, NO_LATENCY] = [20, 25];

/**
 * Evaluates the times of the responses so far, without the fastest and the slowest 5 %. Sends more requests if nearly all
 * of them were sent at the same time as others.
 */
async function evaluateLatency({ responseTimes, send }: ProbeContext): Promise<Finding[]> {
  for (let missing = MIN_RESPONSES - responseTimes.length; missing > 0; missing -= 1) await send('/balance');
  const times = responseTimes.toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? 0;
  const [shortest, longest] = [at(0.05), at(0.95)];
  const evidence = `90 % of ${times.length} responses took ${Math.round(shortest)} to ${Math.round(longest)} ms`;
  if (times.length < MIN_RESPONSES) return [unknown('latency', evidence)];
  return [found('latency', longest <= NO_LATENCY ? 0 : toRange([shortest, longest]), evidence)];
}

async function probeRateLimit(context: ProbeContext): Promise<Finding[]> {
  const { plan } = context;
  const burst = await sendUntilLimited(context);
  const { response, sent } = burst;
  if (response.status === 429) context.limited.push(response);
  const names = listHeaders(response);
  const evidence = `${response.status}: ${names.join(', ') || 'no rate limit headers'}`;
  const isUnlimited = response.accepted && names.length === 0;
  if (!response.accepted && response.status !== 429 && names.length === 0)
    throw new NoResponse(`the service responded to a burst of requests with ${describeResponse(response)}`);
  if (isUnlimited) {
    const reason =
      plan.burst === 0
        ? 'no limit in 1 request; `burst: N` sends up to N'
        : `no limit in ${sent} requests; a higher \`burst\` sends more`;
    return [
      unknown('rateLimitHeaders', reason),
      unknown('retryAfter', reason),
      evaluateStated(context, reason),
    ];
  }
  return [
    evaluateHeaders(response, names, evidence),
    evaluateRetryAfter(response),
    await measureLimit(context, burst),
  ];
}

/** Determines the form of the rate limit headers. */
export function evaluateHeaders(
  { headers }: RawResponse,
  names: readonly string[],
  evidence: string,
): Finding {
  const prefixedCount = names.filter((name) => name.startsWith('x-')).length;
  if (prefixedCount > 0 && prefixedCount < names.length) return other('rateLimitHeaders', evidence);
  if (names.includes('x-ratelimit-limit')) return found('rateLimitHeaders', 'x', evidence);
  if (names.includes('ratelimit')) return found('rateLimitHeaders', 'ietf', evidence);
  // Other names are headers of every response, which are another setting.
  return found('rateLimitHeaders', headers.has('retry-after') ? 'retryAfter' : 'none', evidence);
}

/** Determines the form of `Retry-After`. */
export function evaluateRetryAfter({ status, headers }: RawResponse): Finding {
  const text = headers.get('retry-after');
  const evidence = `${status} with Retry-After: ${text ?? 'absent'}`;
  if (text === null) return unknown('retryAfter', evidence);
  if (/^\d+$/.test(text)) return found('retryAfter', 'seconds', evidence);
  return Number.isNaN(Date.parse(text))
    ? other('retryAfter', evidence)
    : found('retryAfter', 'date', evidence);
}

/** Requests until the limit. */
interface Burst {
  /** The response that reveals most about the limit. */
  readonly response: RawResponse;
  readonly sent: number;
  /** Number of requests that were accepted. */
  readonly accepted: number;
}

/** Maximum wait for the next window, in seconds. */
const MAX_WAIT = 60;

/**
 * Waits for the next window after a 429, and uses it up: the requests that it accepts are the limit, and the wait after
 * them its length.
 */
async function measureLimit(context: ProbeContext, { response, sent }: Burst): Promise<Finding> {
  const { now, sleep } = context;
  if (response.status !== 429)
    return evaluateStated(context, `no 429 in ${sent} requests; a higher \`burst\` sends more`);
  const wait = readRetryAfter(response.headers);
  if (wait === undefined) return measureSilentLimit(context, sent);
  if (wait > MAX_WAIT)
    return unknown('rateLimit', `a 429 after ${sent} requests requires a wait of ${wait} s`);
  await sleep(Math.max(1, wait) * 1_000);
  const start = now();
  const next = await sendUntilLimited(context);
  const rest = readRetryAfter(next.response.headers);
  const elapsed = now() - start;
  const evidence = `a new window accepted ${next.accepted} of ${next.sent} requests at once`;
  if (next.response.status !== 429 || rest === undefined) return unknown('rateLimit', evidence);
  // `Retry-After` has whole seconds.
  const seconds = Math.max(1, rest + Math.floor(elapsed / 1_000));
  return found(
    'rateLimit',
    { requests: next.accepted, window: toDuration(seconds * 1_000) },
    `${evidence}, then Retry-After: ${next.response.headers.get('retry-after')}`,
  );
}

/** Time between two requests that wait for the next window, in milliseconds. */
const STEP = 1_000;

/** Measures a limit whose 429 has no `Retry-After`: uses up the next window, and waits for the one after it. */
async function measureSilentLimit(context: ProbeContext, sent: number): Promise<Finding> {
  const { now, sendOnce } = context;
  const evidence = `a 429 after ${sent} requests has no Retry-After`;
  if ((await sendOnce('/balance')).accepted)
    return unknown(
      'rateLimit',
      `${evidence}, and the next request was accepted: it limits requests at the same time`,
    );
  const isOpen = await awaitWindow(context);
  const start = now();
  const next = isOpen ? await sendUntilLimited(context) : undefined;
  if (next?.response.status !== 429 || !(await awaitWindow(context)))
    return unknown('rateLimit', `${evidence}, and no window of at most ${MAX_WAIT} s follows it`);
  const elapsed = now() - start;
  // The first request of the window was accepted before.
  const requests = next.accepted + 1;
  return found(
    'rateLimit',
    { requests, window: toDuration(roundWithin(Math.max(1, elapsed - STEP), elapsed)) },
    `${evidence}; the next window accepted ${requests} requests and took about ${Math.round(elapsed / 1_000)} s`,
  );
}

/** Requests until one is accepted. Returns whether one was, within the longest wait. */
async function awaitWindow({ sendOnce, now, sleep }: ProbeContext): Promise<boolean> {
  for (const end = now() + MAX_WAIT * 1_000; now() <= end;) {
    await sleep(STEP);
    const { accepted } = await sendOnce('/balance');
    if (accepted) return true;
  }
  return false;
}

/** Determines the limit that the headers of responses state, which no request has reached. */
function evaluateStated({ readings, headers }: ProbeContext, evidence: string): Finding {
  const stated = readStatedLimit(readings, headers);
  if (stated === undefined) return unknown('rateLimit', evidence);
  const { requests, seconds } = stated;
  return found(
    'rateLimit',
    { requests, window: toDuration(seconds * 1_000) },
    `headers state ${requests} requests and at most ${seconds} s until the next window; ${evidence}`,
  );
}

/** Sends requests at once, up to the burst of the plan, until a response reveals the limit. */
async function sendUntilLimited({ sendOnce, plan }: ProbeContext): Promise<Burst> {
  const first = await sendOnce('/balance');
  let burst: Burst = { response: first, sent: 1, accepted: first.accepted ? 1 : 0 };
  const isWithout429 = (): boolean => burst.response.accepted;
  while (burst.sent < plan.burst && isWithout429()) {
    const count = Math.min(plan.burst - burst.sent, LARGEST_BURST);
    const { response, accepted } = await sendBurst(() => sendOnce('/balance'), count);
    burst = { response, sent: burst.sent + count, accepted: burst.accepted + accepted };
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
