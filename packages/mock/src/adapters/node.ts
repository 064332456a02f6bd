import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearTimeout, createDeferred, setTimeout } from '@service/internal';
import { CORE, handlerOf, type Mock, REPORT_DEFECT } from '../core.ts';
import { CONNECTION_LOST, type HandleRequest } from '../http/request.ts';
import { BASE_PATH } from '../http/route.ts';
import { type ControlSetting, controlSetting, serveMock } from './control.ts';
import { callable } from '../control/fields.ts';
import { parseInput } from '../control/operation.ts';
import * as s from '../domain/schema.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { DataFile } from './data-file.ts';
import { createRequestServer } from './node-server.ts';

export type { ControlSetting } from './control.ts';
export type { DataFile } from './data-file.ts';

/** The address, the control API and the shutdown of a server. */
export interface ListenOptions {
  /**
   * The port; 0 selects a free one.
   *
   * @default 4010
   */
  readonly port?: number | undefined;
  /**
   * The address to bind.
   *
   * @default '127.0.0.1'
   */
  readonly hostname?: string | undefined;
  /**
   * Access to the control API under `/_sandbox`.
   *
   * @default {}
   * @example { token: process.env.SANDBOX_TOKEN }
   */
  readonly control?: ControlSetting | undefined;
  /**
   * Maximum time for running requests when the server closes, in milliseconds.
   *
   * @default 500
   */
  readonly grace?: number | undefined;
  /** Called after each response of the service, with its time. The control API does not call it. */
  readonly onResponse?: ((served: ServedRequest) => void) | undefined;
}

/** A request over HTTP and its response. */
export interface ServedRequest {
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The status of the response, or undefined if an injected fault closed the connection. */
  readonly status: number | undefined;
  /** The body of the response. */
  readonly body: string | null;
  /** Milliseconds from the first byte of the request to the response. */
  readonly duration: number;
}

/** A mock that listens for HTTP requests. */
export interface MockServer extends AsyncDisposable {
  /** The origin, without a path. */
  readonly url: string;
  /** The base URL for clients: the origin and `/api/v1`. */
  readonly baseUrl: string;
  /** The port in use, also when the option was 0. */
  readonly port: number;
  /** The bearer token of the control API; null if none is required or the control API is off. */
  readonly controlToken: string | null;
  /**
   * Stops listening, waits for running requests, up to the option `grace`, and closes all connections. The mock stays open.
   */
  readonly close: () => Promise<void>;
}

/**
 * Serves a mock over HTTP. Rejects with a `SandboxError` (`invalid_argument`) for an invalid option, and with the error of Node for a
 * port in use.
 *
 * @example
 * const server = await listen(mock, { port: 0 });
 */
export async function listen(mock: Mock, options: ListenOptions = {}): Promise<MockServer> {
  checkMock(mock, 'listen');
  const {
    port = 4010,
    hostname = '127.0.0.1',
    control: setting = {},
    grace = 500,
    onResponse,
  } = parseInput('listen', options, listenFields);
  const service = onResponse === undefined ? handlerOf(mock) : reportResponses(mock, onResponse);
  let served: ReturnType<typeof serveMock> | undefined;
  const handle: HandleRequest = (request) => (served?.handle ?? service)(request);
  const server = createRequestServer({ handle, onDefect: mock[REPORT_DEFECT] });
  const running = new Set<ServerResponse>();
  server.on('request', (_, outgoing) => {
    running.add(outgoing);
    outgoing.once('close', () => running.delete(outgoing));
  });
  await once(server.listen(port, hostname), 'listening');
  // Without a listener, a failed `accept`, as without free file descriptors, would end the process.
  server.on('error', mock[REPORT_DEFECT]);
  const { port: bound, family, address } = server.address() as AddressInfo;
  // The address decides whether a token is required. No request is read before this line.
  served = serveMock(mock, setting, address, service);
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeServer(server, running, grace));
  return {
    url,
    baseUrl: `${url}${BASE_PATH}`,
    port: bound,
    controlToken: served.token,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Stores the state of a mock in a SQLite database: restores an existing file, then writes every change. No response and no
 * webhook is sent before its change is durable, so a crash loses nothing that a client has seen. The file contains the
 * mock's own API keys and signing secrets and has mode 0600. It must be on a local file system. Needs Node 22.13. Rejects
 * with `SandboxError`, without changing the file, if it is damaged, not a data file, of another release, or in use by another
 * process. A write that fails later goes to `onDefect` of the mock, once per series of failures.
 *
 * @example
 * await using data = await keepData(mock, 'sandbox.data');
 */
export async function keepData(mock: Mock, path: string): Promise<DataFile> {
  checkMock(mock, 'keepData');
  // Loaded on first use, to shorten the start of a mock without a data file.
  const { openDataFile } = await import('./data-file.ts');
  return openDataFile(mock, path);
}

/** Reports each response to a listener. An error of the listener changes no response. */
function reportResponses(mock: Mock, onResponse: (served: ServedRequest) => void): HandleRequest {
  return async (request) => {
    const startedAt = performance.now();
    const handled = await handlerOf(mock)(request);
    const { method, path } = request;
    const { status, body = null } = handled.response === CONNECTION_LOST ? {} : handled.response;
    try {
      onResponse({ method, path, status, body, duration: performance.now() - startedAt });
    } catch (error) {
      mock[REPORT_DEFECT](error);
    }
    return handled;
  };
}

const listenFields = s.strict({
  port: s.optional(s.whole(0, 65_535)),
  hostname: s.optional(s.text()),
  control: controlSetting,
  grace: s.optional(s.whole(0, 3_600_000)),
  onResponse: s.optional(callable<NonNullable<ListenOptions['onResponse']>>()),
});

function checkMock(mock: Mock, name: string): void {
  if (typeof mock?.[CORE] !== 'function')
    throw new SandboxError('invalid_argument', `${name} needs a mock from createMock.`);
}

/** Stops listening, waits for running requests, at most `grace`, and closes all connections. */
async function closeServer(
  server: Server,
  running: ReadonlySet<ServerResponse>,
  grace: number,
): Promise<void> {
  const closed = once(server.close(), 'close');
  const answered = [...running].map((response) => once(response, 'close'));
  const expired = createDeferred();
  const timer = setTimeout(expired.resolve, grace);
  await Promise.race([expired.promise, Promise.all(answered)]);
  clearTimeout(timer);
  server.closeAllConnections();
  await closed;
}
