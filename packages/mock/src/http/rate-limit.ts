import type { Profile } from '../domain/profile.ts';
import type { Exceeded } from '../world/rate-limit.ts';
import { Refused } from './respond.ts';

/** Makes the refusal of a request beyond the rate limit; it says when to come back (contract.md 6). */
export function refuseTooMany(exceeded: Exceeded, { rateLimitHeaders }: Profile): Refused {
  const seconds = Math.max(1, Math.ceil((exceeded.endsAt - exceeded.now) / 1000));
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = headersOf[rateLimitHeaders](exceeded, seconds);
  return new Refused({ type: 'rate_limit_error', message }, { headers });
}

type Headers = Readonly<Record<string, string>>;

const headersOf: Readonly<
  Record<Profile['rateLimitHeaders'], (exceeded: Exceeded, seconds: number) => Headers>
> = {
  x: ({ requests, endsAt }, seconds) => ({
    'Retry-After': String(seconds),
    'X-RateLimit-Limit': String(requests),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(endsAt / 1000)),
  }),
  ietf: ({ requests }, seconds) => ({
    'Retry-After': String(seconds),
    'RateLimit-Policy': `"default";q=${requests}`,
    RateLimit: `"default";r=0;t=${seconds}`,
  }),
  none: () => ({}),
};
