/**
 * A sandbox on the development server of Vite.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@service/internal';
// Imported by package name, so that the types of all entries are identical.
import type { Mock } from '@service/mock';
import { handlerOf, REPORT_DEFECT } from '../core.ts';
import * as s from '../domain/schema.ts';
import { type ControlSetting, controlSetting, serveMock } from './control.ts';
import { readMount } from './mount.ts';
import { createRequestListener, type RequestListener } from './node-server.ts';

export type { ControlSetting } from './control.ts';

/** The path of the sandbox, and the access to the control API. */
export interface VitePluginOptions {
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
  readonly configureServer: (server: ViteServer) => Promise<void>;
  /** Serves the sandbox on a preview server. Vite calls it. */
  readonly configurePreviewServer: (server: ViteServer) => Promise<void>;
}

const pluginFields = s.strict({
  path: s.optional(
    s.text("a URL path without a trailing slash, such as '/sandbox'", { pattern: '^(?:/[\\w.~-]+)+$' }),
  ),
  control: controlSetting,
});

/**
 * Creates a Vite plugin that serves a sandbox on the development server and on the preview server. `open` creates the mock when
 * a server starts. A build does not contain it.
 *
 * @throws {SandboxError} for an invalid option
 * @example
 * export default defineConfig({ plugins: [mountSandbox(() => createMock({ seed: 1 }))] });
 */
export function mountSandbox(
  open: () => Mock | Promise<Mock>,
  options: VitePluginOptions = {},
): SandboxPlugin {
  const { path = '/sandbox', control = {} } = readMount(open, options, pluginFields);
  const serve = async ({ middlewares }: ViteServer): Promise<void> => {
    middlewares.use(path, createMountListener(await open(), control) as never);
  };
  return { name: '@service/mock', configureServer: serve, configurePreviewServer: serve };
}

function createMountListener(mock: Mock, setting: ControlSetting): RequestListener {
  const onDefect = mock[REPORT_DEFECT];
  const { token, handle } = serveMock(mock, setting, 'localhost');
  const listener = createRequestListener({ handle, onDefect });
  if (token !== null) return listener;
  // `vite --host` serves the network, and another machine can send the Host of this one.
  const withoutControl = createRequestListener({ handle: handlerOf(mock), onDefect });
  return (request, response) => (isLocal(request) ? listener : withoutControl)(request, response);
}

function isLocal({ socket }: IncomingMessage): boolean {
  // A socket for IPv4 and IPv6 has this prefix in IPv4 addresses.
  return isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
}
