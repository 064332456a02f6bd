import type { Books } from '../world/books.ts';
import type { Clock } from '../world/clock.ts';
import { Refused } from './respond.ts';

/** Allows a number of requests in a window of time, per account and mode. */
export interface RateLimit {
  readonly requests: number;
  /** In milliseconds of the sandbox's clock. */
  readonly window: number;
}

interface Window {
  readonly endsAt: number;
  used: number;
}

/** Counts requests against a limit that can be set and lifted at any time. */
export interface RateLimiter {
  readonly set: (limit: RateLimit | undefined) => void;
  /** Counts a request; throws `Refused` when the window has none left. */
  readonly count: (books: Books) => void;
}

/** Creates a limiter without a limit. */
export function createRateLimiter(clock: Clock): RateLimiter {
  let limit: RateLimit | undefined;
  let windows = new WeakMap<Books, Window>();
  return {
    set(wanted) {
      limit = wanted;
      windows = new WeakMap();
    },
    count(books) {
      if (limit === undefined) return;
      const now = clock.now();
      const current = windows.get(books);
      const window =
        current !== undefined && now < current.endsAt ? current : { endsAt: now + limit.window, used: 0 };
      windows.set(books, window);
      if (window.used >= limit.requests) throw tooMany(limit, window.endsAt, now);
      window.used += 1;
    },
  };
}

function tooMany(limit: RateLimit, endsAt: number, now: number): Refused {
  const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = {
    'Retry-After': String(seconds),
    'X-RateLimit-Limit': String(limit.requests),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(endsAt / 1000)),
  };
  return new Refused({ type: 'rate_limit_error', message }, { headers });
}
