import type { Settings } from './settings.ts';
import type { Ticks, TimeProvider } from './time.ts';

interface TokenBucket {
  tokens: number;
  replenishedAt: Ticks;
}

/** Token bucket per partition that replenishes in steps, like `TokenBucketRateLimiter`. */
export class RateLimiter {
  readonly #time: TimeProvider;
  readonly #settings: Settings['rateLimiter'];
  readonly #buckets = new Map<number, TokenBucket>();

  constructor(time: TimeProvider, settings: Settings['rateLimiter']) {
    this.#time = time;
    this.#settings = settings;
  }

  /** Takes a token. Returns the time after which to retry if there is none. */
  acquire(partition: number): Ticks | undefined {
    const { tokenLimit, tokensPerPeriod, replenishmentPeriod } = this.#settings;
    const now = this.#time.getUtcNow();
    const bucket = this.#buckets.get(partition) ?? { tokens: tokenLimit, replenishedAt: now };
    this.#buckets.set(partition, bucket);
    const periods = (now - bucket.replenishedAt) / replenishmentPeriod;
    bucket.tokens = Math.min(tokenLimit, bucket.tokens + Number(periods) * tokensPerPeriod);
    bucket.replenishedAt += periods * replenishmentPeriod;
    if (bucket.tokens === 0) return replenishmentPeriod;
    bucket.tokens -= 1;
    return undefined;
  }
}
