/**
 * A sandbox in a route of a Next app.
 *
 * @module
 */
// Imported by package name, so that the types of all entries are identical.
import {
  createMock,
  type Mock,
  type MockOptions,
  persist,
  SandboxError,
  type StateStore,
} from '@service/mock';
import { handlerOf, REPORT_DEFECT } from '../core.ts';
import type { HandleControl } from '../control/http/handler.ts';
import type { ControlResponse } from '../control/http/read-input.ts';
import { parseInput } from '../control/operation.ts';
import * as s from '../domain/schema.ts';
import { optionsSchema } from '../options.ts';
import { isStore } from '../persist.ts';
import { CONNECTION_LOST, FAILURE } from '../http/request.ts';
import { type ControlSetting, controlSetting, openControl } from './control.ts';
import { handleRequest, respondTo, toMockRequest, toResponse, truncatedResponse } from './fetch.ts';

export type { ControlSetting } from './control.ts';

/** The options of `mountSandbox`: those of the mock, where its state is stored, and who can use it. */
export interface NextMountOptions extends Omit<MockOptions, 'baseUrl'> {
  /**
   * Where the state is stored, so that it survives the process, such as an instance of a preview deployment.
   *
   * @default the state ends with the process
   */
  readonly store?: StateStore | undefined;
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

/**
 * Creates the handlers of a catch-all route that serves a sandbox: the API at the path of the route and
 * `/api/v1`, the control API at the path and `/_sandbox`. Responds 403 in production, unless it is allowed.
 *
 * @throws {SandboxError} for an invalid option
 * @example
 * // app/sandbox/[...path]/route.ts; the base URL of clients is http://localhost:3000/sandbox/api/v1
 * export const { GET, POST, PUT, PATCH, DELETE } = mountSandbox({ accounts: 'open' });
 */
export function mountSandbox(options: NextMountOptions = {}): RouteHandlers {
  const settings = readOptions(options);
  const handle: RouteHandler = async (request, context) => {
    if (settings.isRefused) return createRefusal();
    const { mount, path } = splitPath(new URL(request.url).pathname, await context.params);
    try {
      return await respond(await findMounted(mount, settings), request, path);
    } catch (error) {
      // The developer sees the sentence about a wrong option or stored state in the error page of Next.
      if (error instanceof SandboxError) throw error;
      settings.onDefect(error);
      return toResponse(FAILURE);
    }
  };
  return Object.fromEntries(methods.map((method) => [method, handle])) as RouteHandlers;
}

const mountFields = s.strict({
  ...optionsSchema.fields,
  store: s.optional(s.accept('an object with the functions load and save', isStore)),
  control: controlSetting,
  allowInProduction: s.optional(s.boolean),
});

type MountSettings = ReturnType<typeof readOptions>;

function readOptions(options: NextMountOptions) {
  // The class of the package, not the copy in the file of this entry.
  parseInput('mountSandbox', options, mountFields, (text) => new SandboxError('invalid_argument', text));
  const { store, control = {}, allowInProduction = false, ...mockOptions } = options;
  const isProduction = process.env.NODE_ENV === 'production';
  return {
    mockOptions,
    store,
    // A server in production is reachable from other machines, which can send any Host.
    control: isProduction && control !== 'off' && control.token === undefined ? 'off' : control,
    isRefused: isProduction && !allowInProduction,
    onDefect: mockOptions.onDefect ?? reportDefect,
    // Functions, which are new after each hot reload, are no part of it.
    description: JSON.stringify([mockOptions, control]),
  };
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
    throw new SandboxError(
      'invalid_argument',
      'mountSandbox: this needs a catch-all route, such as app/sandbox/[...path]/route.ts.',
    );
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
  readonly control: HandleControl | undefined;
}

interface Mount {
  readonly description: string;
  readonly opening: Promise<Mounted>;
}

/** Returns the sandbox of a path. Opens it at the first request, and anew if its options have changed. */
function findMounted(path: string, settings: MountSettings): Promise<Mounted> {
  const scope = globalThis as { [MOUNTS]?: Map<string, Mount> };
  const mounts = (scope[MOUNTS] ??= new Map<string, Mount>());
  const known = mounts.get(path);
  const { description } = settings;
  if (known?.description === description) return known.opening;
  void known?.opening.then(({ mock }) => mock.close()).catch(() => {});
  const opening = open(settings);
  mounts.set(path, { description, opening });
  // The next request tries again.
  opening.catch(() => mounts.get(path)?.opening === opening && mounts.delete(path));
  return opening;
}

async function open({ mockOptions, store, control }: MountSettings): Promise<Mounted> {
  const mock = createMock(mockOptions);
  if (store !== undefined) await persist(mock, store);
  return { mock, control: openControl(mock, control, 'localhost')?.handle };
}

function reportDefect(error: unknown): void {
  // oxlint-disable-next-line no-console -- the default listener: a defect must not go unnoticed
  console.error('@service/mock/next: the sandbox failed', error);
}

/** Handles a request to the API or the control API. */
async function respond({ mock, control }: Mounted, request: Request, path: string): Promise<Response> {
  const mockRequest = { ...toMockRequest(request, 'http'), path };
  if (control !== undefined && /^\/_sandbox(?:\/|$)/.test(path))
    return toControlResponse(await control({ ...mockRequest, signal: request.signal }));
  const response = await handleRequest(handlerOf(mock), mockRequest);
  // A route cannot close its connection without a response: the client loses the body of this one.
  if (response === CONNECTION_LOST || response.damage === 'garbage')
    return truncatedResponse({ status: 502, headers: {}, body: '' });
  return respondTo(response, request, { onDefect: mock[REPORT_DEFECT] });
}

function toControlResponse(response: ControlResponse | undefined): Response {
  // Without a response the client has disconnected.
  return toResponse(response ?? { status: 499, headers: {}, body: null });
}
