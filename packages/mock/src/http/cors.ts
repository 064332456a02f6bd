import type { MockRequest } from './request.ts';

/** The origins whose pages may send requests: none, those on a loopback host, all, or a list. */
export type Cors = 'off' | 'loopback' | '*' | readonly string[];

const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-API-Key';
const EXPOSED_HEADERS = 'Date, Idempotent-Replayed, Retry-After, X-Request-Id';

/** Returns the CORS headers of a response. A preflight response also allows methods and headers. */
export function corsHeaders(
  cors: Cors,
  request: MockRequest,
  allow: string | undefined,
): Readonly<Record<string, string>> {
  if (cors === 'off') return {};
  const origin = request.header('origin');
  // A cache must not serve the response for one origin to another origin.
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
