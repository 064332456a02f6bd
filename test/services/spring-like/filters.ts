import type { NextFunction, Request, Response } from 'express';
import { ApiException, authenticationError } from './exceptions.ts';
import type { Principal } from './payment-service.ts';
import { rateLimit } from './settings.ts';

/** Headers that Spring Security writes by default. */
export const securityHeaders: Readonly<Record<string, string>> = {
  Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
  'X-Content-Type-Options': 'nosniff',
  'X-XSS-Protection': '0',
  'Cache-Control': 'no-cache, no-store, max-age=0, must-revalidate',
  Pragma: 'no-cache',
  Expires: '0',
  'X-Frame-Options': 'DENY',
};

/** Finds the account of each request, before anything else is checked. */
export class AuthenticationFilter {
  readonly #keys: ReadonlyMap<string, Principal>;
  readonly #principals = new WeakMap<Request, Principal>();

  constructor(keys: ReadonlyMap<string, Principal>) {
    this.#keys = keys;
  }

  handle(request: Request, _response: Response, next: NextFunction): void {
    const [, token] = /^bearer +(.*)$/i.exec(request.get('authorization') ?? '') ?? [];
    // A Bearer token wins, even if it is wrong and the other header is not.
    const key = token ?? request.get('x-api-key');
    if (key === undefined) throw authenticationError('Full authentication is required', 'Bearer');
    const principal = this.#keys.get(key.trim());
    if (principal === undefined)
      throw authenticationError(
        'The API key is not valid',
        'Bearer error="invalid_token", error_description="The API key is not valid"',
      );
    this.#principals.set(request, principal);
    next();
  }

  find(request: Request): Principal | undefined {
    return this.#principals.get(request);
  }

  principalOf(request: Request): Principal {
    const principal = this.find(request);
    if (principal === undefined) throw new TypeError('The request is not authenticated.');
    return principal;
  }
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Limits the requests that write; each account and mode has one bucket that fills steadily. */
export class RateLimitFilter {
  readonly #authentication: AuthenticationFilter;
  readonly #refillPerSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(authentication: AuthenticationFilter, speed: number) {
    this.#authentication = authentication;
    this.#refillPerSecond = rateLimit.refillPerSecond * speed;
  }

  handle(request: Request, response: Response, next: NextFunction): void {
    if (request.method === 'POST') this.#consume(request, response);
    next();
  }

  #consume(request: Request, response: Response): void {
    const { account, mode } = this.#authentication.principalOf(request);
    const id = `${account.name}:${mode}`;
    const time = performance.now();
    const bucket = this.#buckets.get(id) ?? { tokens: rateLimit.capacity, filledAt: time };
    const refill = ((time - bucket.filledAt) / 1_000) * this.#refillPerSecond;
    const tokens = Math.min(rateLimit.capacity, bucket.tokens + refill);
    if (tokens < 1) {
      const seconds = Math.ceil((1 - tokens) / this.#refillPerSecond);
      throw new ApiException(429, 'rate_limit_exceeded', 'You have exhausted your API request quota', {
        headers: { 'X-Rate-Limit-Retry-After-Seconds': String(seconds) },
      });
    }
    this.#buckets.set(id, { tokens: tokens - 1, filledAt: time });
    response.setHeader('X-Rate-Limit-Remaining', String(Math.floor(tokens - 1)));
  }
}
