import type { ErrorType } from '@service/contract';
import { clearTimeout, createDeferred, setTimeout } from '@service/internal';
import { errorTypes } from '../domain/api-error.ts';
import type { StatusFault } from '../domain/fault.ts';
import type { Instant } from '../domain/json.ts';
import type { Clock } from '../state/clock.ts';
import { errorResponse } from './errors.ts';
import { writeRateLimitHeaders, writeRetryAfter } from './rate-limit.ts';
import type { Draft } from '../domain/response.ts';
import type { ResponseContext } from './request.ts';

/** Waits for milliseconds of real time, or until `ended`, and runs the timers that are due then. */
export async function delay(milliseconds: number, clock: Clock, ended?: Promise<void>): Promise<void> {
  const { promise, resolve } = createDeferred();
  // Not unreferenced: the client waits for the response.
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([promise, ended ?? promise]);
  clearTimeout(timer);
  clock.catchUp();
}

/** Responds with an injected status and the headers that the service sends with it (docs/contract.md#errors). */
export function respondWithStatus(
  fault: Omit<StatusFault, 'kind'>,
  context: ResponseContext,
  { now, allow }: { readonly now: Instant; readonly allow: string },
): Draft {
  const { status, type = findType(status) } = fault;
  const { retryAfter = status === 429 || status === 503 ? 1 : undefined } = fault;
  const message = `The sandbox responded ${status} because of an injected fault.`;
  const seconds = retryAfter ?? 1;
  const endsAt = now + seconds * 1000;
  const headers = {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(status === 405 && { Allow: allow }),
    ...(status === 429 && writeRateLimitHeaders(EXAMPLE_LIMIT, seconds, endsAt, now, context.profile)),
    ...(retryAfter !== undefined && writeRetryAfter(retryAfter, now, context.profile)),
  };
  // A 401 has no mode: the key is unknown.
  const responseContext = status === 401 ? { ...context, mode: undefined } : context;
  return errorResponse({ type, message, refusal: null, fixed: status, headers }, responseContext);
}

const EXAMPLE_LIMIT = 100;

/** Returns the error type of a status. Several types have 422. */
function findType(status: number): ErrorType {
  if (status === 409) return 'idempotency_error';
  const types = Object.keys(errorTypes) as ErrorType[];
  const found = types.findLast((type) => errorTypes[type].status === status);
  return found ?? (status < 500 ? 'invalid_request_error' : 'server_error');
}
