import type { Instant } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import type { RateCount } from '../state/rate-limit.ts';
import { HttpError } from './errors.ts';

function secondsUntil(endsAt: Instant, now: Instant): number {
  return Math.ceil((endsAt - now) / 1000);
}

/** Creates the error of an exceeded rate limit, with the time until the next window. */
export function rateLimitError(count: RateCount, profile: Profile): HttpError {
  const seconds = secondsUntil(count.endsAt, count.now);
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = writeRateLimitHeaders(count, profile);
  return new HttpError({ type: 'rate_limit_error', message }, { headers });
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
