import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headers, type Operation } from './operations.ts';

/** Listens on a free loopback port and responds to each operation, below the root path of any client. */
export async function serveResponses(
  operations: readonly Operation[],
): Promise<AsyncDisposable & { readonly origin: string }> {
  const bodies = new Map(operations.map(({ method, path, response }) => [`${method} ${path}`, response]));
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    const body = bodies.get(`${method} ${url.replace(/^\/(?:api\/v1|v2)/, '')}`);
    request.resume().on('end', () => response.writeHead(body === undefined ? 404 : 200, headers).end(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
