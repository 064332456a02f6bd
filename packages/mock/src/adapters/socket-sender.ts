import { createDeferred } from '@service/internal';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import type { AddressPolicy } from '../webhooks/address.ts';
import { AddressNotAllowed, type WebhookSender } from '../webhooks/sender.ts';

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
 * Creates a sender that interceptors of `fetch`, `http.request` and sockets do not see. It connects only to checked
 * addresses, with a new connection per webhook, so that no idle connection fails. `lookup` is by default `dns.lookup` of Node.
 * Returns undefined without sockets, as in a browser.
 */
export function createSocketSender(
  allowsAddress: AddressPolicy['allowsAddress'],
  lookup?: Lookup,
): WebhookSender | undefined {
  if (getBuiltin === undefined || leaveContext === undefined) return undefined;
  return ({ url, headers, body }, signal) =>
    leaveContext(() => {
      const target = new URL(url);
      const host = target.hostname.replaceAll(/[[\]]/g, '');
      // Loaded on first use: these modules take milliseconds to load.
      const { createConnection, isIP } = getBuiltin('node:net');
      const resolve = checkLookup(allowsAddress, lookup ?? getBuiltin('node:dns').lookup);
      const options = { host, port: Number(target.port || 80), lookup: resolve };
      const secure = { ...options, port: Number(target.port || 443), servername: isIP(host) ? '' : host };
      const socket =
        target.protocol === 'http:' ? createConnection(options) : getBuiltin('node:tls').connect(secure);
      const fields = { Host: target.host, Connection: 'close', 'Content-Length': body.length, ...headers };
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = `POST ${target.pathname}${target.search} HTTP/1.1\r\n${lines.join('')}\r\n`;
      socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
      return readStatus(socket, signal);
    });
}

/**
 * Returns the status after the connection has closed. After a timeout, a status that has arrived is valid. The rest of the
 * response is discarded, up to a limit.
 */
function readStatus(socket: Socket, signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = createDeferred<number>();
  let [text, read] = ['', 0];
  let status: number | undefined;
  const settle = (error: Error): void => (status === undefined ? reject(error) : resolve(status));
  socket.setEncoding('latin1').on('data', (part: string) => {
    read += part.length;
    if (read > ANSWER_LIMIT) socket.destroy();
    if (status !== undefined) return;
    text += part;
    // Without informational responses, such as 100.
    const [, code] =
      /^(?:HTTP\/1\.1 1(?!01)\d\d.*?\r\n\r\n)*HTTP\/1\.[01] (\d{3}).*?\r\n\r\n/s.exec(text) ?? [];
    if (code === undefined && /^(?!HTTP\/1\.)[^]{7}/.test(text)) socket.destroy(new Error('no HTTP'));
    if (code === '101') socket.destroy(new Error('another protocol'));
    if (code === undefined || code === '101') return;
    status = Number(code);
    // A receiver that ignores `Connection: close` closes now.
    socket.end();
  });
  socket.on('error', settle);
  socket.on('close', () => settle(Object.assign(new Error('no response'), { code: 'ECONNRESET' })));
  const abort = (): void => {
    socket.destroy();
    if (status !== undefined) resolve(status);
  };
  signal.addEventListener('abort', abort, { once: true });
  return promise;
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
