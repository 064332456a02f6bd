import { createDeferred } from '@service/internal';
import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from '../webhooks/address.ts';
import { AddressNotAllowed, type WebhookSender } from '../webhooks/attempt.ts';

/** Resolves a host name to all its addresses, like `dns.lookup`. */
export type Lookup = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Maximum number of response bytes to read. */
const ANSWER_LIMIT = 65_536;

// A browser has no `process`, or one without this function.
const getBuiltin = globalThis.process?.getBuiltinModule?.bind(globalThis.process);
// Captured at load time, before any interception: MSW 3 intercepts by async context, and would treat a
// delivery as part of the request that caused it.
const leaveContext = getBuiltin?.('node:async_hooks')?.AsyncLocalStorage.snapshot();

/**
 * Creates a sender that interceptors of `fetch` and `http.request` do not see. It connects only to checked
 * addresses, with a new connection per webhook, so that no idle connection fails. `lookup` is by default `dns.lookup` of Node.
 * Returns undefined without sockets, as in a browser.
 */
export function createSocketSender(
  allowsAddress: AddressPolicy['allowsAddress'],
  lookup?: Lookup,
): WebhookSender | undefined {
  if (getBuiltin === undefined || leaveContext === undefined) return undefined;
  let open: Open | undefined;
  return ({ url, headers, body }, signal) =>
    leaveContext(() => {
      // Loaded on first use: these modules take milliseconds to load.
      open ??= createOpen(getBuiltin, allowsAddress, lookup);
      const request = open(new URL(url), { ...headers });
      const status = readStatus(request, signal);
      request.end(body);
      return status;
    });
}

/** Opens a POST request on a new connection. */
type Open = (url: URL, headers: Record<string, string>) => ClientRequest;

function createOpen(
  load: NonNullable<typeof getBuiltin>,
  allowsAddress: AddressPolicy['allowsAddress'],
  resolve: Lookup = load('node:dns').lookup,
): Open {
  const [http, https, net] = [load('node:http'), load('node:https'), load('node:net')];
  const lookup = checkLookup(allowsAddress, resolve);
  const secure = new https.Agent({ keepAlive: false });
  // Interceptors replace the export of the module, but not the constructor of the prototype.
  const Client = http.ClientRequest.prototype.constructor as new (
    url: URL,
    settings: RequestOptions,
  ) => ClientRequest;
  return (url, headers) => {
    const settings = { method: 'POST', headers, lookup };
    if (url.protocol === 'https:') return new Client(url, { ...settings, agent: secure });
    // Without an agent, whose queue a single request does not need.
    return new Client(url, { ...settings, createConnection: net.createConnection as never });
  };
}

/**
 * Returns the status after the connection has closed. After a timeout, a status that has arrived is valid.
 */
function readStatus(request: ClientRequest, signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = createDeferred<number>();
  let status: number | undefined;
  const settle = (error: Error): void => (status === undefined ? reject(error) : resolve(status));
  request.on('response', (response) => {
    status = response.statusCode ?? 0;
    drain(response);
  });
  request.on('error', settle);
  request.on('close', () => settle(new Error('the connection was closed without a response')));
  const abort = (): void => {
    request.destroy();
    if (status !== undefined) resolve(status);
  };
  signal.addEventListener('abort', abort, { once: true });
  return promise;
}

/** Discards a response body, up to a limit. */
function drain(response: IncomingMessage): void {
  let read = 0;
  response.on('error', () => {});
  response.on('data', (chunk: Uint8Array) => {
    read += chunk.byteLength;
    if (read > ANSWER_LIMIT) response.destroy();
  });
}

/** The address of the names below `localhost`, which not every system resolves (RFC 6761, section 6.3). */
const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };

/** Creates a lookup that fails if any address of the host is not allowed. */
function checkLookup(allowsAddress: AddressPolicy['allowsAddress'], lookup: Lookup): LookupFunction {
  const resolveName: Lookup = (hostname, options, callback) =>
    /\.localhost\.?$/.test(hostname) ? callback(null, [loopback]) : lookup(hostname, options, callback);
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return callback(error ?? new Error('no address'), '');
      if (!addresses.every(({ address }) => allowsAddress(hostname, address)))
        return callback(new AddressNotAllowed(`${hostname} resolves to an address that is not allowed`), '');
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
