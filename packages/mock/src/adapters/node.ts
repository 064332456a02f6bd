import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearInterval, clearTimeout, createDeferred, setInterval, setTimeout } from '@service/internal';
import { CORE, type Mock } from '../core.ts';
import { BASE_PATH } from '../http/route.ts';
import { checkControlSetting, type MockControl, type ControlSetting, openControl } from './control.ts';
import type { HandleControl } from '../control/http/handler.ts';
import { createRequestServer } from './node-server.ts';

export type { ControlSetting } from './control.ts';
export { type DataFile, type DataFileOptions, keepData } from './data-file.ts';

/** The options of `listen`. */
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
}

/** A mock that listens for HTTP requests. */
export interface MockServer extends AsyncDisposable {
  /** The origin, without a path. */
  readonly url: string;
  /** The base URL for clients: the origin and `/api/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** The bearer token of the control API; null if none is required or the control API is off. */
  readonly controlToken: string | null;
  /** Stops listening and closes open connections. The mock stays open. */
  readonly close: () => Promise<void>;
}

/** Time until open connections are closed by force, in milliseconds. */
const GRACE = 500;
const SWEEP = 20;

/**
 * Serves a mock over HTTP. Rejects with a `TypeError` for an invalid option, and with the error of Node for a
 * port in use.
 *
 * @example
 * const server = await listen(mock, { port: 0 });
 */
export async function listen(mock: Mock, options: ListenOptions = {}): Promise<MockServer> {
  const { port, hostname, control: setting } = readOptions(mock, options);
  let control: MockControl | undefined;
  const forwardControl: HandleControl = async (request) => control?.handle(request);
  const server = createRequestServer({
    handle: mock[CORE],
    ...(setting !== 'off' && { control: forwardControl }),
  });
  await bind(server, port, hostname);
  const { port: bound, family, address } = server.address() as AddressInfo;
  // The address decides whether a token is required. No request is read before this line.
  control = openControl(mock, setting, address);
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
  const close = (): Promise<void> => closeServer(server);
  const controlToken = control?.token ?? null;
  return {
    url,
    baseUrl: `${url}${BASE_PATH}`,
    port: bound,
    controlToken,
    close,
    [Symbol.asyncDispose]: close,
  };
}

type ListenSettings = { readonly [Name in keyof ListenOptions]-?: NonNullable<ListenOptions[Name]> };

function readOptions(mock: Mock, options: ListenOptions): ListenSettings {
  const { port = 4010, hostname = '127.0.0.1', control = {}, ...unknownNames } = options;
  const [unknownName] = Object.keys(unknownNames);
  if (typeof mock?.[CORE] !== 'function') throw new TypeError('listen needs a mock from createMock.');
  if (unknownName !== undefined)
    throw new TypeError(`listen has no option ${unknownName}; it takes port, hostname and control.`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(`port must be a whole number from 0 to 65535, not ${String(port)}.`);
  }
  checkControlSetting(control);
  return { port, hostname, control };
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

function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = createDeferred();
  // A connection becomes idle after its current response and would stay open.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
  const cut = setTimeout(() => server.closeAllConnections(), GRACE);
  server.close(() => {
    clearInterval(sweep);
    clearTimeout(cut);
    resolve();
  });
  return promise;
}
