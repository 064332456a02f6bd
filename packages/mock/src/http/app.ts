import type { Profile } from '../domain/profile.ts';
import type { OperationId } from '@service/contract';
import type { Faults } from '../world/faults.ts';
import { toSortable } from '../world/ids.ts';
import type { Journal } from '../world/journal.ts';
import type { RequestRecord } from '../world/request-record.ts';
import type { RateLimiter } from '../world/rate-limit.ts';
import { type Caller, RetiredBooks, type World } from '../world/world.ts';
import { authenticate, checkSuspension, guessMode } from './authenticate.ts';
import { type Answer, type Call, CallLost, CONNECTION_LOST, type Exchange, type Handle } from './call.ts';
import { type Cors, corsHeaders } from './cors.ts';
import { type Context, operationTable } from './operations.ts';
import { refuseTooMany } from './rate-limit.ts';
import { openRecord } from './record.ts';
import { type AnswerContext, fail, Refused } from './respond.ts';
import { allowedMethods, canonicalPath, findRoute, type Route } from './route.ts';
import { answerFaulty } from './spoil.ts';

/** Sets up the service that answers calls. */
export interface AppOptions {
  readonly world: World;
  readonly rateLimiter: RateLimiter;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly cors: Cors;
  /** Takes an error that only a defect of the sandbox itself can cause. */
  readonly onDefect: (error: unknown) => void;
}

/** Creates the service: one function from a call to what became of it, the same for every way in. */
export function createApp(options: AppOptions): Handle {
  let calls = 0;
  return async (call) => {
    calls += 1;
    options.world.clock.catchUp();
    const record = openRecord(call, `req_${toSortable(calls, 8)}`, options.world.clock.now());
    options.journal.enter(record);
    const { promise: flushed, resolve } = Promise.withResolvers<void>();
    const answer = complete(await answerCall(options, { call, record, flushed }), {
      cors: options.cors,
      call,
      record,
    });
    options.journal.settle(record, answer);
    return { answer, flushed: resolve };
  };
}

interface Arrival {
  readonly call: Call;
  readonly record: RequestRecord;
  readonly flushed: Promise<void>;
}

/** Answers a call in the order of contract.md 1: OPTIONS, key, path, rate limit, method, then the operation itself. */
async function answerCall(options: AppOptions, arrival: Arrival): Promise<Exchange['answer']> {
  const { call, record } = arrival;
  let caller: Caller | undefined;
  try {
    const route = findRoute(call.path);
    record.operation = route === undefined ? null : findOperation(route, call.method);
    if (call.method === 'OPTIONS') return answerOptions(route);
    caller = authenticate(options.world, call);
    record.account = caller.account.id;
    record.books = caller.books;
    checkSuspension(caller);
    const found = route ?? refuseRoute(call, caller.books.profile);
    const exceeded = options.rateLimiter.count(caller.books);
    if (exceeded !== undefined) throw refuseTooMany(exceeded, caller.books.profile);
    const { parameters } = found;
    const context = { world: options.world, caller, call, record, parameters, flushed: arrival.flushed };
    const outcome = await operate(options, found, context);
    // What it tells of is gone, even where it was so.
    if (caller.books.isRetired) throw new RetiredBooks();
    return outcome;
  } catch (error) {
    return answerError(options, error, { call, caller });
  }
}

/** Carries the operation out, and lets go wrong what a fault that is due wants to go wrong. */
async function operate(options: AppOptions, route: Route, context: Context): Promise<Exchange['answer']> {
  const { caller, call, record } = context;
  const operation = requireOperation(record.operation, route, call.method);
  const mode = caller.books.mode;
  const hasBody = call.method !== 'HEAD';
  const armed = options.faults.take({ operation, account: caller.account.id, mode, hasBody });
  const carryOut = operationTable[operation];
  if (armed === undefined) return carryOut(context);
  record.fault = { id: armed.id, kind: armed.fault.kind };
  return answerFaulty(armed.fault, {
    call,
    record,
    context: caller.books,
    clock: options.world.clock,
    allow: allowedMethods(route),
    carryOut: () =>
      carryOut(context).catch((error: unknown) => answerError(options, error, { call, caller })),
  });
}

function answerOptions(route: Route | undefined): Answer {
  return { status: 204, headers: { Allow: allowedMethods(requireRoute(route)) }, body: null };
}

/** Refuses a path that is not exactly one of the service's; a profile can have near ones redirected. */
function refuseRoute({ path, search }: Call, { paths }: Profile): never {
  const canonical = canonicalPath(path);
  const refusal = { type: 'not_found', message: 'There is no such path.' } as const;
  if (paths === 'strict' || findRoute(canonical) === undefined) throw new Refused(refusal);
  const Location = search === '' ? canonical : `${canonical}?${search}`;
  throw new Refused(refusal, { status: 308, headers: { Location } });
}

function requireRoute(route: Route | undefined): Route {
  if (route === undefined) throw new Refused({ type: 'not_found', message: 'There is no such path.' });
  return route;
}

function findOperation({ operationOf }: Route, method: string): OperationId | null {
  return operationOf.get(method === 'HEAD' ? 'GET' : method) ?? null;
}

function requireOperation(id: OperationId | null, route: Route, method: string): OperationId {
  if (id !== null) return id;
  const allow = allowedMethods(route);
  const message = `${method} is not allowed here; use ${allow}.`;
  throw new Refused({ type: 'method_not_allowed', message }, { headers: { Allow: allow } });
}

/** Turns what was thrown into an answer; a fault of the sandbox itself shows nothing of its inside. */
function answerError(
  options: AppOptions,
  error: unknown,
  { call, caller }: { call: Call; caller: Caller | undefined },
): Exchange['answer'] {
  const context = caller?.books ?? describeStranger(options.world, call);
  if (error instanceof Refused) return fail(error.refusal, context, error.refinement);
  if (error instanceof RetiredBooks) {
    const message = 'The sandbox was reset during this call.';
    return fail({ type: 'service_unavailable', message }, context, { headers: { 'Retry-After': '1' } });
  }
  if (error instanceof CallLost) return CONNECTION_LOST;
  try {
    options.onDefect(error);
  } catch {
    // Whoever hears of a defect must not make another one.
  }
  return fail({ type: 'server_error', message: 'The sandbox failed.' }, context);
}

/** Says in which terms a caller that is not known is answered. */
function describeStranger({ profile }: World, call: Call): AnswerContext {
  const modes = { omit: undefined, null: null, guess: guessMode(call) };
  return { mode: modes[profile.modeOn401], profile };
}

/** Adds the headers that every response carries; HEAD answers as GET without the body. */
function complete(answer: Exchange['answer'], { cors, call, record }: Completion): Exchange['answer'] {
  if (answer === CONNECTION_LOST) return answer;
  const headers: Record<string, string> = { 'X-Request-Id': record.id, 'Cache-Control': 'no-store' };
  if (answer.body !== null) headers['Content-Type'] = 'application/json';
  Object.assign(headers, answer.headers);
  if (cors !== 'off') Object.assign(headers, corsHeaders(cors, call, answer.headers.Allow));
  return { ...answer, headers, body: call.method === 'HEAD' ? null : answer.body };
}

interface Completion {
  readonly cors: Cors;
  readonly call: Call;
  readonly record: RequestRecord;
}
