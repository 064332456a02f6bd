import { createDeferred } from '@service/internal';
import type { OperationId } from '@service/contract';
import { applyFault, commitsFirst, type Fault, needsBody } from '../domain/fault.ts';
import { drawDuration } from '../domain/outcome.ts';
import { ResponseSizeError } from '../domain/json.ts';
import { defaultProfile } from '../domain/profile.ts';
import { createDraw } from '../domain/random.ts';
import type { AccountState } from '../state/account-state.ts';
import type { Faults, InjectedFault } from '../state/faults.ts';
import { toSortable } from '../state/ids.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import { AccountLimitError } from '../state/opening.ts';
import type { RateCount, RateLimiter } from '../state/rate-limit.ts';
import type { RequestLog } from '../state/request-log.ts';
import { type Caller, ReplacedStateError, type State } from '../state/state.ts';
import { authenticate, unknownCaller } from './authenticate.ts';
import { type Body, readBody } from './body.ts';
import type { Cors } from './cors.ts';
import { errorResponse, HttpError } from './errors.ts';
import { delay, respondWithStatus, skipOperation } from './inject-fault.ts';
import { operationTable } from './operations.ts';
import { rateLimitError, rateLimitFacts } from './rate-limit.ts';
import {
  CONNECTION_LOST,
  type HandleRequest,
  type MockRequest,
  type MockResponse,
  type MockResult,
  RequestAborted,
} from './request.ts';
import { renderResponse, type ResponseContext } from './response.ts';
import {
  allowedMethods,
  findOperation,
  findRoute,
  findSimilarRoute,
  type Route,
  unknownMethod,
  unknownPath,
} from './route.ts';

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

/**
 * Creates the service: a function from a request to its response, the same for every transport. The checks are
 * synchronous, so the request log has an entry for each request as soon as it arrives.
 */
export function createApp(options: AppOptions): HandleRequest {
  const { state, requestLog, cors } = options;
  let count = 0;
  const handle: HandleRequest = async (request) => {
    count += 1;
    const id = `req_${toSortable(count, 8)}`;
    const { promise: flushed, resolve } = createDeferred();
    state.clock.catchUp();
    const at = state.clock.now();
    const checked = checkRequest(options, request);
    const record = createLoggedRequest(request, checked, { id, at });
    requestLog.add(record);
    const responded =
      'response' in checked
        ? ((await refuseBody(options, request, checked)) ?? checked.response)
        : await operate(options, { ...checked, record, flushed });
    const confirmed = state.durability.recorder?.confirm();
    const result = confirmed === undefined ? responded : await confirmResponse(confirmed, responded, checked);
    const { profile } = checked.caller?.accountState ?? state;
    // A client compares times at the pace of its own clock, so the time of a faster one misleads it.
    const hasDate = typeof state.clock.mode === 'string';
    const context = { id, at, request, cors, hasDate, limit: rateLimitFacts(checked.count) };
    let response: MockResult;
    try {
      response = renderResponse(result, { ...context, profile });
    } catch (error) {
      response = renderResponse(ownError(options, error), { ...context, profile: defaultProfile });
    }
    const { latency } = profile;
    if (latency !== 0) await delay(drawDuration(latency, createDraw(state.seed, id)), state.clock);
    requestLog.complete(record, response);
    return { response, flushed: resolve };
  };
  return async (request) => {
    try {
      return await handle(request);
    } catch (error) {
      return { response: ownError(options, error), flushed() {} };
    }
  };
}

/** Waits until the changes that a response can show are durable. Only a create fails with them. */
async function confirmResponse(
  confirmed: Promise<void>,
  response: MockResult,
  { operation, caller }: Accepted | Answered,
): Promise<MockResult> {
  try {
    await confirmed;
    return response;
  } catch {
    const isCreate = operation === 'createPayment' && caller !== undefined;
    return isCreate ? storageError(caller.accountState) : response;
  }
}

/** A request that passed the checks before its operation. */
interface Accepted {
  readonly request: MockRequest;
  readonly route: Route;
  readonly operation: OperationId;
  readonly caller: Caller;
  readonly injected: InjectedFault<Fault> | undefined;
  readonly count: RateCount | undefined;
}

/** A request that needs no operation, and its response. */
interface Answered {
  readonly operation: OperationId | undefined;
  readonly caller?: Caller | undefined;
  readonly injected?: undefined;
  readonly count?: RateCount | undefined;
  readonly response: MockResult;
}

/** Parses, authenticates and matches. The order of the checks is part of the contract (docs/contract.md#transport). */
function checkRequest(options: AppOptions, request: MockRequest): Accepted | Answered {
  const { state, rateLimiter, faults } = options;
  const { method, path } = request;
  const route = findRoute(path) ?? (state.profile.paths === 'lenient' ? findSimilarRoute(path) : undefined);
  const operation = route && findOperation(route, method);
  let caller: Caller | undefined;
  let count: RateCount | undefined;
  try {
    if (method === 'OPTIONS') return { operation, response: respondToOptions(request, route) };
    caller = identify(state, request, route);
    const { account, accountState } = caller;
    const { profile } = accountState;
    if (account.suspended)
      throw new HttpError({ type: 'permission_error', message: 'The account is suspended.' });
    if (route === undefined) throw unknownPath(request, profile.paths);
    count = rateLimiter.count(accountState, method);
    if (count !== undefined && count.remaining < 0) throw rateLimitError(count, profile);
    if (operation === undefined) throw unknownMethod(route, method);
    const canApply = (fault: Fault): boolean => method !== 'HEAD' || !needsBody(fault);
    const injected = faults.match({ operation, accountState, canApply });
    return { request, route, operation, caller, injected, count };
  } catch (error) {
    const context = caller?.accountState ?? unknownCaller(state, request);
    // An unknown path shows the rate limit too, and is not refused by it.
    if (caller !== undefined && route === undefined) count ??= rateLimiter.count(caller.accountState, method);
    return { operation, caller, count, response: toErrorResponse(options, error, context) };
  }
}

/** Authenticates a request. If unknown paths are public, they respond with 404 to an invalid key. */
function identify(state: State, request: MockRequest, route: Route | undefined): Caller {
  try {
    return authenticate(state, request);
  } catch (error) {
    const { unknownPath: policy, paths } = state.profile;
    throw route === undefined && policy === 'public' ? unknownPath(request, paths) : error;
  }
}

function respondToOptions(request: MockRequest, route: Route | undefined): MockResponse {
  if (route === undefined) throw unknownPath(request, 'strict');
  return { status: 204, headers: { Allow: allowedMethods(route) }, body: null };
}

/** Returns the refusal of a malformed body, if the profile checks it before the API key. */
async function refuseBody(
  options: AppOptions,
  request: MockRequest,
  { caller }: Answered,
): Promise<MockResult | undefined> {
  const { state } = options;
  if (state.profile.bodyChecked === 'afterKey' || caller !== undefined || request.method !== 'POST')
    return undefined;
  const { error } = await readBody(request, state);
  const isMalformed = error instanceof HttpError && error.error.refusal === 'malformed_body';
  return isMalformed ? toErrorResponse(options, error, unknownCaller(state, request)) : undefined;
}

/** Creates the log entry of a request. It does not reference the connection. */
function createLoggedRequest(
  request: MockRequest,
  { operation, caller, injected }: Accepted | Answered,
  arrival: Pick<LoggedRequest, 'id' | 'at'>,
): LoggedRequest {
  const headers = request.headers();
  return {
    ...arrival,
    transport: request.transport,
    method: request.method,
    path: request.path,
    search: request.search,
    headers: Array.isArray(headers) ? headers : [...headers],
    operation: operation ?? null,
    account: caller?.account.id ?? null,
    mode: caller?.accountState.mode ?? null,
    fault: injected === undefined ? null : { id: injected.id, kind: injected.fault.kind },
    body: null,
    payment_id: null,
    accountState: null,
    response: null,
    size: 0,
  };
}

/** An accepted request with its log entry. */
interface Call extends Accepted {
  readonly record: LoggedRequest;
  /** Resolves after the response was sent. */
  readonly flushed: Promise<void>;
}

/** Runs the operation of a request, with the first injected fault that matches. Never rejects. */
async function operate(options: AppOptions, call: Call): Promise<MockResult> {
  const { request, record, route, caller, injected } = call;
  if (injected === undefined) return runOperation(options, call);
  const { fault } = injected;
  const { accountState } = caller;
  const { clock } = options.state;
  try {
    let response = commitsFirst(fault) ? await runOperation(options, call) : undefined;
    if (fault.kind === 'latency') {
      await delay(fault.ms, clock);
      response ??= await runOperation(options, call);
    }
    response ??= await skipOperation(request, record, accountState);
    const result = applyFault(fault, response, (status) =>
      respondWithStatus(status, accountState, { now: clock.now(), allow: allowedMethods(route) }),
    );
    checkCurrent(accountState);
    return result;
  } catch (error) {
    return toErrorResponse(options, error, accountState);
  }
}

/** Reads the body and runs the operation. Never rejects. */
async function runOperation(options: AppOptions, call: Call): Promise<MockResult> {
  const { request, record, route, operation, caller, flushed } = call;
  try {
    const body = request.method === 'POST' ? await readBody(request, caller.accountState) : noBody;
    record.body = body.text;
    if (body.error !== undefined) throw body.error;
    const { parameters } = route;
    const { state } = options;
    // Not after the payment, which would exist although the response is an error.
    if (operation === 'createPayment' && state.durability.recorder?.failure !== undefined)
      return storageError(caller.accountState);
    const result = operationTable[operation]({ state, caller, request, body, parameters, flushed });
    // A delivery or a fault can delay the response; the log shows the payment before it.
    record.payment_id = result.payment_id ?? null;
    if (record.payment_id !== null) record.accountState = caller.accountState;
    await result.until;
    checkCurrent(caller.accountState);
    return result.response;
  } catch (error) {
    return toErrorResponse(options, error, caller.accountState);
  }
}

/** The response to a create that cannot be stored. */
function storageError(accountState: AccountState): MockResponse {
  const message = 'The sandbox cannot store payments at present.';
  const headers = { 'Retry-After': '1' };
  return errorResponse({ type: 'service_unavailable', message }, accountState, { headers });
}

const noBody: Body = { text: null };

/** Throws if a reset or restore has removed the effects that the response describes. */
function checkCurrent({ isReplaced }: AccountState): void {
  if (isReplaced) throw new ReplacedStateError();
}

/** Converts a thrown value to a response. One that is unexpected, or that the templates cause, is the sandbox's own. */
function toErrorResponse(options: AppOptions, error: unknown, context: ResponseContext): MockResult {
  if (error instanceof RequestAborted) return CONNECTION_LOST;
  try {
    if (error instanceof HttpError) return errorResponse(error.error, context, error.init);
    if (error instanceof AccountLimitError)
      return errorResponse({ type: 'permission_error', message: error.message }, context);
    if (error instanceof ReplacedStateError) {
      const message = 'The sandbox or its account was reset during this request.';
      const headers = { 'Retry-After': '1' };
      return errorResponse({ type: 'service_unavailable', message }, context, { headers });
    }
    return ownError(options, error, context.mode);
  } catch (failure) {
    return ownError(options, failure, context.mode);
  }
}

/** Creates a 500 that no template changes. Reports a defect, without details in the response. */
function ownError({ onDefect }: AppOptions, error: unknown, mode?: ResponseContext['mode']): MockResponse {
  const isTooLarge = error instanceof ResponseSizeError;
  if (!isTooLarge) onDefect(error);
  const message = isTooLarge ? error.message : 'The sandbox failed.';
  return errorResponse({ type: 'server_error', message }, { mode, profile: defaultProfile });
}
