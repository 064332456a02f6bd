import type { Profile } from '../domain/profile.ts';
import type { Exceeded } from '../state/rate-limit.ts';
import { HttpError } from './response.ts';

/** Makes the refusal of a request beyond the rate limit; it says when to come back (contract.md 6). */
export function rateLimitError(exceeded: Exceeded, profile: Profile): HttpError {
  const seconds = Math.max(1, Math.ceil((exceeded.endsAt - exceeded.now) / 1000));
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = writeRateLimitHeaders(exceeded, seconds, profile);
  return new HttpError({ type: 'rate_limit_error', message }, { headers });
}

/** Writes the headers of a rate limit that is used up, with the seconds to wait, in the form of a profile. */
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
