import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Environment } from './environment.ts';
import { ApiException, unauthorized } from './exceptions.ts';
import { durations, REQUESTS_PER_WINDOW } from './settings.ts';
import type { Timeline } from './timeline.ts';

function hash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Finds the account of a request by its API key. */
export class ApiKeyGuard {
  readonly #environments: ReadonlyMap<string, Environment>;

  constructor(environments: readonly Environment[]) {
    this.#environments = new Map(environments.map((environment) => [hash(environment.apiKey), environment]));
  }

  /** @throws {ApiException} when the key is missing or unknown */
  authenticate(headers: IncomingHttpHeaders): Environment {
    const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
    const header = headers['x-api-key'];
    const key = bearer ?? (typeof header === 'string' ? header.trim() : '');
    if (key === '') throw unauthorized('API key is missing');
    const environment = this.#environments.get(hash(key));
    if (!environment) throw unauthorized('API key is invalid');
    return environment;
  }
}

interface RateWindow {
  count: number;
  endsAt: number;
}

/** Counts the requests of each API key in windows of a fixed length. */
export class ThrottlerGuard {
  readonly #windows = new Map<Environment, RateWindow>();
  readonly #timeline: Timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /**
   * Returns the headers of the response.
   *
   * @throws {ApiException} when the key has no requests left
   */
  count(environment: Environment): Readonly<Record<string, string>> {
    const now = this.#timeline.now();
    let window = this.#windows.get(environment);
    if (!window || window.endsAt <= now) {
      window = { count: 0, endsAt: now + this.#timeline.scale(durations.rateWindow) };
      this.#windows.set(environment, window);
    }
    window.count += 1;
    const seconds = String(this.#timeline.headerSeconds(window.endsAt - now));
    const headers = {
      'x-ratelimit-limit': String(REQUESTS_PER_WINDOW),
      'x-ratelimit-remaining': String(Math.max(0, REQUESTS_PER_WINDOW - window.count)),
      'x-ratelimit-reset': seconds,
    };
    if (window.count <= REQUESTS_PER_WINDOW) return headers;
    const message = 'Too many requests, please slow down';
    throw new ApiException(429, 'rate_limit_exceeded', message, {
      headers: { ...headers, 'retry-after': seconds },
    });
  }
}
