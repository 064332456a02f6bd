import { type ProfileRateLimit, toMilliseconds } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import type { AccountState } from '../state/state.ts';
import type { Clock } from '../state/clock.ts';
import { HttpError } from './errors.ts';

/** Counts a request against the limit of a profile. Returns the error of a request that exceeds it. */
export type RateLimiter = (accountState: AccountState, method: string) => HttpError | undefined;

/** A limit, the requests that were counted, and the start of the next window. */
interface Window {
  readonly limit: ProfileRateLimit;
  readonly endsAt: Instant;
  used: number;
}

/** Creates a rate limiter. A limit that is set again starts a new window. */
export function createRateLimiter(clock: Clock): RateLimiter {
  const windows = new WeakMap<AccountState, Window>();
  return (accountState, method) => {
    const { profile } = accountState;
    const limit = profile.rateLimit;
    if (limit === 'none' || (limit.method ?? method) !== method) return undefined;
    const now = clock.now();
    let window = windows.get(accountState);
    if (window?.limit !== limit || now >= window.endsAt)
      window = { limit, endsAt: now + toMilliseconds(limit.window), used: 0 };
    windows.set(accountState, window);
    window.used += 1;
    if (window.used <= limit.requests) return undefined;
    const seconds = Math.ceil((window.endsAt - now) / 1000);
    const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
    const headers = writeRateLimitHeaders(limit.requests, seconds, window.endsAt, now, profile);
    return new HttpError({ type: 'rate_limit_error', message, headers });
  };
}

/** Returns the headers of an exceeded rate limit, with the time until the next window. */
export function writeRateLimitHeaders(
  requests: number,
  seconds: number,
  endsAt: Instant,
  now: Instant,
  profile: Profile,
): Readonly<Record<string, string>> {
  return {
    ...writeRetryAfter(seconds, now, profile),
    'X-RateLimit-Limit': String(requests),
    'X-RateLimit-Remaining': '0',
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
  const [date, then] = [now, now + seconds * 1000].map((time) => new Date(time).toUTCString());
  return { 'Retry-After': String(then), Date: String(date) };
}
