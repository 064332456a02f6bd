import { setTimeout } from '@service/internal';
import type { ErrorType } from '@service/contract';
import { applyFault, commitsFirst, type Fault, type RespondWithStatus } from '../domain/fault.ts';
import type { Clock } from '../state/clock.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import { drainBody } from './body.ts';
import { writeRateLimitHeaders } from './rate-limit.ts';
import type { Handled, MockRequest } from './request.ts';
import { type ResponseContext, errorResponse, serviceFailure } from './response.ts';

type Outcome = Handled['response'];

/** The request, and the operation to run, of an injected fault. */
export interface FaultContext {
  readonly request: MockRequest;
  readonly record: LoggedRequest;
  readonly clock: Clock;
  readonly responseContext: ResponseContext;
  /** The `Allow` header of a 405. */
  readonly allow: string;
  /** Runs the operation. Never throws. */
  readonly execute: () => Promise<Outcome>;
}

/** Responds to a request with an injected fault. */
export async function respondWithFault(fault: Fault, context: FaultContext): Promise<Outcome> {
  if (fault.kind === 'latency') return respondLate(fault, context);
  return applyFault(fault, await respondFirst(fault, context), (status) => respondWith(status, context));
}

/** Returns the response that the fault changes: of the operation, or a failure if it does not run. */
async function respondFirst(fault: Fault, context: FaultContext): Promise<Outcome> {
  if (commitsFirst(fault)) return context.execute();
  // The request log shows the body, and the connection is ready for the next request.
  await drainBody(context.request, context.record);
  return errorResponse(serviceFailure, context.responseContext);
}

async function respondLate(
  fault: Fault & { kind: 'latency' },
  { execute, clock }: FaultContext,
): Promise<Outcome> {
  const response = commitsFirst(fault) ? await execute() : undefined;
  await sleep(fault.ms);
  clock.catchUp();
  return response ?? execute();
}

function sleep(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Not unreferenced: the client waits for the response.
  setTimeout(resolve, milliseconds);
  return promise;
}

type InjectedStatus = Parameters<RespondWithStatus>[0];

/** Responds with an injected status and the headers that the service sends with it (docs/contract.md#errors). */
function respondWith(fault: InjectedStatus, context: FaultContext): ReturnType<RespondWithStatus> {
  const { status, type = typeByStatus[status] ?? defaultTypeFor(status) } = fault;
  const message = `The sandbox responded ${status} because of an injected fault.`;
  // A 401 has no mode: the key is unknown.
  const responseContext =
    status === 401 ? { ...context.responseContext, mode: undefined } : context.responseContext;
  return errorResponse({ type, message }, responseContext, { status, headers: writeHeaders(fault, context) });
}

function writeHeaders(
  { status, retryAfter }: InjectedStatus,
  { clock, allow, responseContext }: FaultContext,
): Readonly<Record<string, string>> {
  const seconds = retryAfter ?? (status === 429 || status === 503 ? 1 : undefined);
  const limit = { requests: EXAMPLE_LIMIT, endsAt: clock.now() + (seconds ?? 1) * 1000 };
  return {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(status === 405 && { Allow: allow }),
    ...(seconds !== undefined && { 'Retry-After': String(seconds) }),
    ...(status === 429 && writeRateLimitHeaders(limit, seconds ?? 1, responseContext.profile)),
  };
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
