import { type Facts, type Instant, writeHeaders } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import type { RateCount } from '../state/rate-limit.ts';
import { HttpError } from './errors.ts';

/** Returns the values of a rate limit for templates: those of the window, and the time until the next one. */
export function rateLimitFacts({ requests, remaining, now, endsAt }: RateCount): Facts {
  return {
    limit: requests,
    remaining: Math.max(0, remaining),
    reset: secondsUntil(endsAt, now),
    reset_at: new Date(Math.ceil(endsAt / 1000) * 1000),
  };
}

function secondsUntil(endsAt: Instant, now: Instant): number {
  return Math.ceil((endsAt - now) / 1000);
}

/** Creates the error of an exceeded rate limit, with the time until the next window. */
export function rateLimitError(count: RateCount, profile: Profile): HttpError {
  const seconds = secondsUntil(count.endsAt, count.now);
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = writeRateLimitHeaders(count, profile);
  return new HttpError({ type: 'rate_limit_error', message }, { headers, facts: rateLimitFacts(count) });
}

/** The headers of an exceeded rate limit beside `Retry-After`. */
const limitHeaders = {
  'X-RateLimit-Limit': '{limit}',
  'X-RateLimit-Remaining': '{remaining}',
  'X-RateLimit-Reset': '{reset_at unix}',
};

/** Returns the headers of an exceeded rate limit, with those that the profile has for the refusal. */
export function writeRateLimitHeaders(count: RateCount, profile: Profile): Readonly<Record<string, string>> {
  const { headers: own = {} } = profile.refusals.rate_limit ?? {};
  return {
    ...(own['Retry-After'] !== null &&
      writeRetryAfter(secondsUntil(count.endsAt, count.now), count.now, profile)),
    ...writeHeaders({ ...limitHeaders, ...own }, rateLimitFacts(count), { profile }),
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
