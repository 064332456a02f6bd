import { type AnswerFault, commitsFirst, type Fault } from '../domain/fault.ts';
import type { Clock } from '../state/clock.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import { drainBody } from './body.ts';
import { type MockResponse, type MockRequest, CONNECTION_LOST, type MockResult } from './request.ts';
import { errorResponse } from './errors.ts';
import type { ResponseContext } from './response.ts';
import { respondWithStatus, type FaultStatusContext } from './fault-status.ts';

/** The request, and the operation to run, of an injected fault. */
export interface FaultContext {
  readonly request: MockRequest;
  readonly record: LoggedRequest;
  readonly clock: Clock;
  readonly responseContext: ResponseContext;
  /** The `Allow` header of a 405. */
  readonly allow: string;
  /** Runs the operation. Never throws. */
  readonly execute: () => Promise<MockResult>;
}

/** Responds to a request with an injected fault. */
export async function respondWithFault(fault: Fault, context: FaultContext): Promise<MockResult> {
  if (fault.kind === 'latency') return respondLate(fault, context);
  if (commitsFirst(fault)) return applyFault(fault, await context.execute(), context);
  // The request log shows the body, and the connection is ready for the next request.
  context.record.body = await drainBody(context.request);
  return applyFault(fault, errorResponse(defaultFailure, context.responseContext), context);
}

const defaultFailure = { type: 'server_error', message: 'The service failed.' } as const;

async function respondLate(
  fault: Fault & { kind: 'latency' },
  { execute, clock }: FaultContext,
): Promise<MockResult> {
  const response = commitsFirst(fault) ? await execute() : undefined;
  await sleep(fault.ms);
  clock.catchUp();
  return response ?? execute();
}

// Captured at load time: fake timers that a test installs later must not stop a response.
const { setTimeout } = globalThis;

function sleep(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Not unreferenced: the client waits for the response.
  setTimeout(resolve, milliseconds);
  return promise;
}

/** Applies a fault to a response. A lost connection stays lost, unless the fault replaces the response. */
function applyFault(
  fault: Exclude<Fault, { kind: 'latency' }>,
  response: MockResult,
  context: FaultContext,
): MockResult {
  switch (fault.kind) {
    case 'status':
      return respondWithStatus(fault, toStatusContext(context));
    case 'rate_limit':
      return respondWithStatus({ ...fault, status: 429 }, toStatusContext(context));
    case 'html':
      return pageResponse(fault.status ?? BAD_GATEWAY);
    case 'empty':
      return { status: fault.status ?? BAD_GATEWAY, headers: {}, body: null };
    case 'reset_before_commit':
    case 'reset_after_commit':
      return CONNECTION_LOST;
    case 'wrong_content_type':
    case 'truncated':
    case 'stalled':
    case 'garbage':
    default:
      return response === CONNECTION_LOST ? response : damageResponse(fault.kind, response);
  }
}

function damageResponse(kind: AnswerFault['kind'], response: MockResponse): MockResponse {
  if (kind === 'wrong_content_type') return { ...response, headers: { ...response.headers, ...htmlPages } };
  return { ...response, damage: kind };
}

function toStatusContext({ responseContext: context, allow, clock }: FaultContext): FaultStatusContext {
  return { responseContext: context, allow, now: clock.now() };
}

const BAD_GATEWAY = 502;
const htmlPages = { 'Content-Type': 'text/html; charset=utf-8' };

function pageResponse(status: number): MockResponse {
  const body = `<!doctype html>\n<title>${status}</title>\n<h1>${status}</h1>\n<p>The service cannot be reached.</p>\n`;
  return { status, headers: htmlPages, body };
}
