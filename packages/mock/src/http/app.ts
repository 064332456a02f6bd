import type { Profile } from '../domain/profile.ts';
import type { OperationId } from '@service/contract';
import { needsBody } from '../domain/fault.ts';
import type { Faults } from '../state/faults.ts';
import { toSortable } from '../state/ids.ts';
import type { RequestLog } from '../state/request-log.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import type { RateLimiter } from '../state/rate-limit.ts';
import { type Caller, ReplacedStateError, type State } from '../state/state.ts';
import { authenticate, checkSuspension, guessMode } from './authenticate.ts';
import {
  type MockResponse,
  type MockRequest,
  RequestAborted,
  CONNECTION_LOST,
  type Handled,
  type HandleRequest,
} from './request.ts';
import { type Cors, corsHeaders } from './cors.ts';
import { type OperationContext, operationTable } from './operations.ts';
import { rateLimitError } from './rate-limit.ts';
import { createLoggedRequest } from './log-request.ts';
import { type ResponseContext, errorResponse, HttpError } from './response.ts';
import { allowedMethods, canonicalPath, findRoute, type Route } from './route.ts';
import { respondWithFault } from './inject-fault.ts';

/** The parts of the service. */
export interface AppOptions {
  readonly state: State;
  readonly rateLimiter: RateLimiter;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  readonly cors: Cors;
  /** Called for an error that only a defect of the sandbox can cause. */
  readonly onDefect: (error: unknown) => void;
}

/** Creates the service: a function from a request to its response, the same for every transport. */
export function createApp(options: AppOptions): HandleRequest {
  let count = 0;
  return async (request) => {
    count += 1;
    options.state.clock.catchUp();
    const record = createLoggedRequest(request, `req_${toSortable(count, 8)}`, options.state.clock.now());
    options.requestLog.add(record);
    const { promise: flushed, resolve } = Promise.withResolvers<void>();
    const response = complete(await respond(options, { request, record, flushed }), {
      cors: options.cors,
      request,
      record,
    });
    options.requestLog.complete(record, response);
    return { response, flushed: resolve };
  };
}

interface Incoming {
  readonly request: MockRequest;
  readonly record: LoggedRequest;
  readonly flushed: Promise<void>;
}

/** Handles a request. The order of the checks is part of the contract (docs/contract.md#transport). */
async function respond(options: AppOptions, arrival: Incoming): Promise<Handled['response']> {
  const { request, record } = arrival;
  let caller: Caller | undefined;
  try {
    const route = findRoute(request.path);
    record.operation = route === undefined ? null : findOperation(route, request.method);
    if (request.method === 'OPTIONS') return respondToOptions(route);
    caller = authenticate(options.state, request);
    record.account = caller.account.id;
    record.accountState = caller.accountState;
    checkSuspension(caller);
    const found = route ?? unknownRoute(request, caller.accountState.profile);
    const exceeded = options.rateLimiter.count(caller.accountState);
    if (exceeded !== undefined) throw rateLimitError(exceeded, caller.accountState.profile);
    const { parameters } = found;
    const context = { state: options.state, caller, request, record, parameters, flushed: arrival.flushed };
    const outcome = await operate(options, found, context);
    // A reset or restore has removed the effects that the response describes.
    if (caller.accountState.isReplaced) throw new ReplacedStateError();
    return outcome;
  } catch (error) {
    return respondWithError(options, error, { request, caller });
  }
}

/** Runs the operation, with the first injected fault that matches. */
async function operate(
  options: AppOptions,
  route: Route,
  context: OperationContext,
): Promise<Handled['response']> {
  const { caller, request, record } = context;
  const operation = requireOperation(record.operation, route, request.method);
  const injected = options.faults.match({
    operation,
    accountState: caller.accountState,
    canApply: (fault) => request.method !== 'HEAD' || !needsBody(fault),
  });
  const execute = operationTable[operation];
  if (injected === undefined) return execute(context);
  record.fault = { id: injected.id, kind: injected.fault.kind };
  return respondWithFault(injected.fault, {
    request,
    record,
    responseContext: caller.accountState,
    clock: options.state.clock,
    allow: allowedMethods(route),
    execute: () =>
      execute(context).catch((error: unknown) => respondWithError(options, error, { request, caller })),
  });
}

function respondToOptions(route: Route | undefined): MockResponse {
  return { status: 204, headers: { Allow: allowedMethods(requireRoute(route)) }, body: null };
}

/** Responds to an unknown path with 404, or with a redirect if the profile corrects similar paths. */
function unknownRoute({ path, search }: MockRequest, { paths }: Profile): never {
  const canonical = canonicalPath(path);
  const error = { type: 'not_found', message: 'There is no such path.' } as const;
  if (paths === 'strict' || findRoute(canonical) === undefined) throw new HttpError(error);
  const Location = search === '' ? canonical : `${canonical}?${search}`;
  throw new HttpError(error, { status: 308, headers: { Location } });
}

function requireRoute(route: Route | undefined): Route {
  if (route === undefined) throw new HttpError({ type: 'not_found', message: 'There is no such path.' });
  return route;
}

function findOperation({ operationOf }: Route, method: string): OperationId | null {
  return operationOf.get(method === 'HEAD' ? 'GET' : method) ?? null;
}

function requireOperation(id: OperationId | null, route: Route, method: string): OperationId {
  if (id !== null) return id;
  const allow = allowedMethods(route);
  const message = `${method} is not allowed here; use ${allow}.`;
  throw new HttpError({ type: 'method_not_allowed', message }, { headers: { Allow: allow } });
}

/** Converts a thrown value to a response. A defect responds 500 without details. */
function respondWithError(
  options: AppOptions,
  error: unknown,
  { request, caller }: { request: MockRequest; caller: Caller | undefined },
): Handled['response'] {
  const context = caller?.accountState ?? unknownCallerContext(options.state, request);
  if (error instanceof HttpError) return errorResponse(error.error, context, error.init);
  if (error instanceof ReplacedStateError) {
    const message = 'The sandbox was reset during this request.';
    return errorResponse({ type: 'service_unavailable', message }, context, {
      headers: { 'Retry-After': '1' },
    });
  }
  if (error instanceof RequestAborted) return CONNECTION_LOST;
  try {
    options.onDefect(error);
  } catch {
    // An error in the listener must not hide the response.
  }
  return errorResponse({ type: 'server_error', message: 'The sandbox failed.' }, context);
}

/** Returns the response context of an unauthenticated request. */
function unknownCallerContext({ profile }: State, request: MockRequest): ResponseContext {
  const modes = { omit: undefined, null: null, guess: guessMode(request) };
  return { mode: modes[profile.modeOn401], profile };
}

/** Adds the headers of every response, and removes the body of a response to HEAD. */
function complete(response: Handled['response'], { cors, request, record }: Completion): Handled['response'] {
  if (response === CONNECTION_LOST) return response;
  const headers: Record<string, string> = { 'X-Request-Id': record.id, 'Cache-Control': 'no-store' };
  if (response.body !== null) headers['Content-Type'] = 'application/json';
  Object.assign(headers, response.headers);
  if (cors !== 'off') Object.assign(headers, corsHeaders(cors, request, response.headers.Allow));
  return { ...response, headers, body: request.method === 'HEAD' ? null : response.body };
}

interface Completion {
  readonly cors: Cors;
  readonly request: MockRequest;
  readonly record: LoggedRequest;
}
