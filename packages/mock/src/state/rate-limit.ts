import { type ProfileRateLimit, toMilliseconds } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import type { AccountState } from './account-state.ts';
import type { Clock } from './clock.ts';

/** A number of requests per time window, for each account and mode. */
interface RateLimit {
  readonly requests: number;
  /** In milliseconds of the sandbox clock. */
  readonly window: number;
}

/** A limit after a request, and the end of its window. */
export interface RateCount {
  readonly requests: number;
  /** The requests that are left in the window. Negative if the request exceeds the limit. */
  readonly remaining: number;
  readonly now: Instant;
  /** The start of the next window. */
  readonly endsAt: Instant;
}

/** Counts requests against limits that can change at any time. */
export interface RateLimiter {
  /** Sets the limit of one account, or that of the accounts without their own. */
  readonly set: (limit: RateLimit, account?: string) => void;
  /** Removes the limit of one account, or all limits. */
  readonly clear: (account?: string) => void;
  /** Counts a request. Returns undefined without a limit for it. */
  readonly count: (accountState: AccountState, method: string) => RateCount | undefined;
}

interface Window {
  readonly limit: RateLimit | ProfileRateLimit;
  readonly endsAt: Instant;
  used: number;
}

/** Creates a rate limiter without a limit, except for those of profiles. */
export function createRateLimiter(clock: Clock): RateLimiter {
  /** The limit of each account, and that of the other accounts under `undefined`. */
  const limits = new Map<string | undefined, RateLimit>();
  const windows = new WeakMap<AccountState, Window>();
  return {
    // A new object: equal limits that are set twice have separate windows.
    set: (limit, account) => void limits.set(account, { ...limit }),
    clear(account) {
      if (account === undefined) limits.clear();
      else limits.delete(account);
    },
    count(accountState, method) {
      const { account, profile } = accountState;
      const limit = limits.get(account) ?? limits.get(undefined) ?? profile.rateLimit;
      if (limit === 'none') return undefined;
      if ('method' in limit && limit.method !== method) return undefined;
      const now = clock.now();
      const current = windows.get(accountState);
      const window =
        current?.limit === limit && now < current.endsAt
          ? current
          : { limit, endsAt: now + toMilliseconds(limit.window), used: 0 };
      windows.set(accountState, window);
      window.used += 1;
      const { requests } = limit;
      return { requests, remaining: requests - window.used, now, endsAt: window.endsAt };
    },
  };
}
