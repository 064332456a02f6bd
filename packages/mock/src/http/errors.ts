import type { RefusalTemplate } from '@service/internal';
import { type ApiError, errorStatus, refusalOfType } from '../domain/api-error.ts';
import { type Instant, toJson } from '../domain/json.ts';
import type { Profile } from '../domain/profile.ts';
import { chooseTemplate, fill, namedErrors } from '../domain/shapes.ts';
import type { Exceeded } from '../state/rate-limit.ts';
import type { MockResponse } from './request.ts';
import { deprecationHeaders, type ResponseContext, writeHeaders } from './response.ts';

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

/** Creates an error response from the templates of the profile (docs/contract.md#errors). */
export function errorResponse(error: ApiError, context: ResponseContext, init: ErrorInit = {}): MockResponse {
  const { mode, profile } = context;
  const { type, message, fields = noFields, refusal = refusalOfType[type] } = error;
  const own: RefusalTemplate = (refusal && profile.refusals[refusal]) ?? {};
  const shape = chooseTemplate<RefusalTemplate>(profile.errorShape, namedErrors);
  const { body = null } = { ...namedErrors.envelope, ...shape, ...own };
  const status = own.status ?? shape.status ?? init.status ?? errorStatus[type];
  const facts = { type: own.type ?? type, message: own.message ?? message, status, mode };
  const items = Array.from(fields, ([field, problem]) => ({ name: field, facts: { field, problem } }));
  const written = fill(body, facts, { profile, lists: { fields: items } });
  const headers = {
    ...deprecationHeaders(profile),
    ...init.headers,
    // They describe the body of the shape, such as its Content-Type.
    ...(own.body === undefined && writeHeaders(shape.headers, facts, profile)),
    ...writeHeaders(own.headers, facts, profile),
  };
  // A text is a body that is not JSON, such as an HTML page.
  return { status, headers, body: typeof written === 'string' ? written : toJson(written) };
}

const noFields: ReadonlyMap<string, string> = new Map();

/** Creates the error of an exceeded rate limit, with the time until the next window. */
export function rateLimitError(exceeded: Exceeded, profile: Profile): HttpError {
  const seconds = Math.max(1, Math.ceil((exceeded.endsAt - exceeded.now) / 1000));
  const message = `Too many requests; retry in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  const headers = writeRateLimitHeaders(exceeded, seconds, profile);
  return new HttpError({ type: 'rate_limit_error', message }, { headers });
}

/** Returns the headers of an exceeded rate limit in the form of a profile. */
export function writeRateLimitHeaders(
  { requests, now, endsAt }: Exceeded,
  seconds: number,
  profile: Profile,
): Readonly<Record<string, string>> {
  const { rateLimitHeaders } = profile;
  if (rateLimitHeaders === 'none') return {};
  const retry = writeRetryAfter(seconds, now, profile);
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

/** Returns the `Retry-After` header in the form of a profile. A date comes with the time of the clock, which can be manual. */
export function writeRetryAfter(
  seconds: number,
  now: Instant,
  { retryAfter }: Profile,
): Readonly<Record<string, string>> {
  if (retryAfter === 'seconds') return { 'Retry-After': String(seconds) };
  return { 'Retry-After': toDate(now + seconds * 1000), Date: toDate(now) };
}

function toDate(time: Instant): string {
  return new Date(time).toUTCString();
}
