import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';
import { findTenant, type Tenant } from './tenants.ts';

const MAX_BODY_BYTES = 65_536;
const RATE_WINDOW = 10_000;
const RATE_LIMIT = 60;

/** Reads the key of the Bearer token, or of `X-API-Key` if there is no Bearer token. */
function readApiKey({ authorization = '', 'x-api-key': apiKey }: IncomingMessage['headers']): string {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  return token ?? (typeof apiKey === 'string' ? apiKey : '');
}

/** @throws {Problem} when the request has no valid API key */
export function authenticate(tenants: readonly Tenant[], { headers }: IncomingMessage): Tenant {
  const key = readApiKey(headers);
  const tenant = findTenant(tenants, key);
  if (tenant !== undefined) return tenant;
  throw new Problem({
    httpStatus: 401,
    type: 'authentication_error',
    code: 'UNAUTHENTICATED',
    message: key === '' ? 'request has no API key' : 'API key is not valid',
    headers: { 'www-authenticate': 'Bearer realm="payments"' },
  });
}

/** As `middleware.AllowContentType` of chi: requests without a body pass. */
export function checkContentType({ headers }: IncomingMessage): void {
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (isEmpty || type.trim().toLowerCase() === 'application/json') return;
  throw new Problem({
    httpStatus: 415,
    type: 'unsupported_media_type',
    code: 'INVALID_ARGUMENT',
    message: 'content type must be application/json',
  });
}

/** Reads the whole body before it refuses one that is too large, so that the client can read the response. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size <= MAX_BODY_BYTES) return Buffer.concat(chunks).toString();
  throw new Problem({
    httpStatus: 413,
    type: 'request_too_large',
    code: 'INVALID_ARGUMENT',
    message: `request body is larger than ${MAX_BODY_BYTES} bytes`,
  });
}

/** Limits the writes of a tenant in fixed windows. Reads are free. */
export class RateLimiter {
  readonly #window: number;
  readonly #now: () => number;
  readonly #counts = new Map<Tenant, { readonly window: number; count: number }>();

  constructor(speed: number, now: () => number) {
    this.#window = RATE_WINDOW / speed;
    this.#now = now;
  }

  /** Counts a request and returns the headers of its response. */
  count(tenant: Tenant): { readonly isAllowed: boolean; readonly headers: Record<string, string> } {
    const now = this.#now();
    const window = Math.floor(now / this.#window);
    let state = this.#counts.get(tenant);
    if (state?.window !== window) {
      state = { window, count: 0 };
      this.#counts.set(tenant, state);
    }
    state.count += 1;
    const reset = Math.ceil(((window + 1) * this.#window) / 1_000);
    const isAllowed = state.count <= RATE_LIMIT;
    const headers: Record<string, string> = {
      'x-ratelimit-limit': RATE_LIMIT.toString(),
      'x-ratelimit-remaining': Math.max(0, RATE_LIMIT - state.count).toString(),
      'x-ratelimit-reset': reset.toString(),
    };
    if (!isAllowed) {
      const wait = (window + 1) * this.#window - now;
      headers['retry-after'] = Math.max(1, Math.ceil(wait / 1_000)).toString();
    }
    return { isAllowed, headers };
  }
}

export function rateLimitProblem(): Problem {
  return new Problem({
    httpStatus: 429,
    type: 'rate_limited',
    code: 'RESOURCE_EXHAUSTED',
    message: `more than ${RATE_LIMIT} writes in one window`,
  });
}
