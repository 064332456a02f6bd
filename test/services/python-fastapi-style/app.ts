import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ApiError } from './errors.ts';
import { compactStyle, formatJson, type JsonValue } from './json.ts';
import type { Environment } from './models.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Route } from './routes.ts';

const PREFIX = '/api/v1';
const MAX_BODY_BYTES = 1_048_576;

export interface AppContext {
  readonly environments: readonly Environment[];
  readonly routes: readonly Route[];
  readonly rateLimiter: RateLimiter;
  readonly createRequestId: () => string;
}

interface Reply {
  readonly status: number;
  readonly content: Readonly<Record<string, JsonValue>>;
  readonly headers: Readonly<Record<string, string>>;
}

export function createApp(context: AppContext): RequestListener {
  return (request, response) => void respond(context, request, response);
}

async function respond(
  context: AppContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = await createReply(context, request);
  const text = formatJson(reply.content, compactStyle);
  response.writeHead(reply.status, {
    server: 'uvicorn',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-request-id': context.createRequestId(),
    ...reply.headers,
  });
  response.end(text);
}

/** Creates the reply to each outcome, as the middleware and the exception handlers of the application do. */
async function createReply(context: AppContext, request: IncomingMessage): Promise<Reply> {
  let mode = {};
  let limits = {};
  try {
    const [rawPath = '', ...search] = (request.url ?? '').split('?');
    if (!rawPath.startsWith(`${PREFIX}/`)) throw new ApiError(404, 'not_found', 'Not Found');
    const environment = authenticate(context.environments, request);
    mode = { mode: environment.mode };
    limits = context.rateLimiter.count(environment.apiKey);
    const body = await readBody(request);
    const { route, id } = findRoute(context.routes, request.method ?? '', decodePath(rawPath));
    const result = route.handle({
      environment,
      query: new URLSearchParams(search.join('?')),
      headers: request.headers,
      body,
      id,
    });
    return {
      status: result.status ?? 200,
      content: { success: true, ...mode, data: result.data },
      headers: { ...limits, ...result.headers },
    };
  } catch (error) {
    const { status, type, message, headers, detail } = toApiError(error);
    return {
      status,
      content: {
        success: false,
        ...mode,
        error: { type, message, ...(detail !== undefined && { detail }) },
      },
      headers: { ...limits, ...headers },
    };
  }
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  process.stderr.write(`${String(error)}\n`);
  return new ApiError(500, 'internal_error', 'Internal Server Error');
}

/** @throws {ApiError} when the key is missing or invalid. */
function authenticate(environments: readonly Environment[], { headers }: IncomingMessage): Environment {
  const [, bearer] = /^bearer\s+(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const key = bearer ?? headers['x-api-key'];
  const environment = environments.find(({ apiKey }) => apiKey === key);
  if (environment) return environment;
  const message = key === undefined ? 'Missing API key' : 'Invalid API key';
  throw new ApiError(401, 'authentication_error', message, { 'www-authenticate': 'Bearer' });
}

/** Reads the whole body before it refuses one that is too large, so that clients can finish sending. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new ApiError(413, 'payload_too_large', 'Request body is too large');
  return Buffer.concat(chunks);
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path.slice(PREFIX.length));
  } catch {
    return path.slice(PREFIX.length);
  }
}

/** @throws {ApiError} when no operation has the path or the method. */
function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly id: string } {
  const matches = routes.filter((candidate) => candidate.path.test(path));
  const route = matches.find((candidate) => candidate.method === method);
  if (route) return { route, id: route.path.exec(path)?.[1] ?? '' };
  if (matches.length === 0) throw new ApiError(404, 'not_found', 'Not Found');
  const allow = matches.map((candidate) => candidate.method).join(', ');
  throw new ApiError(405, 'method_not_allowed', 'Method Not Allowed', { allow });
}
