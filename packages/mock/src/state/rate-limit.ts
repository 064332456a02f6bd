import { type ProfileRateLimit, toMilliseconds } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import type { AccountState } from './account-state.ts';
import type { Clock } from './clock.ts';

/** A limit after a request, and the end of its window. */
export interface RateCount {
  readonly requests: number;
  /** The requests that are left in the window. Negative if the request exceeds the limit. */
  readonly remaining: number;
  readonly now: Instant;
  /** The start of the next window. */
  readonly endsAt: Instant;
}

/** Counts a request against the limit of a profile. Returns undefined without a limit for it. */
export type RateLimiter = (accountState: AccountState, method: string) => RateCount | undefined;

interface Window {
  readonly limit: ProfileRateLimit;
  readonly endsAt: Instant;
  used: number;
}

/** Creates a rate limiter. A limit that is set again starts a new window. */
export function createRateLimiter(clock: Clock): RateLimiter {
  const windows = new WeakMap<AccountState, Window>();
  return (accountState, method) => {
    const limit = accountState.profile.rateLimit;
    if (limit === 'none' || (limit.method ?? method) !== method) return undefined;
    const now = clock.now();
    let window = windows.get(accountState);
    if (window?.limit !== limit || now >= window.endsAt)
      window = { limit, endsAt: now + toMilliseconds(limit.window), used: 0 };
    windows.set(accountState, window);
    window.used += 1;
    const { requests } = limit;
    return { requests, remaining: requests - window.used, now, endsAt: window.endsAt };
  };
}
