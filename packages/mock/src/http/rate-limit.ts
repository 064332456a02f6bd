import type { Exceeded } from '../world/rate-limit.ts';
import { Refused } from './respond.ts';

/** Makes the refusal of a request beyond the rate limit; it says when to come back (contract.md 6). */
export function refuseTooMany({ requests, now, endsAt }: Exceeded): Refused {
  const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = {
    'Retry-After': String(seconds),
    'X-RateLimit-Limit': String(requests),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(endsAt / 1000)),
  };
  return new Refused({ type: 'rate_limit_error', message }, { headers });
}
