import type { Experiment, ProbeContext } from '../context.ts';
import { type Finding, found, NoResponse, other, unknown } from '../finding.ts';
import { describeResponse, type RawResponse, readRetryAfter } from '../raw-client.ts';
import { findCountedMethod, readStatedLimit } from '../templates/limits.ts';
import { toDuration, toRange } from './durations.ts';
import { type Burst, listHeaders, methodOf, sendUntilLimited, type Target } from './burst.ts';
import { measureSilentLimit } from './silent-limit.ts';

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
  const burst = await reachLimit(context);
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

/** Sends requests that read, and then requests that write if the limit only counts those. */
async function reachLimit(context: ProbeContext): Promise<Burst> {
  const { sendOnce, plan, readings, headers } = context;
  const counted = findCountedMethod(readings, headers);
  const body = { from_currency: plan.from, to_currency: plan.to, amount: Number(plan.amount) };
  const writing: Target = { request: () => sendOnce('/quotes', { body }), method: 'POST' };
  if (counted === 'POST') return sendUntilLimited(context, writing);
  const burst = await sendUntilLimited(context, { request: () => sendOnce('/balance') });
  if (!burst.response.accepted || counted !== undefined || plan.burst === 0) return burst;
  const written = await sendUntilLimited(context, writing);
  return written.response.status === 429 ? written : burst;
}

/** Maximum wait for the next window, in seconds. */
const MAX_WAIT = 60;

/**
 * Waits for the next window after a 429, and uses it up: the requests that it accepts are the limit, and the wait after
 * them its length.
 */
async function measureLimit(context: ProbeContext, burst: Burst): Promise<Finding> {
  const { now, sleep } = context;
  const { response, sent } = burst;
  if (response.status !== 429)
    return evaluateStated(context, `no 429 in ${sent} requests; a higher \`burst\` sends more`);
  const wait = readRetryAfter(response.headers);
  if (wait === undefined) return measureSilentLimit(context, burst);
  if (wait > MAX_WAIT)
    return unknown('rateLimit', `a 429 after ${sent} requests requires a wait of ${wait} s`);
  await sleep(Math.max(1, wait) * 1_000);
  const start = now();
  const next = await sendUntilLimited(context, burst);
  const rest = readRetryAfter(next.response.headers);
  const elapsed = now() - start;
  const evidence = `a new window accepted ${next.accepted} of ${next.sent} requests at once`;
  if (next.response.status !== 429 || rest === undefined) return unknown('rateLimit', evidence);
  // `Retry-After` has whole seconds.
  const seconds = Math.max(1, rest + Math.floor(elapsed / 1_000));
  return found(
    'rateLimit',
    { requests: next.accepted, window: toDuration(seconds * 1_000), ...methodOf(burst) },
    `${evidence}, then Retry-After: ${next.response.headers.get('retry-after')}`,
  );
}

/** Determines the limit that the headers of responses state, which no request has reached. */
function evaluateStated({ readings, headers }: ProbeContext, evidence: string): Finding {
  const stated = readStatedLimit(readings, headers);
  if (stated === undefined) return unknown('rateLimit', evidence);
  const { requests, seconds } = stated;
  const method = findCountedMethod(readings, headers);
  return found(
    'rateLimit',
    { requests, window: toDuration(seconds * 1_000), ...(method !== undefined && { method }) },
    `headers state ${requests} requests and at most ${seconds} s until the next window; ${evidence}`,
  );
}
