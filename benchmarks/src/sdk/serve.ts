import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headers, type Operation } from './operations.ts';

/** Listens on this machine and answers each operation, under whatever root its client puts before the path. */
export async function serveAnswers(
  operations: readonly Operation[],
): Promise<AsyncDisposable & { readonly origin: string }> {
  const answers = new Map(operations.map(({ method, path, answer }) => [`${method} ${path}`, answer]));
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    const answer = answers.get(`${method} ${url.replace(/^\/(?:api\/v1|v2)/, '')}`);
    request
      .resume()
      .on('end', () => response.writeHead(answer === undefined ? 404 : 200, headers).end(answer));
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
