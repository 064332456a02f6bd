/**
 * A sandbox in a route of a Next app.
 *
 * @module
 */
// Imported by package name, so that the types of all entries are identical.
import type { Mock } from '@service/mock';
import { REPORT_DEFECT } from '../core.ts';
import * as s from '../domain/schema.ts';
import { CONNECTION_LOST, type HandleRequest } from '../http/request.ts';
import { type ControlSetting, controlSetting, serveMock } from './control.ts';
import { handleRequest, respondTo, toMockRequest, truncatedResponse } from './fetch.ts';
import { createError, readMount } from './mount.ts';

export type { ControlSetting } from './control.ts';

/** Who can use a sandbox in a route. */
export interface NextMountOptions {
  /**
   * Access to the control API, at the path of the route and `/_sandbox`. Without a token it accepts only
   * requests with a loopback `Host`, and none in production.
   *
   * @default {}
   */
  readonly control?: ControlSetting | undefined;
  /**
   * Serves the sandbox also if `NODE_ENV` is `production`, as it is in preview deployments.
   *
   * @default false
   * @example process.env.VERCEL_ENV === 'preview'
   */
  readonly allowInProduction?: boolean | undefined;
}

/** A route handler of Next for a catch-all route. */
export type RouteHandler = (request: Request, context: RouteContext) => Promise<Response>;

/** The second argument of a route handler. */
export interface RouteContext {
  /** The parameters, in a promise since Next 15. */
  readonly params: object | Promise<object>;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The exports of a route file. */
export type RouteHandlers = Readonly<
  Record<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS', RouteHandler>
>;

const mountFields = s.strict({ control: controlSetting, allowInProduction: s.optional(s.boolean) });

/**
 * Creates the handlers of a catch-all route that serves a sandbox: the API at the path of the route and
 * `/api/v1`, the control API at the path and `/_sandbox`. Responds 403 in production, unless it is allowed. `open` creates the
 * mock at the first request. It is called again only if it fails: a hot reload keeps the mock.
 *
 * @throws {SandboxError} for an invalid option
 * @example
 * // app/sandbox/[...path]/route.ts; the base URL of clients is http://localhost:3000/sandbox/api/v1
 * export const { GET, POST, PUT, PATCH, DELETE } = mountSandbox(() => createMock({ accounts: 'open' }));
 */
export function mountSandbox(
  open: () => Mock | Promise<Mock>,
  options: NextMountOptions = {},
): RouteHandlers {
  const { control: given = {}, allowInProduction = false } = readMount(open, options, mountFields);
  const isProduction = process.env.NODE_ENV === 'production';
  // A server in production is reachable from other machines, which can send any Host.
  const control = isProduction && given !== 'off' && given.token === undefined ? 'off' : given;
  const handle: RouteHandler = async (request, context) => {
    if (isProduction && !allowInProduction) return createRefusal();
    const { mount, path } = splitPath(new URL(request.url).pathname, await context.params);
    const mounted = await findMounted(mount, async () => {
      const mock = await open();
      return { mock, handle: serveMock(mock, control, 'localhost').handle };
    });
    return respond(mounted, request, path);
  };
  return Object.fromEntries(methods.map((method) => [method, handle])) as RouteHandlers;
}

function createRefusal(): Response {
  const message =
    'This sandbox is off, because NODE_ENV is production. Pass allowInProduction: true to mountSandbox for a preview.';
  return Response.json({ error: { code: 'forbidden', message } }, { status: 403 });
}

/** Splits a path into that of the route and the rest, which the catch-all parameter counts. */
function splitPath(pathname: string, params: object): { readonly mount: string; readonly path: string } {
  const rest: unknown = Object.values(params).find(Array.isArray);
  if (!Array.isArray(rest))
    throw createError('mountSandbox: this needs a catch-all route, such as app/sandbox/[...path]/route.ts.');
  const segments = pathname.split('/');
  const start = segments.length - rest.length;
  return { mount: segments.slice(0, start).join('/'), path: `/${segments.slice(start).join('/')}` };
}

/**
 * The key of the mounted sandboxes on `globalThis`. A hot reload evaluates the route file and this module again,
 * so a variable of either would lose the state of the sandbox with each edit.
 */
const MOUNTS: unique symbol = Symbol.for('@service/mock/next') as never;

/** A sandbox that is mounted at a path. */
interface Mounted {
  readonly mock: Mock;
  readonly handle: HandleRequest;
}

/** Returns the sandbox of a path, which the first request opens. */
function findMounted(path: string, open: () => Promise<Mounted>): Promise<Mounted> {
  const scope = globalThis as { [MOUNTS]?: Map<string, Promise<Mounted>> };
  const mounts = (scope[MOUNTS] ??= new Map<string, Promise<Mounted>>());
  const opening = mounts.get(path) ?? open();
  mounts.set(path, opening);
  // The next request tries again.
  opening.catch(() => mounts.delete(path));
  return opening;
}

/** Handles a request to the API or the control API. */
async function respond({ mock, handle }: Mounted, request: Request, path: string): Promise<Response> {
  const response = await handleRequest(handle, { ...toMockRequest(request, 'http'), path });
  // A route cannot close its connection without a response: the client loses the body of this one.
  if (response === CONNECTION_LOST || response.damage === 'garbage')
    return truncatedResponse({ status: 502, headers: {}, body: '' });
  return respondTo(response, request, { onDefect: mock[REPORT_DEFECT] });
}
