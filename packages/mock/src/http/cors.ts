import type { MockRequest } from './request.ts';

/** Says which pages of other origins may call: none, those of this machine, all, or those that are listed (contract.md 1). */
export type Cors = 'off' | 'loopback' | '*' | readonly string[];

const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-API-Key';
const EXPOSED_HEADERS = 'Idempotent-Replayed, Retry-After, X-Request-Id';

/** Lets a page of an allowed origin call and read the answer; a preflight also learns what it may send. */
export function corsHeaders(
  cors: Cors,
  request: MockRequest,
  allow: string | undefined,
): Readonly<Record<string, string>> {
  if (cors === 'off') return {};
  const origin = request.header('origin');
  // Caches must not give the answer of one origin to another.
  const vary = cors === '*' ? {} : { Vary: 'Origin' };
  if (origin === null || !isAllowed(cors, origin)) return vary;
  const response = {
    ...vary,
    'Access-Control-Allow-Origin': cors === '*' ? '*' : origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  };
  if (request.method !== 'OPTIONS' || allow === undefined) return response;
  return {
    ...response,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': '600',
  };
}

function isAllowed(cors: Exclude<Cors, 'off'>, origin: string): boolean {
  if (cors === '*') return true;
  return cors === 'loopback' ? LOOPBACK.test(origin) : cors.includes(origin);
}
