import type { ErrorType } from '@service/contract';
import type { StatusFault } from '../domain/fault.ts';
import type { Instant } from '../domain/json.ts';
import type { MockResponse } from './request.ts';
import { errorResponse, writeRateLimitHeaders } from './errors.ts';
import type { ResponseContext } from './response.ts';

/** The request-specific values of an injected status. */
export interface FaultStatusContext {
  readonly responseContext: ResponseContext;
  readonly now: Instant;
  /** The `Allow` header of a 405. */
  readonly allow: string;
}

/**
 * Responds with an injected status and the headers that the service sends with it (docs/contract.md#errors).
 */
export function respondWithStatus(fault: Omit<StatusFault, 'kind'>, scope: FaultStatusContext): MockResponse {
  const { status, type = typeByStatus[status] ?? defaultTypeFor(status) } = fault;
  const message = `The sandbox responded ${status} because of an injected fault.`;
  // A 401 has no mode: the key is unknown.
  const context = status === 401 ? { ...scope.responseContext, mode: undefined } : scope.responseContext;
  return errorResponse({ type, message }, context, { status, headers: writeHeaders(fault, scope) });
}

function writeHeaders(
  { status, retryAfter }: Omit<StatusFault, 'kind'>,
  { now, allow, responseContext: context }: FaultStatusContext,
): Readonly<Record<string, string>> {
  const seconds = retryAfter ?? (status === 429 || status === 503 ? 1 : undefined);
  return {
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(status === 405 ? { Allow: allow } : {}),
    ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }),
    ...(status === 429 && limitHeaders(now, seconds ?? 1, context)),
  };
}

const EXAMPLE_LIMIT = 100;

function limitHeaders(
  now: Instant,
  seconds: number,
  { profile }: ResponseContext,
): Readonly<Record<string, string>> {
  return writeRateLimitHeaders({ requests: EXAMPLE_LIMIT, endsAt: now + seconds * 1000 }, seconds, profile);
}

const typeByStatus: Readonly<Record<number, ErrorType>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'idempotency_error',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_error',
  429: 'rate_limit_error',
  503: 'service_unavailable',
};

function defaultTypeFor(status: number): ErrorType {
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
