import { defineOperation, type Group, type Routes } from '../operation.ts';
import { type Duration, durationWithin, whole } from '../../domain/schema.ts';

/** A number of requests per window. */
export interface RateLimitOptions {
  /** The number of allowed requests. */
  readonly requests: number;
  /** The length of the window in sandbox time, from `'1ms'` to `'365d'`. */
  readonly window: Duration;
}

/** The rate limit of each account and mode. Off by default. */
export interface RateLimitControl {
  /** Allows `requests` requests per `window` of sandbox time. */
  readonly set: (limit: RateLimitOptions) => void;
  /** Removes the limit. */
  readonly clear: () => void;
}

const LONGEST_WINDOW = 365 * 86_400_000;

/** Operations on the rate limit. */
export const rateLimit: Group<RateLimitControl> = {
  set: defineOperation({
    input: {
      requests: whole(0, undefined, { examples: [10] }),
      window: durationWithin(1, LONGEST_WINDOW, "a duration from '1ms' to '365d'"),
    },
    run: ({ rateLimiter }, limit) => rateLimiter.set(limit),
  }),
  clear: defineOperation({
    input: {},
    run: ({ rateLimiter }) => rateLimiter.set(undefined),
  }),
};

/** The routes of the operations on the rate limit. */
export const rateLimitRoutes: Routes<RateLimitControl> = {
  set: {
    id: 'setRateLimit',
    method: 'PUT',
    path: '/rate-limit',
  },
  clear: {
    id: 'clearRateLimit',
    method: 'DELETE',
    path: '/rate-limit',
  },
};
