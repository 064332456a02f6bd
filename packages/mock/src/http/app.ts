import { type Refusal, Signal } from '@service/internal';
import type { OperationId } from '@service/contract';
import type { ApiError } from '../domain/api-error.ts';
import { applyFault, commitsFirst, type Fault, needsBody } from '../domain/fault.ts';
import { ResponseSizeError } from '../domain/json.ts';
import { type Draft, type DraftResult, mergeHeaders } from '../domain/response.ts';
import { defaultProfile, type Profile } from '../domain/profile.ts';
import { toSortable } from '../domain/ids.ts';
import type { Faults, InjectedFault } from '../state/faults.ts';
import type { LoggedRequest, RequestLog } from '../state/request-log.ts';
import { findCaller } from '../state/accounts.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import { type Caller, replacedState, type State } from '../state/state.ts';
import { type Body, bufferBody, drainBody, readBody } from './body.ts';
import { corsHeaders } from './cors.ts';
import { errorResponse, HttpError, serviceFailure } from './errors.ts';
import { delay, respondWithStatus } from './inject-fault.ts';
import { operationTable } from './operations.ts';
import { createRateLimiter, type RateLimiter } from './rate-limit.ts';
import {
  CONNECTION_LOST,
  FAILURE,
  type HandleRequest,
  type MockRequest,
  type MockResult,
  RequestAborted,
  type ResponseContext,
} from './request.ts';
import { changeResponse, type Respond, type ResponseSubject } from './respond.ts';
import { allowedMethods, canonicalPath, findRoute, type Route, unknownMethod, unknownPath } from './route.ts';

/** The parts of the service. */
export interface AppOptions {
  readonly state: State;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  /** Changes the response of each request, before faults. */
  readonly respond?: Respond | undefined;
  /** Called for an error that only a defect of the sandbox can cause. */
  readonly onDefect: (error: unknown) => void;
}

type App = AppOptions & { readonly countRequest: RateLimiter };

/** A request and what its checks have found: route, caller, rate limit and fault. */
interface Exchange {
  readonly request: MockRequest;
  readonly route: Route | undefined;
  caller: Caller | undefined;
  injected: InjectedFault<Fault> | undefined;
  /** Its entry in the request log, which does not reference the connection. */
  readonly record: LoggedRequest;
  /** Fires after the response was sent. */
  readonly sent: Signal;
}

/** A request that passed the checks before its operation. */
type Accepted = Exchange & { readonly route: Route; readonly caller: Caller };

/**
 * Creates the service: a function from a request to its response, the same for every transport. The checks are
 * synchronous, so the request log has an entry for each request as soon as it arrives.
 */
export function createApp(options: AppOptions): HandleRequest {
  const { state, requestLog } = options;
  const app = { ...options, countRequest: createRateLimiter(state.clock) };
  const render = createRenderer(app);
  let requests = 0;
  return async (request) => {
    requests += 1;
    const sent = new Signal();
    try {
      const exchange = openExchange(state, request, requests, sent);
      const { record } = exchange;
      const refusal = check(app, exchange);
      requestLog.add(record);
      const { caller, injected, route } = exchange;
      let result: DraftResult;
      if (refusal !== undefined)
        result = toErrorResponse(app, exchange, (await findMalformed(app, exchange)) ?? refusal);
      else if (route !== undefined && request.method === 'OPTIONS')
        result = { status: 204, headers: { Allow: allowedMethods(route) }, body: null };
      else if (injected === undefined) result = await runOperation(app, exchange as Accepted);
      else result = await runFaulty(app, exchange as Accepted, injected);
      const confirmed = state.changes.recorder?.confirm()?.then(
        () => true,
        () => false,
      );
      const isStored = confirmed === undefined || (await confirmed);
      // Other responses do not depend on changes of their request.
      if (!isStored && record.operation === 'createPayment')
        result = toErrorResponse(app, exchange, createStorageError());
      const { profile } = caller?.accountState ?? state;
      const response = render(result, exchange, profile);
      requestLog.complete(record, response);
      return sent.isAwaited() ? { response, flushed: sent.fire } : { response };
    } catch (error) {
      app.onDefect(error);
      return { response: FAILURE, flushed: sent.fire };
    }
  };
}

/** Creates a function that adds the headers of every response, and removes the body of a response to HEAD. */
function createRenderer({ state }: AppOptions) {
  let [second, date] = [Number.NaN, ''];
  return (result: DraftResult, exchange: Exchange, profile: Profile): MockResult => {
    if (result === CONNECTION_LOST) return result;
    const { request, record } = exchange;
    const own: Record<string, string> = { 'X-Request-Id': record.id, 'Cache-Control': 'no-store' };
    // A client compares `Date` with its own clock, so a response has none if the sandbox clock runs faster.
    if (typeof state.clock.mode === 'string') {
      const given = Math.floor(record.at / 1000);
      // Many responses have the date of the last one.
      if (given !== second) [second, date] = [given, new Date(record.at).toUTCString()];
      own.Date = date;
    }
    if (result.body !== null) own['Content-Type'] = 'application/json';
    const origin = request.header('origin');
    const ofPages =
      origin === null ? {} : corsHeaders(origin, request.method, result.headers.Allow ?? undefined);
    const others = [profile.headers.all ?? {}, result.headers, ofPages];
    const isPlain = others.every((each) => Object.keys(each).length === 0);
    const headers = isPlain ? own : mergeHeaders(own, ...others);
    return { ...result, headers, body: request.method === 'HEAD' ? null : result.body };
  };
}

/** Finds the route and the operation of a request. */
function openExchange(state: State, request: MockRequest, count: number, sent: Signal): Exchange {
  state.clock.catchUp();
  const at = state.clock.now();
  const id = `req_${toSortable(count, 8)}`;
  const { transport, method, path, search, headers } = request;
  const isLenient = state.profile.paths.similar === 'lenient';
  const route = findRoute(path) ?? (isLenient ? findRoute(canonicalPath(path)) : undefined);
  const record: LoggedRequest = {
    id,
    at,
    transport,
    method,
    path,
    search,
    headers,
    // HEAD is GET without a response body.
    operation: route?.operationOf.get(method === 'HEAD' ? 'GET' : method) ?? null,
    account: null,
    mode: null,
    fault: null,
    body: null,
    payment_id: null,
    accountState: null,
    response: null,
    size: 0,
  };
  return { request, route, caller: undefined, injected: undefined, record, sent };
}

/** Returns the mode and the profile of a response, which can change while its request is running. */
function contextOf({ state }: AppOptions, { caller, record }: Exchange): ResponseContext {
  const { mode, profile } = caller?.accountState ?? { mode: undefined, profile: state.profile };
  return { mode, profile, request: record };
}

/**
 * Authenticates a request, and checks its path, its method and the rate limit. Returns the error of a refusal. The order of
 * the checks is part of the contract (docs/contract.md#transport).
 */
function check(app: App, exchange: Exchange): unknown {
  const { state, countRequest, faults } = app;
  const { request, route, record } = exchange;
  const { method } = request;
  const { similar, unknown } = state.profile.paths;
  try {
    if (method === 'OPTIONS') return route === undefined ? unknownPath(request, 'strict') : undefined;
    exchange.caller = authenticate(state, request);
    const { account, accountState } = exchange.caller;
    record.account = account.id;
    record.mode = accountState.mode;
    const { profile } = accountState;
    if (account.suspended)
      throw new HttpError({ type: 'permission_error', message: 'The account is suspended.' });
    if (route === undefined) throw unknownPath(request, profile.paths.similar);
    const exceeded = countRequest(accountState, method);
    if (exceeded !== undefined) throw exceeded;
    const { operation } = record;
    if (operation === null) throw unknownMethod(route, method);
    const canApply = (fault: Fault): boolean => method !== 'HEAD' || !needsBody(fault);
    const injected = faults.match({ operation, accountState, canApply });
    exchange.injected = injected;
    record.fault = injected ? { id: injected.id, kind: injected.fault.kind } : null;
    return undefined;
  } catch (error) {
    const { caller } = exchange;
    if (caller === undefined) {
      // If unknown paths are public, they respond with 404 to an invalid key.
      const isPublic = route === undefined && unknown === 'public';
      return isPublic ? unknownPath(request, similar) : error;
    }
    // An unknown path counts too, and is not refused by the rate limit.
    if (route === undefined) countRequest(caller.accountState, method);
    return error;
  }
}

/**
 * Returns the account and mode of the API key (docs/contract.md#authentication). With the policy `open`, a
 * well-formed test key that was never used opens an account.
 *
 * @throws {HttpError} for a missing or unknown key
 */
function authenticate(state: State, request: MockRequest): Caller {
  const { bothKeys } = state.profile;
  const bearer = readBearer(request.header('authorization'));
  const named = request.header('x-api-key') ?? undefined;
  if (bothKeys === 'reject' && bearer !== undefined && named !== undefined && bearer !== named)
    throw unauthenticated('Two different API keys were sent.');
  const key = bothKeys === 'apiKey' ? (named ?? bearer) : (bearer ?? named);
  if (key === undefined || key === '')
    throw unauthenticated(
      'The API key is missing; send it as `Authorization: Bearer <API key>`.',
      'missing_key',
    );
  const other = bothKeys === 'either' ? named : undefined;
  const caller = findCaller(state, key) ?? (other === undefined ? undefined : findCaller(state, other));
  if (caller === undefined) throw unauthenticated('The API key is not valid.');
  return caller;
}

function readBearer(header: string | null): string | undefined {
  if (header === null) return undefined;
  const match = /^bearer(?: +(.*))?$/i.exec(header.trim());
  if (match === null) throw unauthenticated('The Authorization header must be `Bearer <API key>`.');
  return match[1] ?? '';
}

function unauthenticated(message: string, refusal: Refusal = 'authentication'): HttpError {
  const headers = { 'WWW-Authenticate': 'Bearer' };
  return new HttpError({ type: 'authentication_error', message, refusal, headers });
}

/** Returns the error of a malformed body of a refused request, if the profile checks it before the API key. */
async function findMalformed({ state }: AppOptions, { request, caller }: Exchange): Promise<unknown> {
  const isChecked = state.profile.requestBody.checked !== 'afterKey';
  if (!isChecked || caller !== undefined || request.method !== 'POST') return undefined;
  const { error } = await readBody(request, state);
  const isMalformed = error instanceof HttpError && error.error.refusal === 'malformed_body';
  return isMalformed ? error : undefined;
}

/** Reads the body and runs the operation. Never rejects. */
async function runOperation(app: AppOptions, exchange: Accepted): Promise<DraftResult> {
  const { state } = app;
  const { request, record, route, caller, sent } = exchange;
  const { accountState } = caller;
  try {
    const body = request.method === 'POST' ? await readBody(request, accountState) : noBody;
    record.body = body.text;
    if (body.error !== undefined) throw body.error;
    // Not after the payment, which would exist although the response is an error.
    const operation = record.operation as OperationId;
    if (operation === 'createPayment' && state.changes.recorder?.failure !== undefined)
      throw createStorageError();
    const context = { mode: accountState.mode, profile: accountState.profile, request: record };
    const { parameters } = route;
    const result = operationTable[operation]({ state, caller, context, request, body, parameters, sent });
    const { payment, fault } = result;
    // A delivery or a fault can delay the response; the log shows the payment before it.
    if (payment !== undefined && result.isCreated) {
      record.payment_id = payment.id;
      record.accountState = accountState;
    }
    if (result.until !== undefined) await result.until;
    if (accountState.isReplaced) throw replacedState();
    const response = change(app, exchange, result.response, { payment });
    // An outcome fails like the service, without a message about a fault.
    return fault ? applyFault(fault, response, () => errorResponse(serviceFailure, context)) : response;
  } catch (error) {
    return toErrorResponse(app, exchange, error);
  }
}

/** Returns the response of the function `respond`, or a 500 that names its error. */
function change(app: AppOptions, exchange: Exchange, response: Draft, subject: ResponseSubject): Draft {
  const { respond, onDefect } = app;
  const { record } = exchange;
  if (respond === undefined) return response;
  try {
    return changeResponse(respond, response, record, subject);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The function \`respond\` failed for ${record.operation ?? record.path}: ${reason}.`;
    onDefect(new SandboxError('invalid_state', message));
    return errorResponse(
      { type: 'server_error', message },
      { ...contextOf(app, exchange), profile: defaultProfile },
    );
  }
}

/** Runs the operation of a request with an injected fault. Never rejects. */
async function runFaulty(
  app: AppOptions,
  exchange: Accepted,
  { fault, removed }: InjectedFault<Fault>,
): Promise<DraftResult> {
  const { state } = app;
  const { request, record, route, caller } = exchange;
  try {
    let response = commitsFirst(fault) ? await runOperation(app, exchange) : undefined;
    if (fault.kind === 'latency') {
      const arrived = response === undefined ? await bufferBody(request) : request;
      if (response === undefined) record.body = await drainBody(arrived);
      await delay(fault.ms, state.clock, removed);
      response ??= await runOperation(app, { ...exchange, request: arrived });
    }
    if (response === undefined) {
      // The request log shows the body, and the connection is ready for the next request.
      record.body = await drainBody(request);
      response = errorResponse(serviceFailure, contextOf(app, exchange));
    }
    const result = applyFault(fault, response, (status) =>
      respondWithStatus(status, contextOf(app, exchange), {
        now: state.clock.now(),
        allow: allowedMethods(route),
      }),
    );
    if (caller.accountState.isReplaced) throw replacedState();
    return result;
  } catch (error) {
    return toErrorResponse(app, exchange, error);
  }
}

/** Creates the error of a create that cannot be stored. */
function createStorageError(): SandboxError {
  return new SandboxError('unavailable', 'The sandbox cannot store payments at present.');
}

const noBody: Body = { text: null };

/** Converts a thrown value to a response. One that is unexpected, or that the examples cause, is the sandbox's own. */
function toErrorResponse(app: AppOptions, exchange: Exchange, error: unknown): DraftResult {
  if (error instanceof RequestAborted) return CONNECTION_LOST;
  const context = contextOf(app, exchange);
  try {
    const shown = toApiError(error);
    return change(app, exchange, errorResponse(shown, context), { error: shown });
  } catch (failure) {
    return ownError(app, failure, context);
  }
}

/** Converts an expected error to one of the API, and throws any other. */
function toApiError(error: unknown): ApiError {
  if (error instanceof HttpError) return error.error;
  if (!(error instanceof SandboxError)) throw error;
  const { code, message } = error;
  if (code !== 'unavailable') return { type: 'permission_error', message };
  return { type: 'service_unavailable', message, headers: { 'Retry-After': '1' } };
}

/** Creates a 500 that no profile changes. Reports a defect, without details in the response. */
function ownError({ onDefect }: AppOptions, error: unknown, context: ResponseContext): Draft {
  const isTooLarge = error instanceof ResponseSizeError;
  if (!isTooLarge) onDefect(error);
  const message = isTooLarge ? error.message : 'The sandbox failed.';
  return errorResponse({ type: 'server_error', message }, { ...context, profile: defaultProfile });
}
