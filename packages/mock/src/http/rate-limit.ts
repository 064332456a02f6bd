import type { Profile } from '../domain/profile.ts';
import type { Exceeded } from '../state/rate-limit.ts';
import { HttpError } from './response.ts';

/** Creates the error of an exceeded rate limit, with the time until the next window. */
export function rateLimitError(exceeded: Exceeded, profile: Profile): HttpError {
  const seconds = Math.max(1, Math.ceil((exceeded.endsAt - exceeded.now) / 1000));
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = writeRateLimitHeaders(exceeded, seconds, profile);
  return new HttpError({ type: 'rate_limit_error', message }, { headers });
}

/** Returns the headers of an exceeded rate limit in the form of a profile. */
export function writeRateLimitHeaders(
  { requests, endsAt }: Pick<Exceeded, 'requests' | 'endsAt'>,
  seconds: number,
  { rateLimitHeaders }: Profile,
): Readonly<Record<string, string>> {
  if (rateLimitHeaders === 'none') return {};
  const retry = { 'Retry-After': String(seconds) };
  if (rateLimitHeaders === 'ietf') {
    return {
      ...retry,
      'RateLimit-Policy': `"default";q=${requests}`,
      RateLimit: `"default";r=0;t=${seconds}`,
    };
  }
  return {
    ...retry,
    'X-RateLimit-Limit': String(requests),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(endsAt / 1000)),
  };
}
