import type { ErrorType } from '@service/contract';
import { clearTimeout, createDeferred, setTimeout } from '@service/internal';
import type { StatusFault } from '../domain/fault.ts';
import type { Instant } from '../domain/json.ts';
import type { Clock } from '../state/clock.ts';
import type { LoggedRequest } from '../state/request-log.ts';
import { drainBody } from './body.ts';
import { errorResponse, serviceFailure } from './errors.ts';
import { writeRateLimitHeaders, writeRetryAfter } from './rate-limit.ts';
import type { MockRequest, MockResponse } from './request.ts';
import type { ResponseContext } from './response.ts';

/** Waits for milliseconds of real time, or until `ended`, and runs the timers that are due then. */
export async function delay(milliseconds: number, clock: Clock, ended?: Promise<void>): Promise<void> {
  const { promise, resolve } = createDeferred();
  // Not unreferenced: the client waits for the response.
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([promise, ended ?? promise]);
  clearTimeout(timer);
  clock.catchUp();
}

/** Reads the body without running the operation, and returns the failure that a fault changes. */
export async function skipOperation(
  request: MockRequest,
  record: LoggedRequest,
  context: ResponseContext,
): Promise<MockResponse> {
  // The request log shows the body, and the connection is ready for the next request.
  record.body = await drainBody(request);
  return errorResponse(serviceFailure, context);
}

/** An injected status, with its error type and `Retry-After`. */
type InjectedStatus = Omit<StatusFault, 'kind'>;

/** The time of an injected status, and the `Allow` header of a 405. */
interface StatusContext {
  readonly now: Instant;
  readonly allow: string;
}

/** Responds with an injected status and the headers that the service sends with it (docs/contract.md#errors). */
export function respondWithStatus(
  fault: InjectedStatus,
  context: ResponseContext,
  { now, allow }: StatusContext,
): MockResponse {
  const { status, type = typeByStatus[status] ?? defaultTypeFor(status) } = fault;
  const { retryAfter = status === 429 || status === 503 ? 1 : undefined } = fault;
  const message = `The sandbox responded ${status} because of an injected fault.`;
  const headers = {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(status === 405 && { Allow: allow }),
    ...(status === 429 && writeLimit(retryAfter ?? 1, now, context)),
    ...(retryAfter !== undefined && writeRetryAfter(retryAfter, now, context.profile)),
  };
  // A 401 has no mode: the key is unknown.
  const responseContext = status === 401 ? { ...context, mode: undefined } : context;
  return errorResponse({ type, message, refusal: null }, responseContext, { status, headers });
}

function writeLimit(
  seconds: number,
  now: Instant,
  { profile }: ResponseContext,
): Readonly<Record<string, string>> {
  return writeRateLimitHeaders(
    { requests: EXAMPLE_LIMIT, remaining: 0, now, endsAt: now + seconds * 1000 },
    profile,
  );
}

const EXAMPLE_LIMIT = 100;

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
