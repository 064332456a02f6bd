import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { AddressNotAllowed, type WebhookSender } from '../webhooks/send.ts';

/** Resolves a host name to all of its addresses, as `dns.lookup` does. */
export type Lookup = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Says where a connection may go. */
export interface SocketSenderOptions {
  /** Tells whether a connection to a host may go to an address that it was resolved to. */
  readonly allowsAddress: (hostname: string, address: string) => boolean;
  /** Default: `dns.lookup` of Node. */
  readonly lookup?: Lookup;
}

/** How much of an answer is read at most, in bytes: nobody looks at it. */
const ANSWER_LIMIT = 65_536;

// A browser has no `process`, or one without this function.
const getBuiltin = globalThis.process?.getBuiltinModule?.bind(globalThis.process);
// Kept from load time, when nothing is being intercepted: MSW 3 tells by the context of a connection what to intercept,
// and a delivery that an intercepted call has caused would else be taken for a part of that call.
const leaveContext = getBuiltin?.('node:async_hooks')?.AsyncLocalStorage.snapshot();

/**
 * Creates the carrier that connects by itself, past whatever intercepts `fetch` and `http.request`, to an address that it
 * has resolved and checked. Each parcel has a connection of its own, so that no idle one breaks under the next.
 * Undefined where there are no sockets: in a browser.
 */
export function createSocketSender(options: SocketSenderOptions): WebhookSender | undefined {
  if (getBuiltin === undefined || leaveContext === undefined) return undefined;
  let open: Open | undefined;
  return ({ url, headers, body }, signal) =>
    leaveContext(() => {
      // Only now: loading these modules takes milliseconds, which a mock that sends nothing need not spend.
      open ??= createOpen(getBuiltin, options);
      const request = open(new URL(url), { ...headers });
      const status = readStatus(request, signal);
      request.end(body);
      return status;
    });
}

/** Opens a POST request on a connection of its own. */
type Open = (url: URL, headers: Record<string, string>) => ClientRequest;

function createOpen(load: NonNullable<typeof getBuiltin>, options: SocketSenderOptions): Open {
  const [http, https] = [load('node:http'), load('node:https')];
  const lookup = checkLookup(options, options.lookup ?? load('node:dns').lookup);
  const plain = new http.Agent({ keepAlive: false });
  const secure = new https.Agent({ keepAlive: false });
  // Whoever has patched the module by now left the class itself behind its prototype.
  const Client = http.ClientRequest.prototype.constructor as new (
    url: URL,
    settings: RequestOptions,
  ) => ClientRequest;
  return (url, headers) => {
    const agent = url.protocol === 'https:' ? secure : plain;
    return new Client(url, { method: 'POST', headers, agent, lookup });
  };
}

/**
 * Reads the status of an answer once the connection is over, so that nothing is left behind; when the time is over before
 * that, a status that has arrived counts.
 */
function readStatus(request: ClientRequest, signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let status: number | undefined;
  const settle = (error: Error): void => (status === undefined ? reject(error) : resolve(status));
  request.on('response', (response) => {
    status = response.statusCode ?? 0;
    drain(response);
  });
  request.on('error', settle);
  request.on('close', () => settle(new Error('the connection was closed without an answer')));
  const abort = (): void => {
    request.destroy();
    if (status !== undefined) resolve(status);
  };
  signal.addEventListener('abort', abort, { once: true });
  return promise;
}

/** Reads an answer without keeping it, up to a limit. */
function drain(response: IncomingMessage): void {
  let read = 0;
  response.on('error', () => {});
  response.on('data', (chunk: Uint8Array) => {
    read += chunk.byteLength;
    if (read > ANSWER_LIMIT) response.destroy();
  });
}

/** Makes a lookup that fails where a name leads to an address that is not allowed; the connection goes to those that it returns. */
function checkLookup({ allowsAddress }: SocketSenderOptions, lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return callback(error ?? new Error('no address'), '');
      if (!addresses.every(({ address }) => allowsAddress(hostname, address)))
        return callback(new AddressNotAllowed(`${hostname} leads where nothing is delivered`), '');
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
