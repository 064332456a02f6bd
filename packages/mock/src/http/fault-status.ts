import type { ErrorType } from '@service/contract';
import type { StatusFault } from '../domain/fault.ts';
import type { Instant } from '../domain/wire.ts';
import type { MockResponse } from './request.ts';
import { writeRateLimitHeaders } from './rate-limit.ts';
import { type ResponseContext, errorResponse } from './response.ts';

/** Says to whom, and when, a status is answered that a fault asks for. */
export interface FaultStatusContext {
  readonly context: ResponseContext;
  readonly now: Instant;
  /** What an answer 405 says is allowed. */
  readonly allow: string;
}

/** Answers a status that a fault asks for as the service answers it where it is meant (contract.md 6). */
export function respondWithStatus(fault: Omit<StatusFault, 'kind'>, scope: FaultStatusContext): MockResponse {
  const { status, type = typeByStatus[status] ?? fallBack(status) } = fault;
  const message = `The sandbox answers ${status}, as it was told to.`;
  // A 401 was not authenticated, so it does not know the mode.
  const context = status === 401 ? { ...scope.context, mode: undefined } : scope.context;
  return errorResponse({ type, message }, context, { status, headers: writeHeaders(fault, scope) });
}

function writeHeaders(
  { status, retryAfter }: Omit<StatusFault, 'kind'>,
  { now, allow, context }: FaultStatusContext,
): Readonly<Record<string, string>> {
  const seconds = retryAfter ?? (status === 429 || status === 503 ? 1 : undefined);
  return {
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(status === 405 ? { Allow: allow } : {}),
    ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }),
    ...(status === 429 && showLimit(now, seconds ?? 1, context)),
  };
}

const PRETENDED_LIMIT = 100;

function showLimit(
  now: Instant,
  seconds: number,
  { profile }: ResponseContext,
): Readonly<Record<string, string>> {
  return writeRateLimitHeaders({ requests: PRETENDED_LIMIT, endsAt: now + seconds * 1000 }, seconds, profile);
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

function fallBack(status: number): ErrorType {
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
