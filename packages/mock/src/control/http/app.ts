import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Sandbox } from '../sandbox.ts';
import { type Access, checkAccess, findAllowedOrigin } from './access.ts';
import { describeControl } from './openapi.ts';
import { type ControlOperation, methods } from './operation.ts';
import { readInput } from './read-input.ts';
import {
  respondWithDefect,
  ControlError,
  type DefectListener,
  type ControlErrorResponse,
  toErrorResponse,
} from './control-error.ts';
import { CONTROL_PATH, controlOperations } from './table.ts';
import { version } from './version.ts';

/** Access to the control API and the listener for defects. */
export interface ControlOptions extends Access, DefectListener {}

/** The Hono app of the control API. */
export type ControlApp = Hono<{ Bindings: HttpBindings }>;

type ControlRequestContext = Context<{ Bindings: HttpBindings }>;

/** Creates the control API of a sandbox from the table of its operations. */
export function createControlApp(sandbox: Sandbox, options: ControlOptions): ControlApp {
  const app: ControlApp = new Hono();
  for (const operation of controlOperations) {
    // Hono does not handle thrown values that are not errors, such as the reason of a signal.
    app.on(operation.method, toRoute(operation.path), authorize(options, operation), (context) =>
      runOperation(sandbox, operation, context).catch((error: unknown) =>
        respondWithError(options, error, context),
      ),
    );
  }
  app.all('*', authorize(options, {}), respondToUnknown);
  app.onError((error, context) => respondWithError(options, error, context));
  return app;
}

function toRoute(path: string): string {
  return CONTROL_PATH + path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Adds the response headers and checks access. */
function authorize(
  access: Access,
  { isOpen = false }: Pick<ControlOperation, 'isOpen'>,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (context, next) => {
    const { incoming } = context.env;
    const origin = findAllowedOrigin(access, incoming, isOpen);
    for (const [name, value] of Object.entries(headersFor(origin))) context.header(name, value);
    if (!isOpen) checkAccess(access, incoming);
    await next();
  };
}

function headersFor(origin: string | undefined): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Origin',
    ...(origin !== undefined && { 'Access-Control-Allow-Origin': origin }),
  };
}

async function runOperation(
  sandbox: Sandbox,
  operation: ControlOperation,
  context: ControlRequestContext,
): Promise<Response> {
  const request = context.req.raw;
  const input = await readInput(operation, { request, parameters: context.req.param() });
  const { signal } = request;
  const result = await operation.run(sandbox, input, { signal, version, createDocument: describeControl });
  if (operation.output === undefined) return context.body(null, 204);
  return context.json(result, (operation.status ?? 200) as 200);
}

/** Responds to requests without an operation: OPTIONS, a wrong method or an unknown path. */
function respondToUnknown(context: ControlRequestContext): Response {
  const allowed = findMethods(context.req.path);
  const Allow = [...allowed, 'OPTIONS'].join(', ');
  if (context.req.method === 'OPTIONS') return respondToOptions(context, Allow);
  if (allowed.length > 0)
    throw new ControlError('method_not_allowed', `This path takes ${Allow}.`, { Allow });
  const message = `There is no such path; GET ${CONTROL_PATH}/openapi.json lists all paths.`;
  throw new ControlError('not_found', message);
}

function respondToOptions(context: ControlRequestContext, Allow: string): Response {
  return context.body(null, 204, {
    Allow,
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Max-Age': '600',
  });
}

function findMethods(path: string): string[] {
  const found = controlOperations.filter((operation) => toPattern(operation.path).test(path));
  return found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${CONTROL_PATH}${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function respondWithError(options: ControlOptions, error: unknown, context: ControlRequestContext): Response {
  const { signal } = context.req.raw;
  // The client has disconnected, so there is no response to send.
  if (signal.aborted && error === signal.reason) return context.body(null);
  return respond(context, toErrorResponse(error) ?? respondWithDefect(options, error));
}

function respond(context: ControlRequestContext, { status, headers, body }: ControlErrorResponse): Response {
  return context.json(body, status, { ...headers });
}
