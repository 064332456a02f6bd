import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clearTimeout, setTimeout } from './timers.ts';

/** Maximum time to wait for open requests at the end, in milliseconds. */
const CLOSE_TIMEOUT = 2_000;

/** Listens on a port. Returns the address for a client on this machine. */
export async function listenAt(server: Server, port: number, host: string): Promise<URL> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  const shown = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return new URL(`http://${family === 'IPv6' ? `[${shown}]` : shown}:${actual}`);
}

/** Stops a server. Waits for open requests. */
export async function closeServer(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}

/** Reads the body of a message. One that is larger than `maxBytes` counts as one that broke off. */
export async function readAll(
  stream: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    // `complete` is false.
  }
  return { bytes: Buffer.concat(chunks), isWhole: stream.complete && size <= maxBytes };
}
