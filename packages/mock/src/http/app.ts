import { Signal } from '@service/internal';
import type { OperationId } from '@service/contract';
import { applyFault, commitsFirst, type Fault, requestFaults } from '../domain/fault.ts';
import { drawDuration } from '../domain/outcome.ts';
import { type Facts, type Instant, ResponseSizeError } from '../domain/json.ts';
import { defaultProfile } from '../domain/profile.ts';
import { createDraw, toSortable } from '../domain/ids.ts';
import type { Faults, InjectedFault } from '../state/faults.ts';
import type { LoggedRequest, RequestLog } from '../state/request-log.ts';
import { AccountLimitError } from '../state/accounts.ts';
import type { RateCount, RateLimiter } from '../state/rate-limit.ts';
import { type Caller, ReplacedStateError, type State } from '../state/state.ts';
import { authenticate, guessMode } from './authenticate.ts';
import { type Body, bufferBody, drainBody, readBody } from './body.ts';
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
import { createDateFormat, renderResponse, type ResponseContext } from './response.ts';
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

/** A request and what its checks have found: route, operation, caller, rate limit and fault. */
interface Exchange {
  readonly request: MockRequest;
  readonly id: string;
  readonly at: Instant;
  readonly route: Route | undefined;
  readonly operation: OperationId | undefined;
  caller: Caller | undefined;
  count: RateCount | undefined;
  injected: InjectedFault<Fault> | undefined;
  /** Its entry in the request log, which does not reference the connection. */
  readonly record: LoggedRequest;
  /** The values of the request for templates. */
  readonly requestFacts: Facts;
  /** Fires after the response was sent. */
  readonly sent: Signal;
}

/** A request that passed the checks before its operation. */
type Accepted = Exchange & {
  readonly [Name in 'route' | 'operation' | 'caller']: NonNullable<Exchange[Name]>;
};

/**
 * Creates the service: a function from a request to its response, the same for every transport. The checks are
 * synchronous, so the request log has an entry for each request as soon as it arrives.
 */
export function createApp(app: AppOptions): HandleRequest {
  const { state, requestLog, cors } = app;
  const formatDate = createDateFormat();
  let requests = 0;
  return async (request) => {
    requests += 1;
    const sent = new Signal();
    try {
      const exchange = openExchange(state, request, requests, sent);
      const refusal = check(app, exchange);
      const { record, caller, injected } = exchange;
      if (caller !== undefined) {
        record.account = caller.account.id;
        record.mode = caller.accountState.mode;
      }
      if (injected !== undefined) record.fault = { id: injected.id, kind: injected.fault.kind };
      requestLog.add(record);
      const run = injected === undefined ? runOperation : runFaulty;
      let result = refusal ?? (await run(app, exchange as Accepted));
      const isMalformedFirst = refusal !== undefined && state.profile.requestBody.checked !== 'afterKey';
      if (isMalformedFirst) result = (await refuseBody(app, exchange)) ?? result;
      const confirmed = state.durability.recorder?.confirm();
      if (confirmed !== undefined) result = await confirmResponse(app, confirmed, result, exchange);
      const { id, at, count: limit, requestFacts } = exchange;
      const { profile } = caller?.accountState ?? state;
      // A client compares `Date` with its own clock, so a response has none if the sandbox clock runs faster.
      const date = typeof state.clock.mode === 'string' ? formatDate(at) : undefined;
      const shared = { id, request, requestFacts, cors, date, limit: limit && rateLimitFacts(limit) };
      let response: MockResult;
      try {
        response = renderResponse(result, { ...shared, profile });
      } catch (error) {
        response = renderResponse(ownError(app, error), { ...shared, profile: defaultProfile });
      }
      const { latency } = profile;
      if (latency !== 0) await delay(drawDuration(latency, createDraw(state.seed, id)), state.clock);
      requestLog.complete(record, response);
      return sent.isAwaited() ? { response, flushed: sent.fire } : { response };
    } catch (error) {
      return { response: ownError(app, error), flushed: sent.fire };
    }
  };
}

/** Finds the route and the operation of a request. */
function openExchange(state: State, request: MockRequest, count: number, sent: Signal): Exchange {
  state.clock.catchUp();
  const at = state.clock.now();
  const id = `req_${toSortable(count, 8)}`;
  const { transport, method, path, search, headers } = request;
  const isLenient = state.profile.paths.similar === 'lenient';
  const route = findRoute(path) ?? (isLenient ? findSimilarRoute(path) : undefined);
  const operation = route && findOperation(route, method);
  const record = {
    id,
    at,
    transport,
    method,
    path,
    search,
    headers,
    operation: operation ?? null,
    account: null,
    mode: null,
    fault: null,
    body: null,
    payment_id: null,
    accountState: null,
    response: null,
    size: 0,
  };
  const found = { caller: undefined, count: undefined, injected: undefined };
  const target = search === '' ? path : `${path}?${search}`;
  const requestFacts = { request_id: id, now: new Date(at), method, path, target };
  return { request, id, at, route, operation, ...found, record, requestFacts, sent };
}

/** Returns the mode and the profile of a response, which can change while its request is running. */
function contextOf({ state }: AppOptions, { request, caller, requestFacts }: Exchange): ResponseContext {
  if (caller === undefined)
    return { mode: undefined, keyMode: guessMode(request), profile: state.profile, requestFacts };
  const { mode, profile } = caller.accountState;
  return { mode, profile, requestFacts };
}

/**
 * Authenticates a request, and checks its path, its method and the rate limit. Returns the response of a request that needs
 * no operation. The order of the checks is part of the contract (docs/contract.md#transport).
 */
function check(app: AppOptions, exchange: Exchange): MockResult | undefined {
  const { state, rateLimiter, faults } = app;
  const { request, route, operation } = exchange;
  const { method } = request;
  const { similar, unknown } = state.profile.paths;
  try {
    if (method === 'OPTIONS') return respondToOptions(request, route);
    exchange.caller = authenticate(state, request);
    const { account, accountState } = exchange.caller;
    const { profile } = accountState;
    if (account.suspended)
      throw new HttpError({ type: 'permission_error', message: 'The account is suspended.' });
    if (route === undefined) throw unknownPath(request, profile.paths.similar);
    const count = rateLimiter.count(accountState, method);
    exchange.count = count;
    if (count !== undefined && count.remaining < 0) throw rateLimitError(count, profile);
    if (operation === undefined) throw unknownMethod(route, method);
    const canApply = ({ kind }: Fault): boolean => method !== 'HEAD' || !requestFaults[kind].needsBody;
    exchange.injected = faults.match({ operation, accountState, canApply });
    return undefined;
  } catch (error) {
    const { caller } = exchange;
    if (caller === undefined) {
      // If unknown paths are public, they respond with 404 to an invalid key.
      const isPublic = route === undefined && unknown === 'public' && method !== 'OPTIONS';
      const shown = isPublic ? unknownPath(request, similar) : error;
      return toErrorResponse(app, shown, contextOf(app, exchange));
    }
    // An unknown path shows the rate limit too, and is not refused by it.
    if (route === undefined) exchange.count ??= rateLimiter.count(caller.accountState, method);
    return toErrorResponse(app, error, contextOf(app, exchange));
  }
}

function respondToOptions(request: MockRequest, route: Route | undefined): MockResponse {
  if (route === undefined) throw unknownPath(request, 'strict');
  return { status: 204, headers: { Allow: allowedMethods(route) }, body: null };
}

/** Returns the refusal of a malformed body, if the profile checks it before the API key. */
async function refuseBody(app: AppOptions, exchange: Exchange): Promise<MockResult | undefined> {
  const { state } = app;
  const { request, caller } = exchange;
  if (caller !== undefined || request.method !== 'POST') return undefined;
  const { error } = await readBody(request, state);
  const isMalformed = error instanceof HttpError && error.error.refusal === 'malformed_body';
  return isMalformed ? toErrorResponse(app, error, contextOf(app, exchange)) : undefined;
}

/** Reads the body and runs the operation. Never rejects. */
async function runOperation(app: AppOptions, exchange: Accepted): Promise<MockResult> {
  const { state } = app;
  const { request, record, route, operation, caller, sent } = exchange;
  const { accountState } = caller;
  try {
    const body = request.method === 'POST' ? await readBody(request, accountState) : noBody;
    record.body = body.text;
    if (body.error !== undefined) throw body.error;
    // Not after the payment, which would exist although the response is an error.
    if (operation === 'createPayment' && state.durability.recorder?.failure !== undefined)
      return storageError(contextOf(app, exchange));
    const { parameters } = route;
    const result = operationTable[operation]({
      state,
      caller,
      context: contextOf(app, exchange),
      request,
      body,
      parameters,
      sent,
    });
    // A delivery or a fault can delay the response; the log shows the payment before it.
    if (result.payment_id !== undefined) {
      record.payment_id = result.payment_id;
      record.accountState = accountState;
    }
    if (result.until !== undefined) await result.until;
    if (accountState.isReplaced) throw new ReplacedStateError();
    return result.response;
  } catch (error) {
    return toErrorResponse(app, error, contextOf(app, exchange));
  }
}

/** Runs the operation of a request with an injected fault. Never rejects. */
async function runFaulty(app: AppOptions, exchange: Accepted): Promise<MockResult> {
  const { state } = app;
  const { request, record, route, caller, injected } = exchange;
  if (injected === undefined) return runOperation(app, exchange);
  const { fault, removed } = injected;
  const { accountState } = caller;
  try {
    let response = commitsFirst(fault) ? await runOperation(app, exchange) : undefined;
    if (fault.kind === 'latency') {
      const arrived = response === undefined ? await bufferBody(request) : request;
      if (response === undefined) record.body = await drainBody(arrived);
      await delay(fault.ms, state.clock, removed);
      response ??= await runOperation(app, { ...exchange, request: arrived });
    }
    response ??= await skipOperation(request, record, contextOf(app, exchange));
    const result = applyFault(fault, response, (status) =>
      respondWithStatus(status, contextOf(app, exchange), {
        now: state.clock.now(),
        allow: allowedMethods(route),
      }),
    );
    if (accountState.isReplaced) throw new ReplacedStateError();
    return result;
  } catch (error) {
    return toErrorResponse(app, error, contextOf(app, exchange));
  }
}

/** Waits until the changes that a response can show are durable. Only a create fails with them. */
async function confirmResponse(
  app: AppOptions,
  confirmed: Promise<void>,
  response: MockResult,
  exchange: Exchange,
): Promise<MockResult> {
  try {
    await confirmed;
    return response;
  } catch {
    const isCreate = exchange.operation === 'createPayment' && exchange.caller !== undefined;
    return isCreate ? storageError(contextOf(app, exchange)) : response;
  }
}

/** The response to a create that cannot be stored. */
function storageError(context: ResponseContext): MockResponse {
  const message = 'The sandbox cannot store payments at present.';
  const headers = { 'Retry-After': '1' };
  return errorResponse({ type: 'service_unavailable', message }, context, { headers });
}

const noBody: Body = { text: null };

/** Converts a thrown value to a response. One that is unexpected, or that the templates cause, is the sandbox's own. */
function toErrorResponse(app: AppOptions, error: unknown, context: ResponseContext): MockResult {
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
    return ownError(app, error, context.mode);
  } catch (failure) {
    return ownError(app, failure, context.mode);
  }
}

/** Creates a 500 that no template changes. Reports a defect, without details in the response. */
function ownError({ onDefect }: AppOptions, error: unknown, mode?: ResponseContext['mode']): MockResponse {
  const isTooLarge = error instanceof ResponseSizeError;
  if (!isTooLarge) onDefect(error);
  const message = isTooLarge ? error.message : 'The sandbox failed.';
  return errorResponse(
    { type: 'server_error', message },
    { mode, profile: defaultProfile, requestFacts: {} },
  );
}
