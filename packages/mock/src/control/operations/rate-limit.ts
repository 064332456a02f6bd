import { anyAccount } from '../fields.ts';
import { type AccountRef, findAccountId } from '../locate.ts';
import { operation, type Operations } from '../operation.ts';
import * as s from '../../domain/schema.ts';

/** A number of requests per window. */
export interface RateLimitOptions {
  /**
   * The account that the limit applies to.
   *
   * @default all accounts without their own limit
   */
  readonly account?: AccountRef;
  /** The number of allowed requests. */
  readonly requests: number;
  /** The length of the window in sandbox time, from `'1ms'` to `'365d'`. */
  readonly window: s.Duration;
}

/** The rate limit of each account and mode. Off by default. */
export interface RateLimitControl {
  /** Allows `requests` requests per `window` of sandbox time. The limit of an account replaces that of all accounts. */
  readonly set: (limit: RateLimitOptions) => void;
  /** Removes the limit of an account, or all limits. */
  readonly clear: (account?: AccountRef) => void;
}

const LONGEST_WINDOW = 365 * 86_400_000;

/** The fields of a limit. */
export const limitFields: { readonly requests: s.Schema<number>; readonly window: s.Schema<number> } = {
  requests: s.whole(0, 1_000_000_000, { examples: [10] }),
  window: s.durationWithin(1, LONGEST_WINDOW, "a duration from '1ms' to '365d'"),
};

/** Operations on the rate limit. */
export const rateLimit: Operations<RateLimitControl> = {
  set: operation('setRateLimit', 'PUT /rate-limit', {
    input: { account: anyAccount, ...limitFields },
    run: ({ state, rateLimiter }, { account, ...limit }) =>
      rateLimiter.set(limit, findAccountId(state, account)),
  }),
  clear: operation('clearRateLimit', 'DELETE /rate-limit', {
    input: { account: anyAccount },
    args: ['account'],
    run: ({ state, rateLimiter }, { account }) => rateLimiter.clear(findAccountId(state, account)),
  }),
};
