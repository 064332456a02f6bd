import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CORE, type Mock } from '../core.ts';
import { BASE_PATH } from '../http/route.ts';
import { checkControlSetting, type MockControl, type ControlSetting, openControl } from './control.ts';
import { type ControlListener, createRequestServer } from './node-server.ts';

export type { ControlSetting } from './control.ts';
export { type DataFile, type DataFileOptions, keepData } from './data-file.ts';

/** Says where a mock listens. */
export interface ListenOptions {
  /**
   * The port; 0 takes a free one.
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
   * Whether the sandbox can be steered over HTTP under `/_sandbox`, and with which token (contract.md 7).
   *
   * @default {}
   * @example { token: process.env.SANDBOX_TOKEN }
   */
  readonly control?: ControlSetting | undefined;
}

/** Is a mock that listens. */
export interface MockServer extends AsyncDisposable {
  /** The origin, without a path. */
  readonly url: string;
  /** The address that a client is given: the origin and `/api/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** What requests under `/_sandbox` must carry as `Authorization: Bearer`; null when they need no token or are not answered. */
  readonly controlToken: string | null;
  /** Stops listening, and ends connections that do not end by themselves. The mock itself goes on. */
  readonly close: () => Promise<void>;
}

// Kept from load time, so that fake timers installed later cannot keep a server open.
const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;

/** How long connections have to end by themselves, in milliseconds. */
const GRACE = 500;
const SWEEP = 20;

/**
 * Serves a mock over HTTP. Rejects with a `TypeError` for a bad option, and as Node does when the port is taken.
 *
 * @example
 * const server = await listen(mock, { port: 0 });
 */
export async function listen(mock: Mock, options: ListenOptions = {}): Promise<MockServer> {
  const { port, hostname, control: setting } = readOptions(mock, options);
  let control: MockControl | undefined;
  const forwardControl: ControlListener = (incoming, outgoing) => control?.listener(incoming, outgoing);
  const server = createRequestServer({
    handle: mock[CORE],
    ...(setting !== 'off' && { control: forwardControl }),
  });
  await bind(server, port, hostname);
  const { port: bound, family, address } = server.address() as AddressInfo;
  // Whether a token is needed depends on the address; no request is read before this line.
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
  if (typeof mock?.[CORE] !== 'function') throw new TypeError('listen takes a mock that createMock made.');
  if (unknownName !== undefined)
    throw new TypeError(`listen has no option ${unknownName}; it takes port, hostname and control.`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(`port must be a whole number from 0 to 65535, not ${String(port)}.`);
  }
  checkControlSetting(control);
  return { port, hostname, control };
}

function bind(server: Server, port: number, hostname: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, hostname, () => {
    server.off('error', reject);
    resolve();
  });
  return promise;
}

function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // What is answered only now stays open for a next call that must not come.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
  const cut = setTimeout(() => server.closeAllConnections(), GRACE);
  server.close(() => {
    clearInterval(sweep);
    clearTimeout(cut);
    resolve();
  });
  return promise;
}
