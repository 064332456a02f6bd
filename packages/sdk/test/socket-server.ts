import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A TCP server that counts complete HTTP requests and writes raw responses. */
export interface SocketServer {
  readonly baseUrl: string;
  readonly requests: string[];
  /** Resolves after this number of requests. */
  reached(count: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function listen(respond: (socket: Socket) => void): Promise<SocketServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (!isWhole(received)) return;
      requests.push(received);
      received = '';
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
      respond(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    requests,
    reached: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isWhole(received: string): boolean {
  const [head, body] = received.split('\r\n\r\n');
  if (body === undefined) return false;
  return Buffer.byteLength(body) >= Number(/content-length: (\d+)/i.exec(head ?? '')?.[1] ?? 0);
}

/** Formats an HTTP response. */
export function formatResponse(status: string, body: string, headers: readonly string[] = []): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return [`HTTP/1.1 ${status}`, length, 'Connection: close', ...headers, '', body].join('\r\n');
}
