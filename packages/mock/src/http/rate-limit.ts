import { type ProfileRateLimit, toMilliseconds } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import type { AccountState } from '../state/state.ts';
import type { Clock } from '../state/clock.ts';
import { HttpError } from './errors.ts';

/** A limit after a request, and the end of its window. */
interface RateCount {
  readonly requests: number;
  /** The requests that are left in the window. Negative if the request exceeds the limit. */
  readonly remaining: number;
  readonly now: Instant;
  /** The start of the next window. */
  readonly endsAt: Instant;
}

/** Counts a request against the limit of a profile. Returns the error of a request that exceeds it. */
export type RateLimiter = (accountState: AccountState, method: string) => HttpError | undefined;

interface Window {
  readonly limit: ProfileRateLimit;
  readonly endsAt: Instant;
  used: number;
}

/** Creates a rate limiter. A limit that is set again starts a new window. */
export function createRateLimiter(clock: Clock): RateLimiter {
  const windows = new WeakMap<AccountState, Window>();
  return (accountState, method) => {
    const limit = accountState.profile.rateLimit;
    if (limit === 'none' || (limit.method ?? method) !== method) return undefined;
    const now = clock.now();
    let window = windows.get(accountState);
    if (window?.limit !== limit || now >= window.endsAt)
      window = { limit, endsAt: now + toMilliseconds(limit.window), used: 0 };
    windows.set(accountState, window);
    window.used += 1;
    const { requests } = limit;
    const count = { requests, remaining: requests - window.used, now, endsAt: window.endsAt };
    return count.remaining < 0 ? rateLimitError(count, accountState.profile) : undefined;
  };
}

/** Creates the error of an exceeded rate limit, with the time until the next window. */
function rateLimitError(count: RateCount, profile: Profile): HttpError {
  const seconds = secondsUntil(count.endsAt, count.now);
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = writeRateLimitHeaders(count, profile);
  return new HttpError({ type: 'rate_limit_error', message }, { headers });
}

function secondsUntil(endsAt: Instant, now: Instant): number {
  return Math.ceil((endsAt - now) / 1000);
}

/** Returns the headers of an exceeded rate limit. */
export function writeRateLimitHeaders(
  { requests, remaining, now, endsAt }: RateCount,
  profile: Profile,
): Readonly<Record<string, string>> {
  return {
    ...writeRetryAfter(secondsUntil(endsAt, now), now, profile),
    'X-RateLimit-Limit': String(requests),
    'X-RateLimit-Remaining': String(Math.max(0, remaining)),
    'X-RateLimit-Reset': String(Math.ceil(endsAt / 1000)),
  };
}

/** Returns the `Retry-After` header in the form of a profile. A date comes with the time of the clock, which can be manual. */
export function writeRetryAfter(
  seconds: number,
  now: Instant,
  { retryAfter }: Profile,
): Readonly<Record<string, string>> {
  if (retryAfter === 'seconds') return { 'Retry-After': String(seconds) };
  return { 'Retry-After': toDate(now + seconds * 1000), Date: toDate(now) };
}

function toDate(time: Instant): string {
  return new Date(time).toUTCString();
}
