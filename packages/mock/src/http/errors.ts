import { type ApiError, errorStatus } from '../domain/api-error.ts';
import { toJson } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import type { Exceeded } from '../state/rate-limit.ts';
import type { MockResponse } from './request.ts';
import { deprecationHeaders, type ResponseContext } from './response.ts';

/** The error of a service that fails without a known reason. */
export const serviceFailure: ApiError = { type: 'server_error', message: 'The service failed.' };

/** The status and headers of an error response. */
export interface ErrorInit {
  /** @default the status of the error type */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error response. The service throws it and converts it to a response. */
export class HttpError extends Error {
  override readonly name = 'HttpError' as const;
  readonly error: ApiError;
  readonly init: ErrorInit;

  constructor(error: ApiError, init: ErrorInit = {}) {
    super(error.message);
    this.error = error;
    this.init = init;
  }
}

/** Creates an error response in the shape of the profile (docs/contract.md#errors). */
export function errorResponse(error: ApiError, context: ResponseContext, init: ErrorInit = {}): MockResponse {
  const status = init.status ?? errorStatus[error.type];
  const { profile } = context;
  const type = profile.errorShape === 'html' ? { 'Content-Type': 'text/html' } : {};
  const headers = { ...deprecationHeaders(profile), ...type, ...init.headers };
  return { status, headers, body: writeError(error, context, status) };
}

function writeError({ type, message, fields }: ApiError, context: ResponseContext, status: number): string {
  const { mode, profile } = context;
  if (profile.errorShape === 'bare') return toJson({ message });
  if (profile.errorShape === 'html') return toHtml(status, message);
  const lists = profile.errorShape === 'extra' ? { fields: toLists(fields), status } : {};
  return toJson({ success: false, mode, error: { type, message, ...lists } });
}

function toLists(fields: ReadonlyMap<string, string> = new Map()): Readonly<Record<string, string[]>> {
  return Object.fromEntries(Array.from(fields, ([field, problem]) => [field, [problem]]));
}

function toHtml(status: number, message: string): string {
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>${text}</p></body></html>`;
}

/** Creates the error of an exceeded rate limit, with the time until the next window. */
export function rateLimitError(exceeded: Exceeded, profile: Profile): HttpError {
  const seconds = Math.max(1, Math.ceil((exceeded.endsAt - exceeded.now) / 1000));
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = writeRateLimitHeaders(exceeded, seconds, profile);
  return new HttpError({ type: 'rate_limit_error', message }, { headers });
}

/** Returns the headers of an exceeded rate limit in the form of a profile. */
export function writeRateLimitHeaders(
  { requests, endsAt }: Pick<Exceeded, 'requests' | 'endsAt'>,
  seconds: number,
  { rateLimitHeaders }: Profile,
): Readonly<Record<string, string>> {
  if (rateLimitHeaders === 'none') return {};
  const retry = { 'Retry-After': String(seconds) };
  if (rateLimitHeaders === 'ietf') {
    return {
      ...retry,
      'RateLimit-Policy': `"default";q=${requests}`,
      RateLimit: `"default";r=0;t=${seconds}`,
    };
  }
  return {
    ...retry,
    'X-RateLimit-Limit': String(requests),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(endsAt / 1000)),
  };
}
