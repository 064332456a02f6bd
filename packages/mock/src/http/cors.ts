const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-API-Key';
const EXPOSED_HEADERS = 'Date, Idempotent-Replayed, Retry-After, X-Request-Id';

/** Returns the CORS headers of a response to a page, which are empty for one of another machine. A preflight response also allows methods and headers. */
export function corsHeaders(
  origin: string,
  method: string,
  allow: string | undefined,
): Readonly<Record<string, string>> {
  if (!LOOPBACK.test(origin)) return {};
  // Without `Vary`: no response is cached.
  const response = {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  };
  if (method !== 'OPTIONS' || allow === undefined) return response;
  return {
    ...response,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': '600',
  };
}
