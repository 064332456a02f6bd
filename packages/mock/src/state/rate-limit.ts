import type { Instant } from '../domain/json.ts';
import type { AccountState } from './account-state.ts';
import type { Clock } from './clock.ts';

/** A number of requests per time window, for each account and mode. */
export interface RateLimit {
  readonly requests: number;
  /** In milliseconds of the sandbox clock. */
  readonly window: number;
}

/** The exceeded limit and the end of its window. */
export interface Exceeded {
  readonly requests: number;
  readonly now: Instant;
  /** The start of the next window. */
  readonly endsAt: Instant;
}

/** Counts requests against a limit that can change at any time. */
export interface RateLimiter {
  readonly set: (limit: RateLimit | undefined) => void;
  /** Counts a request. Returns the exceeded limit, or undefined within it. */
  readonly count: (accountState: AccountState) => Exceeded | undefined;
}

interface Window {
  readonly endsAt: Instant;
  used: number;
}

/** Creates a rate limiter without a limit. */
export function createRateLimiter(clock: Clock): RateLimiter {
  let limit: RateLimit | undefined;
  let windows = new WeakMap<AccountState, Window>();
  return {
    set(wanted) {
      limit = wanted;
      windows = new WeakMap();
    },
    count(accountState) {
      if (limit === undefined) return undefined;
      const now = clock.now();
      const current = windows.get(accountState);
      const window =
        current !== undefined && now < current.endsAt ? current : { endsAt: now + limit.window, used: 0 };
      windows.set(accountState, window);
      window.used += 1;
      return window.used > limit.requests
        ? { requests: limit.requests, now, endsAt: window.endsAt }
        : undefined;
    },
  };
}
