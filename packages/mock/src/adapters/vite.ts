/**
 * A sandbox on the development server of Vite.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '@service/internal';
// Imported by package name, so that the types of all entries are identical.
import { createMock, type Mock, type MockOptions, SandboxError } from '@service/mock';
import { handlerOf, REPORT_DEFECT } from '../core.ts';
import { parseInput } from '../control/operation.ts';
import * as s from '../domain/schema.ts';
import { optionsSchema } from '../options.ts';
import { type ControlSetting, controlSetting, openControl } from './control.ts';
import { createRequestListener } from './node-server.ts';

export type { ControlSetting } from './control.ts';

/** The options of `mountSandbox`: those of the mock, its path, and the access to the control API. */
export interface VitePluginOptions extends Omit<MockOptions, 'baseUrl'> {
  /**
   * The path of the sandbox on the server. The base URL of clients is this path and `/api/v1`.
   *
   * @default '/sandbox'
   */
  readonly path?: string | undefined;
  /**
   * Access to the control API, at the path and `/_sandbox`. Without a token it accepts only requests of this
   * machine.
   *
   * @default {}
   */
  readonly control?: ControlSetting | undefined;
}

/** The used part of a server of Vite. */
export interface ViteServer {
  /** The Connect app of the server. */
  readonly middlewares: {
    /** Takes a listener of `node:http`, whose types a page may not have. */
    readonly use: (path: string, listener: never) => unknown;
  };
}

/** The plugin, in the form of Vite. */
export interface SandboxPlugin {
  /** The name that Vite shows in errors. */
  readonly name: string;
  /** Serves the sandbox on a development server. Vite calls it. */
  readonly configureServer: (server: ViteServer) => void;
  /** Serves the sandbox on a preview server. Vite calls it. */
  readonly configurePreviewServer: (
    server: ViteServer & {
      /** The server of Node, whose end closes the sandbox. */
      readonly httpServer: {
        /** Registers a listener for the end of the server. */
        readonly once: (event: 'close', listener: () => void) => unknown;
      };
    },
  ) => void;
  /** Closes the sandbox with the development server. Vite calls it. */
  readonly closeBundle: () => Promise<void>;
}

const pluginFields = s.strict({
  ...optionsSchema.fields,
  path: s.optional(
    s.text("a URL path without a trailing slash, such as '/sandbox'", { pattern: '^(?:/[\\w.~-]+)+$' }),
  ),
  control: controlSetting,
});

/**
 * Creates a Vite plugin that serves a sandbox on the development server and on the preview server, and closes
 * it with them. A build does not contain it.
 *
 * @throws {SandboxError} for an invalid option
 * @example
 * export default defineConfig({ plugins: [mountSandbox({ seed: 1 })] });
 */
export function mountSandbox(options: VitePluginOptions = {}): SandboxPlugin {
  // The class of the package, not the copy in the file of this entry.
  parseInput('mountSandbox', options, pluginFields, (text) => new SandboxError('invalid_argument', text));
  const { path = '/sandbox', control: setting = {}, ...mockOptions } = options;
  const mocks = new Set<Mock>();
  const serve = ({ middlewares }: ViteServer): Mock => {
    const mock = createMock(mockOptions);
    mocks.add(mock);
    middlewares.use(path, createMountListener(mock, setting) as never);
    return mock;
  };
  const close = async (mock: Mock): Promise<void> => {
    mocks.delete(mock);
    await mock.close();
  };
  return {
    name: '@service/mock',
    configureServer: (server) => void serve(server),
    configurePreviewServer(server) {
      const mock = serve(server);
      // Vite runs no `closeBundle` for a preview server.
      server.httpServer.once('close', () => void close(mock));
    },
    // Vite runs this hook also when a development server closes, with or without an HTTP server.
    async closeBundle() {
      await Promise.all([...mocks].map(close));
    },
  };
}

type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

function createMountListener(mock: Mock, setting: ControlSetting): NodeListener {
  const control = openControl(mock, setting, 'localhost');
  const withoutControl = createRequestListener({ handle: handlerOf(mock), onDefect: mock[REPORT_DEFECT] });
  if (control === undefined) return withoutControl;
  const listener = createRequestListener({
    handle: handlerOf(mock),
    control: control.handle,
    onDefect: mock[REPORT_DEFECT],
  });
  if (control.token !== null) return listener;
  // `vite --host` serves the network, and another machine can send the Host of this one.
  return (request, response) => (isLocal(request) ? listener : withoutControl)(request, response);
}

function isLocal({ socket }: IncomingMessage): boolean {
  // A socket for IPv4 and IPv6 has this prefix in IPv4 addresses.
  return isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
}
