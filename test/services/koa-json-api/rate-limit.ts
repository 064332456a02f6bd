import type { Clock } from './clock.ts';
import { ApiError } from './errors.ts';
import type { Workspace } from './workspace.ts';

const WINDOW_SECONDS = 10;
const REQUESTS = 300;

interface Window {
  readonly end: number;
  used: number;
}

/** Counts the requests of each workspace in windows of fixed length. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #windows = new WeakMap<Workspace, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request, and returns the headers that tell how many are left. */
  count(workspace: Workspace): {
    readonly headers: Readonly<Record<string, string>>;
    readonly error: ApiError | undefined;
  } {
    const now = performance.now();
    let window = this.#windows.get(workspace);
    if (!window || window.end <= now) {
      window = { end: now + this.#clock.scale(WINDOW_SECONDS), used: 0 };
      this.#windows.set(workspace, window);
    }
    window.used += 1;
    const reset = String(Math.max(1, Math.ceil((window.end - now) / 1_000)));
    const headers = {
      'RateLimit-Limit': String(REQUESTS),
      'RateLimit-Remaining': String(Math.max(0, REQUESTS - window.used)),
      'RateLimit-Reset': reset,
    };
    return { headers, error: window.used > REQUESTS ? tooMany(reset) : undefined };
  }
}

function tooMany(reset: string): ApiError {
  const detail = `At most ${REQUESTS} requests are allowed in ${WINDOW_SECONDS} seconds.`;
  return new ApiError({
    status: 429,
    type: 'rate_limit_exceeded',
    problems: [{ code: 'too_many_requests', detail }],
    headers: { 'Retry-After': reset },
  });
}
