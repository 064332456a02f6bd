import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Starts a server at a free port of the loopback interface. Returns the port. */
export async function listenAtFreePort(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Returns a port of the loopback interface that nothing listens on. */
export async function findClosedPort(): Promise<number> {
  const server = createServer();
  const port = await listenAtFreePort(server);
  server.close();
  await once(server, 'close');
  return port;
}
