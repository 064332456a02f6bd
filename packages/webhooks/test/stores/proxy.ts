import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { listenAtFreePort } from '../../../../test/support/listen.ts';

/** A TCP proxy that can stop forwarding, like a network that drops packets. */
export interface Proxy {
  readonly port: number;
  /** Stops all forwarding. Existing and new connections stay open and silent. */
  readonly cut: () => void;
  /** Forwards connections that are opened later. Connections that were cut stay silent. */
  readonly mend: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a proxy on a free port of the loopback interface. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  let isCut = false;
  const silent = new WeakSet<Socket>();
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    if (isCut) {
      silent.add(client);
      client.resume();
      return;
    }
    const target = connect(targetPort, '127.0.0.1');
    target.on('error', () => {});
    target.on('close', () => silent.has(client) || client.destroy());
    client.on('close', () => target.destroy());
    client.on('data', (chunk) => silent.has(client) || target.write(chunk));
    target.on('data', (chunk) => silent.has(client) || client.write(chunk));
  });
  const port = await listenAtFreePort(server);
  return {
    port,
    cut: () => {
      isCut = true;
      for (const client of clients) silent.add(client);
    },
    mend: () => {
      isCut = false;
    },
    close: async () => {
      server.close();
      for (const client of clients) client.destroy();
      await once(server, 'close');
    },
  };
}
