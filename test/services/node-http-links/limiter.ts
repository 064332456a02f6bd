import { Rejection } from './http.ts';

const LIMIT = 60;
const WINDOW = 2_000;

/** Counts the requests of each window of two seconds. */
export class RateLimiter {
  #start = 0;
  #count = 0;

  /** Counts a request and returns the headers of its response. */
  count(): Readonly<Record<string, string>> {
    const now = Date.now();
    if (now - this.#start >= WINDOW) {
      this.#start = now;
      this.#count = 0;
    }
    this.#count += 1;
    const reset = String(Math.ceil((this.#start + WINDOW - now) / 1_000));
    const headers = {
      'x-ratelimit-limit': String(LIMIT),
      'x-ratelimit-remaining': String(Math.max(0, LIMIT - this.#count)),
      'x-ratelimit-reset': reset,
    };
    if (this.#count <= LIMIT) return headers;
    throw new Rejection(429, 'rate_limited', 'Too many requests.', [], { ...headers, 'retry-after': reset });
  }
}
