import {
  CONNECTION_LOST,
  type HandleRequest,
  type MockRequest,
  type MockResponse,
  RequestAborted,
} from '../../http/request.ts';
import { decodeParameters, formatAllow, toPattern } from '../../http/route.ts';
import type { Context, Operation } from '../operation.ts';
import { DEFAULT_LIMIT } from '../page.ts';
import { groups } from '../sandbox.ts';
import { server, views } from '../operations/views.ts';
import { type Access, applyKey, authorize, checkSelfService, findAllowedOrigin } from './access.ts';
import { isPagePath, servePage } from './pages.ts';
import { ControlError, toErrorResponse } from './control-error.ts';
import { readInput } from './read-input.ts';

/** The base path of the control API. */
const CONTROL_PATH = '/_sandbox';

/** The operations of the control API by group. */
export const controlGroups: typeof groups = { server, ...groups, views };

/** All operations of the control API. */
export const controlOperations: readonly Operation[] = Object.values(controlGroups).flatMap((group) =>
  Object.values(group),
);

/** Access to the control API, and a function that is called for an error that only a defect of the sandbox can cause. */
export type ControlOptions = Access & { readonly onDefect: (error: unknown) => void };

/** Creates the control API of a sandbox. */
export function createControl(parts: Context, options: ControlOptions): HandleRequest {
  const routes = controlOperations.map((operation) => {
    return { operation, pattern: toPattern(CONTROL_PATH + operation.path) };
  });
  return async (request) => {
    const { path } = request;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    // `/accounts/find` is not the account `find`.
    const fixed = routes.filter(({ operation }) => CONTROL_PATH + operation.path === path);
    const found = fixed.length > 0 ? fixed : routes.filter(({ pattern }) => pattern.test(path));
    const route = found.find(({ operation }) => operation.method === method);
    const isOpen = route?.operation.isOpen ?? false;
    const respond = async (): Promise<MockResponse> => {
      if (isPagePath(path)) return servePage(options, request);
      const key = isOpen ? undefined : authorize(options, request, parts.state);
      if (route === undefined) return respondToUnknown(request, found);
      const { operation, pattern } = route;
      if (key?.isLimited) checkSelfService(operation, options.token);
      const given = await readInput(operation, request, decodeParameters(pattern.exec(path)));
      return runOperation(
        parts,
        operation,
        key === undefined ? given : applyKey(parts, operation, given, key),
      );
    };
    const response = await respond().catch((error: unknown) =>
      error instanceof RequestAborted ? CONNECTION_LOST : toErrorResponse(error, options.onDefect),
    );
    if (response === CONNECTION_LOST) return { response };
    const headers = headersFor(findAllowedOrigin(options, request, isOpen));
    return { response: { ...response, headers: { ...headers, ...response.headers } } };
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

async function runOperation(parts: Context, operation: Operation, input: object): Promise<MockResponse> {
  const { run, toBody, status = 200 } = operation;
  const initial = operation.input.fields['limit'] && { limit: DEFAULT_LIMIT };
  const fields: object = { ...initial, ...input };
  const result = await run(parts, fields as never);
  // Until the changes that the response can show are durable.
  await parts.state.changes.recorder?.confirm();
  const body = toBody === undefined ? result : toBody(result as never, parts, fields as never);
  return body === undefined
    ? { status: 204, headers: {}, body: null }
    : { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/** Responds to a request without an operation: OPTIONS, a wrong method or an unknown path. */
function respondToUnknown(
  { method }: MockRequest,
  found: readonly { readonly operation: Operation }[],
): MockResponse {
  const Allow = formatAllow(found.map(({ operation }) => operation.method));
  if (method === 'OPTIONS') {
    const headers = {
      Allow,
      'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-API-Key',
      'Access-Control-Max-Age': '600',
    };
    return { status: 204, headers, body: null };
  }
  if (found.length > 0) throw new ControlError('method_not_allowed', `This path takes ${Allow}.`, { Allow });
  const message = `There is no such path; GET ${CONTROL_PATH}/openapi.json lists all paths.`;
  throw new ControlError('not_found', message);
}
