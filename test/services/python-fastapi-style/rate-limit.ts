import type { Clock } from './clock.ts';
import { ApiError } from './errors.ts';

const MAX_REQUESTS = 40;
/** Length of a window, in seconds. */
const WINDOW = 1;

interface RateWindow {
  readonly start: number;
  requests: number;
}

/** Counts the requests of each API key in fixed windows. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #windows = new Map<string, RateWindow>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a request. Returns the headers of its response.
   * @throws {ApiError} when the limit is exceeded.
   */
  count(apiKey: string): Readonly<Record<string, string>> {
    const now = this.#clock.now();
    let current = this.#windows.get(apiKey);
    if (!current || this.#clock.secondsBetween(current.start, now) >= WINDOW) {
      current = { start: now, requests: 0 };
      this.#windows.set(apiKey, current);
    }
    current.requests += 1;
    const headers = {
      'x-ratelimit-limit': String(MAX_REQUESTS),
      'x-ratelimit-remaining': String(Math.max(0, MAX_REQUESTS - current.requests)),
      'x-ratelimit-reset': String(Math.ceil(current.start / 1_000) + WINDOW),
    };
    if (current.requests <= MAX_REQUESTS) return headers;
    const message = `Rate limit exceeded: ${MAX_REQUESTS} per ${WINDOW} second`;
    throw new ApiError(429, 'rate_limit_exceeded', message, { ...headers, 'retry-after': String(WINDOW) });
  }
}
