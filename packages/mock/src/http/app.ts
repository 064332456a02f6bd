import { toSortable } from '../world/ids.ts';
import type { RateLimiter } from '../world/rate-limit.ts';
import { type Caller, RetiredBooks, type World } from '../world/world.ts';
import { authenticate, checkSuspension } from './authenticate.ts';
import { type Answer, type Call, CallLost, CONNECTION_LOST, type Exchange, type Handle } from './call.ts';
import { type Cors, corsHeaders } from './cors.ts';
import { operationTable } from './operations.ts';
import { refuseTooMany } from './rate-limit.ts';
import { fail, Refused } from './respond.ts';
import { allowedMethods, findRoute, type Route } from './route.ts';

/** Sets up the service that answers calls. */
export interface AppOptions {
  readonly world: World;
  readonly rateLimiter: RateLimiter;
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
    const requestId = `req_${toSortable(calls, 8)}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    return {
      answer: complete(await answerCall(options, call, promise), { cors: options.cors, call, requestId }),
      flushed: resolve,
    };
  };
}

/** Answers a call in the order of contract.md 1: OPTIONS, key, path, rate limit, method, then the operation itself. */
async function answerCall(
  options: AppOptions,
  call: Call,
  flushed: Promise<void>,
): Promise<Exchange['answer']> {
  let caller: Caller | undefined;
  try {
    const route = findRoute(call.path);
    if (call.method === 'OPTIONS') return answerOptions(route);
    caller = authenticate(options.world, call);
    checkSuspension(caller);
    const found = requireRoute(route);
    const exceeded = options.rateLimiter.count(caller.books);
    if (exceeded !== undefined) throw refuseTooMany(exceeded);
    const operation = requireOperation(found, call.method);
    return await operation({ world: options.world, caller, call, parameters: found.parameters, flushed });
  } catch (error) {
    return answerError(options, error, caller);
  }
}

function answerOptions(route: Route | undefined): Answer {
  return { status: 204, headers: { Allow: allowedMethods(requireRoute(route)) }, body: null };
}

function requireRoute(route: Route | undefined): Route {
  if (route === undefined) throw new Refused({ type: 'not_found', message: 'There is no such path.' });
  return route;
}

function requireOperation(
  route: Route,
  method: string,
): (typeof operationTable)[keyof typeof operationTable] {
  const id = route.operationOf.get(method === 'HEAD' ? 'GET' : method);
  if (id !== undefined) return operationTable[id];
  const allow = allowedMethods(route);
  const message = `${method} is not allowed here; use ${allow}.`;
  throw new Refused({ type: 'method_not_allowed', message }, { headers: { Allow: allow } });
}

/** Turns what was thrown into an answer; a fault of the sandbox itself shows nothing of its inside. */
function answerError(options: AppOptions, error: unknown, caller: Caller | undefined): Exchange['answer'] {
  const mode = caller?.books.mode;
  if (error instanceof Refused) return fail(error.refusal, mode, error.refinement);
  if (error instanceof RetiredBooks)
    return fail({ type: 'service_unavailable', message: 'The sandbox was reset during this call.' }, mode, {
      headers: { 'Retry-After': '1' },
    });
  if (error instanceof CallLost) return CONNECTION_LOST;
  try {
    options.onDefect(error);
  } catch {
    // Whoever hears of a defect must not make another one.
  }
  return fail({ type: 'server_error', message: 'The sandbox failed.' }, mode);
}

/** Adds the headers that every response carries; HEAD answers as GET without the body. */
function complete(answer: Exchange['answer'], { cors, call, requestId }: Completion): Exchange['answer'] {
  if (answer === CONNECTION_LOST) return answer;
  const type = answer.body === null ? {} : { 'Content-Type': 'application/json' };
  const always = { 'X-Request-Id': requestId, 'Cache-Control': 'no-store' };
  const headers = { ...type, ...always, ...answer.headers, ...corsHeaders(cors, call, answer.headers.Allow) };
  return { ...answer, headers, body: call.method === 'HEAD' ? null : answer.body };
}

interface Completion {
  readonly cors: Cors;
  readonly call: Call;
  readonly requestId: string;
}
