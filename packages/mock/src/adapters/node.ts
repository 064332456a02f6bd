import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearInterval, createDeferred, setInterval } from '@service/internal';
import { CORE, handlerOf, type Mock, REPORT_DEFECT } from '../core.ts';
import { CONNECTION_LOST, type HandleRequest } from '../http/request.ts';
import { BASE_PATH } from '../http/route.ts';
import { type MockControl, type ControlSetting, controlSetting, openControl } from './control.ts';
import { callable } from '../control/fields.ts';
import { parseInput } from '../control/operation.ts';
import * as s from '../domain/schema.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import type { HandleControl } from '../control/http/handler.ts';
import type { DataFile, DataFileOptions } from './data-file.ts';
import { type Connection, createRequestServer } from './node-server.ts';

const { Server: NetServer } = process.getBuiltinModule('node:net');

export type { ControlSetting } from './control.ts';
export type { DataFile, DataFileOptions } from './data-file.ts';

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
   * Stops listening and waits for running requests, up to the option `grace`. Their responses say
   * `Connection: close`. Closes connections without the complete head of a request, and ends waits of the control API with
   * 503. The mock stays open.
   */
  readonly close: () => Promise<void>;
  /** The number of requests that `close` has cut, because they had no response in time. */
  readonly cut: number;
}

/**
 * Serves a mock over HTTP. Rejects with a `SandboxError` (`invalid_argument`) for an invalid option, and with the error of Node for a
 * port in use.
 *
 * @example
 * const server = await listen(mock, { port: 0 });
 */
export async function listen(mock: Mock, options: ListenOptions = {}): Promise<MockServer> {
  const {
    port = 4010,
    hostname = '127.0.0.1',
    control: setting = {},
    grace = 500,
    onResponse,
  } = readOptions(mock, options);
  let control: MockControl | undefined;
  const forwardControl: HandleControl = async (request) => control?.handle(request);
  const draining = new AbortController();
  const server = createRequestServer({
    handle: onResponse === undefined ? handlerOf(mock) : reportResponses(mock, onResponse),
    ...(setting !== 'off' && { control: forwardControl }),
    onDefect: mock[REPORT_DEFECT],
  });
  const connections = new Set<Connection>();
  server.on('connection', (connection: Connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  await bind(server, port, hostname);
  // Without a listener, a failed `accept`, as without free file descriptors, would end the process.
  server.on('error', mock[REPORT_DEFECT]);
  const { port: bound, family, address } = server.address() as AddressInfo;
  // The address decides whether a token is required. No request is read before this line.
  control = openControl(mock, setting, address, draining.signal);
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
  let cut = 0;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    draining.abort(new SandboxError('unavailable', 'The server is closing.'));
    closing ??= closeServer(server, connections, grace).then((count) => void (cut = count));
    return closing;
  };
  const controlToken = control?.token ?? null;
  return {
    url,
    baseUrl: `${url}${BASE_PATH}`,
    port: bound,
    controlToken,
    close,
    get cut() {
      return cut;
    },
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Stores the state of a mock in a SQLite database: restores an existing file, then writes every change. No response and no
 * webhook is sent before its change is durable, so a crash loses nothing that a client has seen. The file contains the
 * mock's own API keys and signing secrets and has mode 0600. It must be on a local file system. Needs Node 22.13. Rejects
 * with `SandboxError`, without changing the file, if it is damaged, not a data file, of another release, or in use by another
 * process.
 *
 * @example
 * await using data = await keepData(mock, 'sandbox.data');
 */
export async function keepData(mock: Mock, path: string, options: DataFileOptions = {}): Promise<DataFile> {
  checkMock(mock, 'keepData');
  // Loaded on first use, to shorten the start of a mock without a data file.
  const { openDataFile } = await import('./data-file.ts');
  return openDataFile(mock, path, options);
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

function invalidArgument(message: string): SandboxError {
  return new SandboxError('invalid_argument', message);
}

function checkMock(mock: Mock, name: string): void {
  if (typeof mock?.[CORE] !== 'function') throw invalidArgument(`${name} needs a mock from createMock.`);
}

function readOptions(mock: Mock, options: ListenOptions) {
  checkMock(mock, 'listen');
  return parseInput('listen', options, listenFields, invalidArgument);
}

/** The time between two searches for connections to close while a server closes, in milliseconds. */
const SWEEP = 20;
/** Maximum time for the next request of an idle connection when a server closes, in milliseconds. */
const MAX_LINGER = 1000;

/**
 * Stops listening, answers the running requests, and cuts those that last longer than `grace`. Returns their number. A
 * connection without the head of a request is closed. An idle one stays open for a moment: its client can be about to send
 * its next request.
 */
async function closeServer(server: Server, open: ReadonlySet<Connection>, grace: number): Promise<number> {
  const { promise, resolve } = createDeferred();
  let elapsed = 0;
  let cut = 0;
  // Unlike the method of the HTTP server, this one closes no connection.
  NetServer.prototype.close.call(server, () => resolve());
  const sweep = setInterval(() => {
    elapsed += SWEEP;
    for (const connection of open) {
      const { latest } = connection;
      const isIdle = latest?.closed ?? true;
      if (latest !== undefined && elapsed < (isIdle ? Math.min(MAX_LINGER, grace / 10) : grace)) continue;
      if (!isIdle) cut += 1;
      connection.destroy();
    }
  }, SWEEP);
  await promise;
  clearInterval(sweep);
  // Ends the timer of the HTTP server.
  server.close();
  return cut;
}

function bind(server: Server, port: number, hostname: string): Promise<void> {
  const { promise, resolve, reject } = createDeferred();
  server.once('error', reject);
  server.listen(port, hostname, () => {
    server.off('error', reject);
    resolve();
  });
  return promise;
}
