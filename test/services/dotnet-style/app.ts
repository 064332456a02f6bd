import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { authenticate } from './authentication.ts';
import type { AccountEnvironment, Mode } from './entities.ts';
import { writeJson, type JsonObject } from './json-writer.ts';
import { ApiProblem, createProblemDetails } from './problems.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { matchRoute, type Route, type RouteMatch } from './routing.ts';
import { toSeconds } from './time.ts';

export interface AppOptions {
  readonly environments: readonly AccountEnvironment[];
  readonly routes: readonly Route[];
  readonly rateLimiter: RateLimiter;
  readonly createTraceId: () => string;
}

/** Builds the pipeline: routing, authentication, rate limiter, controllers, with problem details for errors. */
export function createApp(options: AppOptions): RequestListener {
  return (request, response) => {
    response.setHeader('Server', 'Kestrel');
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
    const match = matchRoute(options.routes, request.method ?? '', url.pathname);
    if (match.kind === 'matched') {
      void handle(options, match, url, request, response);
      return;
    }
    // No endpoint was selected, so nothing requires authorization and nothing writes a body.
    request.resume();
    if (match.kind === 'methodNotAllowed') response.setHeader('Allow', match.allow);
    response.writeHead(match.kind === 'notFound' ? 404 : 405, { 'Content-Length': 0 }).end();
  };
}

async function handle(
  { environments, rateLimiter, createTraceId }: AppOptions,
  { route, routeValues }: RouteMatch & { kind: 'matched' },
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let mode: Mode | undefined;
  try {
    const environment = authenticate(environments, request.headers);
    mode = environment.mode;
    acquireToken(rateLimiter, environment);
    const result = await route.action({ request, url, routeValues, environment });
    const { status, data, headers } = result;
    send(response, status, 'application/json', { success: true, mode, data }, headers);
  } catch (error) {
    request.resume();
    const problem = toProblem(error);
    const method = request.method ?? '';
    const traceId = createTraceId();
    const details = createProblemDetails(problem, { method, path: url.pathname, traceId, mode });
    const { headers } = problem.options;
    send(response, problem.status, 'application/problem+json', details, headers);
  }
}

function acquireToken(rateLimiter: RateLimiter, environment: AccountEnvironment): void {
  const retryAfter = rateLimiter.acquire(environment.id);
  if (retryAfter === undefined) return;
  throw new ApiProblem(429, 'too_many_requests', 'Too many requests. Please try again later.', {
    headers: { 'Retry-After': String(toSeconds(retryAfter)) },
  });
}

function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem(500, 'internal_error', 'An unexpected error occurred.');
}

function send(
  response: ServerResponse,
  status: number,
  mediaType: string,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  const content = Buffer.from(writeJson(body));
  response.writeHead(status, {
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Content-Length': content.length,
    ...headers,
  });
  response.end(content);
}
