import { type AnswerFault, commitsFirst, type Fault } from '../domain/fault.ts';
import type { Clock } from '../state/clock.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import { drainBody } from './body.ts';
import { type MockResponse, type MockRequest, CONNECTION_LOST, type Handled } from './request.ts';
import { type ResponseContext, errorResponse } from './response.ts';
import { respondWithStatus, type FaultStatusContext } from './fault-status.ts';

type Outcome = Handled['response'];

/** Gives a fault what it works with. */
export interface FaultContext {
  readonly request: MockRequest;
  readonly record: LoggedRequest;
  readonly clock: Clock;
  readonly responseContext: ResponseContext;
  /** What an answer 405 says is allowed. */
  readonly allow: string;
  /** Carries the operation out; never throws. */
  readonly execute: () => Promise<Outcome>;
}

/** Answers a call with which something goes wrong (contract.md 7). */
export async function respondWithFault(fault: Fault, context: FaultContext): Promise<Outcome> {
  if (fault.kind === 'latency') return respondLate(fault, context);
  if (commitsFirst(fault)) return applyFault(fault, await context.execute(), context);
  // What was sent is taken all the same: the journal shows it, and the connection is ready for the next call.
  await drainBody(context.request, context.record);
  return applyFault(fault, errorResponse(FAILURE, context.responseContext), context);
}

const FAILURE = { type: 'server_error', message: 'The service failed.' } as const;

async function respondLate(
  fault: Fault & { kind: 'latency' },
  { execute, clock }: FaultContext,
): Promise<Outcome> {
  const response = commitsFirst(fault) ? await execute() : undefined;
  await sleep(fault.ms);
  clock.catchUp();
  return response ?? execute();
}

// Kept from load time, so that fake timers installed later cannot freeze a call.
const { setTimeout } = globalThis;

function sleep(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // It keeps a process alive: somebody waits for the answer.
  setTimeout(resolve, milliseconds);
  return promise;
}

/** Spoils an answer; a connection that is lost anyway stays lost unless the fault answers in its own words. */
function applyFault(
  fault: Exclude<Fault, { kind: 'latency' }>,
  response: Outcome,
  context: FaultContext,
): Outcome {
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
  if (kind === 'wrong_content_type') return { ...response, headers: { ...response.headers, ...HTML } };
  return { ...response, damage: kind };
}

function toStatusContext({ responseContext: context, allow, clock }: FaultContext): FaultStatusContext {
  return { responseContext: context, allow, now: clock.now() };
}

const BAD_GATEWAY = 502;
const HTML = { 'Content-Type': 'text/html; charset=utf-8' };

function pageResponse(status: number): MockResponse {
  const body = `<!doctype html>\n<title>${status}</title>\n<h1>${status}</h1>\n<p>The service cannot be reached.</p>\n`;
  return { status, headers: HTML, body };
}
